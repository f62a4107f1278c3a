"""The exhibits of a trial: whose they are, what state they are in, and why. An exhibit that was not shown has no name
for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from app.desk.court.scene import Scene
from app.desk.episode.renderers import Line, one
from app.strings import t

STATES: Mapping[str, tuple[str, str]] = {
    "未出示": ("☐", "dim"), "已出示": ("▶", "label"), "已质证": ("◐", "seat"), "采信": ("✔", "good"),
    "部分采信": ("◑", "good"), "不采信": ("✘", "bad"),
}  # fmt: skip
"""State -> sign and role."""


def exhibit_name(scene: Scene, exhibit: str) -> str:
    """原告证据一 借条; without its title where the person who looks must not know it yet."""
    number = scene.numbers.get(exhibit, exhibit)
    moved = scene.exhibits.get(exhibit)
    title = moved.title if moved is not None and moved.title else scene.titles.get(exhibit, "")
    return f"{number} {title}".strip() if title and scene.knows(exhibit) else number


def exhibit_lines(scene: Scene) -> list[Line]:
    """How many there are in each state, then every exhibit, one below the other."""
    listed = list(scene.numbers) or list(scene.exhibits)
    if not listed:
        return [((t("court.exhibits.none"), "dim"),)]
    count = Counter(_state(scene, exhibit) for exhibit in listed)
    head = " · ".join(f"{state} {count[state]}" for state in STATES if count[state])
    return [((head, "dim"),), *(line for exhibit in listed for line in _lines(scene, exhibit))]


def _state(scene: Scene, exhibit: str) -> str:
    moved = scene.exhibits.get(exhibit)
    return moved.state if moved is not None else "未出示"


def _lines(scene: Scene, exhibit: str) -> Iterator[Line]:
    state = _state(scene, exhibit)
    sign, tone = STATES.get(state, ("·", "text"))
    shown = exhibit in scene.exhibits
    number, _, title = exhibit_name(scene, exhibit).partition(" ")
    yield ((f"{sign} ", tone), (one(number), "text" if shown else "dim"), (f"  {state}", tone))
    if title:
        yield (("  ", "text"), (one(title), "text" if shown else "dim"))
    if shown and (reason := scene.exhibits[exhibit].reason):
        yield (("  ", "text"), (one(reason), tone))
    if shown and (purpose := _purpose(scene, exhibit)):
        yield (("  ", "text"), (one(f"{t('court.file.purpose')}：{purpose}"), "dim"))


def _purpose(scene: Scene, exhibit: str) -> str:
    """What an exhibit is to prove; for a person, only of what the seat holds."""
    if scene.holders:
        return next(
            (str(item.get("purpose", "")) for item in scene.seen.get("evidence", ()) if item["id"] == exhibit), ""
        )
    return next((item.purpose for item in getattr(scene.case, "evidence", ()) if item.id == exhibit), "")
