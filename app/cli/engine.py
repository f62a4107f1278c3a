"""Hidden commands: `moot _engine`, the child process that holds a model, `moot _template`, the one that renders chat
templates, and `moot _read`, the one that reads files of strangers.

The network guard comes first in all. They are started as `python -m app.cli.engine NAME`, which loads nothing of the
command line; a bundle knows one program alone, so there `moot NAME` does the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from app.guard import install_guard, prove


def run() -> int:
    """Serve the parent over this process's own pipes."""
    install_guard()
    from models.llama.child import main

    return main(lambda: str(prove() or ""))


def run_reader() -> int:
    """Read files for the parent over this process's own pipes."""
    install_guard()
    from store.importers.child import main

    return main()


def run_template() -> int:
    """Render chat templates for the parent."""
    install_guard()
    from models.llama.template_process import main

    return main()


CHILDREN: dict[str, Callable[[], int]] = {
    "_engine": run,
    "_template": run_template,
    "_read": run_reader,
}
"""Hidden command -> what it does; gives the exit code."""

if __name__ == "__main__":
    sys.exit(CHILDREN[sys.argv[1]]())
