"""`moot config`: what the user decided for this machine, that is which hosts beyond it endpoints may be on."""

from __future__ import annotations

import click

from app import hosts as consent
from app.cli.common import ParagraphHelpGroup, json_option, say
from app.strings import t
from app.terminal import json_text
from tasks.errors import UsageError


@click.group(cls=ParagraphHelpGroup)
def config() -> None:
    """See and change what you decided for this machine, none of which comes from a run or a pack.

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
