"""`moot config`: what the user decided for this machine, that is which hosts beyond it endpoints may be on, and what
is kept here for later runs: the cache of replies.
"""

from __future__ import annotations

import click

from app import hosts as consent
from app.cli.common import Whole, json_option, say
from app.strings import t
from app.strings.sentences import told
from app.terminal import json_text
from store.cache import Cache, file_of
from tasks.errors import UsageError


@click.group(cls=Whole)
def config() -> None:
    """See and change what you decided for this machine, none of which comes from a run or a pack; see and empty the
    cache of replies.

    Example: moot config hosts
    """


@config.command()
@click.argument("action", type=click.Choice(["allow", "revoke"]), required=False)
@click.argument("host", required=False)
@click.option(
    "--key-env",
    default="",
    metavar="NAME",
    help="Environment variable with the key for this host; the key itself is never stored. "
    "MOOT_API_KEY alone goes to this machine only.",
)
@json_option("Print the allowed hosts as JSON.")
def hosts(action: str | None, host: str | None, key_env: str, as_json: bool) -> None:
    """List the hosts beyond this machine that endpoints may be on, with the variable that holds the key of each; or
    allow a HOST, by name or address, from now on; or take that back.

    Example: moot config hosts allow 192.168.0.7 --key-env BOX_KEY
    """
    if (action is None) != (host is None):
        raise UsageError("config hosts takes both, allow or revoke and a HOST, or neither", "See --help.")
    if action is not None and host is not None:
        name = consent.checked_host(host)
        if action == "allow":
            consent.refuse_near(name)
            consent.allow(name, key_env)
        else:
            consent.revoke(name)
    _list(as_json)


@config.command()
@click.option("--clear", is_flag=True, help="Forget all replies.")
@json_option("Print file, replies and bytes as JSON.")
def cache(clear: bool, as_json: bool) -> None:
    """Say where `moot run --cache` keeps replies, how many there are and what they take; or empty it.

    Example: moot config cache --clear
    """
    with Cache(file_of("replies")) as replies:
        if clear:
            replies.clear()
        count, size = replies.size()
        for trouble in replies.troubles:
            say(f"moot: {told(trouble)}", err=True)
        if as_json:
            click.echo(
                json_text({"file": str(replies.path), "replies": count, "bytes": size, "limit": replies.limit})
            )
        else:
            sizes = {"size": f"{size / 1e6:.1f}", "limit": f"{replies.limit / 1e6:.0f}"}
            say(t("config.cache", path=replies.path, n=f"{count:,}", **sizes))


def _list(as_json: bool) -> None:
    allowed = consent.allowed()
    if as_json:
        listed = [{"host": name, **decided.model_dump()} for name, decided in allowed.items()]
        return click.echo(json_text({"file": str(consent.file_of_hosts()), "hosts": listed}))
    if not allowed:
        say(t("hosts.none"), err=True)
    for name, decided in allowed.items():
        key = t("hosts.key_of", name=decided.key_env) if decided.key_env else t("hosts.keyless")
        say(f"{name}  {key}")
