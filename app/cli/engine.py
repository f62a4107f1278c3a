"""Hidden commands: `moot _engine`, the child process that holds a model, and `moot _worker`, the one that reads files
of strangers and renders chat templates.

The network guard comes first in both. They are started as `python -m app.cli.engine NAME`, which loads nothing of the
command line; a bundle knows one program alone, so there `moot NAME` does the same.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable

from app.guard import install_guard, prove

CHILDREN = {
    "_engine": "models.llama.child",
    "_worker": "store.worker",
}
"""Hidden command -> the module whose `main` serves the parent over this process's own pipes."""


def serve(name: str) -> int:
    """Be a child; gives the exit code."""
    install_guard()
    main: Callable[..., int] = importlib.import_module(CHILDREN[name]).main
    return main(lambda: str(prove() or "")) if name == "_engine" else main()


if __name__ == "__main__":
    sys.exit(serve(sys.argv[1]))
