"""`--allow-host`, and the one question that a terminal is asked before this machine talks to another."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from app.strings import t
from app.terminal import clean


def allow_host_option(command: Callable[..., object]) -> Callable[..., object]:
    """Add --allow-host, and let the command ask where there is a terminal: for all commands that open engines."""
    return click.option(
        "--allow-host", multiple=True, metavar="HOST", expose_value=False, callback=_decide,
        help="Let an endpoint on this host be reached by this command; may be repeated. "
        "`moot config hosts` allows for good.",
    )(command)  # fmt: skip


def _decide(context: click.Context, _: click.Parameter, named: tuple[str, ...]) -> None:
    from app.hosts import consent

    def ask(host: str, origin: str) -> bool:
        run = origin or context.params.get("run_name")
        words = t("hosts.ask.run", run=run, host=host) if run else t("hosts.ask", host=host)
        return click.confirm(
            clean(f"moot: {words} {t('hosts.key')} {t('hosts.agree')}", multiline=False), default=False, err=True
        )

    consent(named, ask if sys.stdin.isatty() and sys.stderr.isatty() else None)
