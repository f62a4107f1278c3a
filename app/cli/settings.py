"""Commands whose first argument is a benchmark take the options of this benchmark's own settings.

The options are made from the model that the benchmark owns (`tasks.settings`). Without a benchmark, as in `--help`,
those of all are offered, each with the names of the benchmarks that know it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_origin

import click
from annotated_types import Ge
from pydantic.fields import FieldInfo

from app.strings.sentences import said
from tasks.benchmark import benchmark, benchmarks, loadable
from tasks.errors import UsageError
from tasks.settings import shown, text_of, values


class InAnyCase(click.Choice[str]):
    """A choice that is shown as it is written and taken in any case."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The choice that was meant."""
        meant = next((choice for choice in self.choices if choice.casefold() == str(value).casefold()), value)
        return super().convert(meant, param, ctx)


class BenchmarkCommand(click.Command):
    """Knows which benchmark is meant before it reads the options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the line; an option that only another benchmark knows is named as such."""
        known = benchmarks()
        named = list(dict.fromkeys(word for word in args if word in known))
        if len(named) > 1:  # one of them is the value of an option: only who knows all options can tell
            named = [self.make_parser(ctx).parse_args(list(args))[0].get("benchmark") or ""]
        ctx.meta[__name__] = name = named[0] if named and named[0] in known else ""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if name and any(error.option_name in option.opts for option in _options(loadable())):
                raise UsageError(
                    f"{name} has no setting '{error.option_name.lstrip('-')}'", "Leave the option out."
                ) from error
            raise

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, the settings, and --help at the end."""
        *own, last = super().get_params(ctx)
        name = ctx.meta.get(__name__, "")
        return [*own, *_options([name] if name else loadable()), last]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every benchmark that can be loaded with its agents, those of other packages too."""
        with formatter.section("Benchmarks, and what --agent may be"):
            formatter.write_dl([(name, ", ".join(benchmark(name).agents)) for name in loadable()])


def _options(names: list[str]) -> Iterator[click.Option]:
    """An option for each setting of these benchmarks; one that several have takes what any of them takes."""
    found: dict[str, list[tuple[str, FieldInfo]]] = {}
    for name in names:
        for field, info in benchmark(name).settings.model_fields.items():
            if not shown(info, "hidden"):
                found.setdefault(field, []).append((name, info))
    for field, known in found.items():
        yield _option(field, [info for _, info in known], [name for name, _ in known] if len(names) > 1 else [])


def _option(field: str, infos: list[FieldInfo], names: list[str]) -> click.Option:
    first = infos[0]
    described: dict[str, list[str]] = {}
    for name, info in zip(names or [""], infos, strict=True):
        described.setdefault(info.description or "", []).append(name)
    help_text = " ".join(
        f"{', '.join(whose)}: {said(text)}" if names else said(text) for text, whose in described.items()
    )
    flag = f"--{field.replace('_', '-')}"
    kind, metavar = first.annotation, shown(first, "metavar") or None
    if kind is bool:
        return click.Option([field, f"{flag}/--no-{flag[2:]}"], default=None, help=help_text)
    if known := list(filter(None, dict.fromkeys(value for info in infos for value in values(info)))):
        return click.Option(
            [field, flag],
            type=InAnyCase(known),
            default=first.default or None,
            show_default=bool(first.default),
            help=help_text,
        )
    if kind in (int, float):
        least = next((bound.ge for bound in first.metadata if isinstance(bound, Ge)), None)
        number: Any = click.IntRange if kind is int else click.FloatRange
        return click.Option([field, flag], type=number(least), help=help_text)
    if get_origin(kind) is tuple:
        return click.Option([field, flag], metavar=metavar, callback=lambda _, __, text: _parts(text), help=help_text)
    if shown(first, "from_file"):
        return click.Option(
            [field, flag], metavar=metavar, callback=lambda _, __, path: path and text_of(path), help=help_text
        )
    return click.Option([field, flag], metavar=metavar, help=help_text)


def _parts(text: str | None) -> tuple[str, ...] | None:
    """The words between commas; None where nothing was given."""
    return None if text is None else tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
