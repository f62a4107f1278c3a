"""Tokens coloured by their entropy: as a list with kind, entropy and shaped advantages, or as the text they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from app.desk.bindings import bindings
from app.desk.episode.calls import shown_token
from app.desk.episode.renderers import Line, Piece, one
from app.desk.widgets.lines import LineView, Row, wrapped
from app.strings import t
from app.terminal import clean, pad, truncate
from tasks.legalsearch.format import READINGS

if TYPE_CHECKING:
    from app.desk.episode.entropies import Tokens
    from tasks.legalsearch.rollouts import TokenRow

HEAT: Sequence[tuple[float, str]] = ((0.05, "dim"), (0.5, "text"), (1.0, "good"), (2.0, "warn"))
"""Entropy in nats below which a token has this role; above the last one it is `HOTTEST`."""
HOTTEST = "bad"
UNKNOWN = "rule"
BAR = 8
"""Cells of the bar of an entropy; four nats fill it."""
FULL = 4.0
KINDS = {"plan": "label", "agent": "text", "tool": "seat"}


def heat(entropy: float | None) -> str:
    """The role of an entropy."""
    if entropy is None:
        return UNKNOWN
    return next((role for below, role in HEAT if entropy < below), HOTTEST)


class TokenView(LineView):
    """Shows the tokens of a rollout."""

    help_id = "tokens"
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tokens: Tokens | None = None
        self.listed = True

    def show(self, tokens: Tokens | None, listed: bool) -> None:
        """Show these tokens, as a list or as text."""
        self.tokens, self.listed = tokens, listed
        self.rebuild()
        self.scroll_home(animate=False, immediate=True)

    def build(self, width: int) -> Iterable[Row]:
        """A token a row, or the text."""
        if self.tokens is None:
            yield Row(((t("tokens.reading"), "dim"),))
            return
        yield from self._list(self.tokens, width) if self.listed else self._text(self.tokens, width)

    def _list(self, tokens: Tokens, width: int) -> Iterator[Row]:
        room = max(8, width - 6 - 8 - 8 - 1 - BAR - 2 * 10)
        heads = [
            pad(t("tokens.column.token"), room),
            pad(t("tokens.column.kind"), 8),
            pad(t("tokens.column.entropy"), 8 + 1 + BAR),
        ]
        heads += [pad(t(f"tokens.column.{reading}"), 10, "right") for reading in READINGS]
        yield Row(((pad("", 6), "dim"), ("".join(heads), "label")))
        both = zip(tokens.rows["paper"], tokens.rows["code"], strict=True)
        for number, (row, other) in enumerate(both, 1):
            role = heat(row.entropy)
            share = 0 if row.entropy is None else min(BAR, round(row.entropy / FULL * BAR))
            figure = "—" if row.entropy is None else f"{'' if row.exact else '≥'}{row.entropy:.3f}"
            yield Row(
                (
                    (f"{pad(str(number), 5, 'right')} ", "rule"),
                    (pad(truncate(shown_token(row.text), room - 1), room), role if row.kind != "tool" else "seat"),
                    (pad(t(f"tokens.kind.{row.kind}"), 8), KINDS[row.kind]),
                    (pad(figure, 7, "right") + " ", role),
                    ("▮" * share + "▯" * (BAR - share) + " ", role if row.entropy is not None else UNKNOWN),
                    *(
                        _shaped(value, tokens.advantages.get(reading))
                        for reading, value in zip(READINGS, (row.shaped, other.shaped), strict=True)
                    ),
                )
            )

    def _text(self, tokens: Tokens, width: int) -> Iterator[Row]:
        for line in _lines(tokens.rows["paper"]):
            yield from (Row(tuple(row)) for row in wrapped(line, width))


def _shaped(value: float | None, advantage: float | None) -> Piece:
    """A′, stronger where the entropy raised it."""
    if value is None:
        return pad("—", 10, "right"), UNKNOWN
    raised = advantage is not None and abs(value - advantage) > 1e-9 and value != 0.0
    return pad(f"{value:+.3f}", 10, "right"), "mark" if raised else "dim"


def _lines(rows: Sequence[TokenRow]) -> Iterator[Line]:
    line: list[Piece] = []
    for row in rows:
        role = "seat" if row.kind == "tool" else heat(row.entropy)
        for number, part in enumerate(clean(row.text).split("\n")):
            if number:
                yield tuple(line) or ((" ", "text"),)
                line = []
            if part:
                line.append((part, role))
    yield tuple(line)


def head_lines(tokens: Tokens) -> list[Line]:
    """What is known of the rollout as a whole, and what the colours mean."""
    rows = tokens.rows["paper"]
    known = [row.entropy for row in rows if row.entropy is not None]
    first: list[Piece] = [(t("tokens.count", n=f"{len(rows):,}", known=f"{len(known):,}"), "text")]
    first.append(
        (
            f" · {t(f'tokens.label.{tokens.entropy.replace(chr(32), chr(95))}')}",
            "good" if tokens.entropy == "exact" else "warn",
        )
    )
    if known:
        first.append((f" · {t('tokens.mean', n=f'{sum(known) / len(known):.3f}')}", "dim"))
    if tokens.of > 1:
        first.append((f" · {t('tokens.rollout', n=tokens.number, of=tokens.of)}", "dim"))
    lines: list[Line] = [tuple(first)]
    for reading in READINGS if tokens.of > 1 else ():
        reward, advantage = tokens.rewards.get(reading), tokens.advantages.get(reading)
        pieces: list[Piece] = [(f"{t(f'tokens.reading.{reading}')}　", "label")]
        pieces.append((t("tokens.reward", n="—" if reward is None else f"{reward:g}"), "text"))
        pieces.append((f" · {t('tokens.advantage', n='—' if advantage is None else f'{advantage:+.4f}')}", "text"))
        if faults := tokens.faults.get(reading):
            pieces.append((f" · {'、'.join(map(one, faults))}", "warn"))
        lines.append(tuple(pieces))
    why = one(tokens.why) if tokens.why else t("tokens.alone") if tokens.of < 2 else ""
    if why:
        lines.append(((why, "warn"),))
    legend: list[Piece] = [(f"{t('tokens.legend')}　", "dim")]
    legend += [(f"<{below:g}　", role) for below, role in HEAT]
    lines.append(
        (
            *legend,
            (f"≥{HEAT[-1][0]:g}　", HOTTEST),
            (t("tokens.unknown"), UNKNOWN),
            (f"　{t('tokens.kind.tool')}", "seat"),
        )
    )
    return lines
