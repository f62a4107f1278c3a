"""What a person in a seat is told before speaking: what was asked, whom one may address, what is still to be done."""

from __future__ import annotations

from collections.abc import Iterator

from app.desk.court.programme import owed_now, programme
from app.desk.court.scene import Scene
from app.desk.episode.renderers import Line, one
from app.strings import t
from app.terminal import truncate
from tasks.courts.agents.human import names_at
from tasks.courts.casefile.roles import role_of
from tasks.courts.environment import Cue, TopicCue, environment
from tasks.courts.play.record import shown
from tasks.courts.scores.drafted import END_MARK

ASKED = 140
"""Cells shown of what was asked; the transcript has the whole."""
DUTIES = 5
"""Duties that are named."""


def brief_lines(scene: Scene, seat: str) -> list[Line]:
    """The brief of a seat, a line a thing."""
    role = role_of(scene.env, seat)
    return [*_asked(scene, role), *(_presiding(scene) if scene.court and role == "judge" else _others(scene, role))]


def _asked(scene: Scene, role: str) -> Iterator[Line]:
    turn = next((turn for turn in reversed(scene.turns) if turn.speaker != role), None)
    if turn is None:
        yield ((t("court.brief.first"), "dim"),)
    else:
        yield ((scene.name(turn.speaker), "seat"), ("：", "dim"), (truncate(one(shown(turn.text)), ASKED), "text"))


def _presiding(scene: Scene) -> Iterator[Line]:
    first: dict[tuple[str, ...], str] = {}
    for name, roles in names_at(scene.env).items():
        first.setdefault(roles, name)
    names = "　".join(f"@{name}" for roles, name in first.items() if "judge" not in roles)
    yield ((t("court.brief.address"), "dim"), (names, "label"))
    owed = owed_now(programme(scene))
    if owed:
        more = t("court.brief.more", n=len(owed) - DUTIES) if len(owed) > DUTIES else ""
        yield ((t("court.brief.owed"), "dim"), ("；".join(owed[:DUTIES]) + more, "text"))
    elif scene.duties:
        yield ((t("court.brief.stage_done"), "dim"),)


def _others(scene: Scene, role: str) -> Iterator[Line]:
    cue = scene.cue
    if isinstance(cue, Cue) and cue.role == role and cue.topic is not None:
        yield _topic(cue.topic, str(scene.seen.get("theme", "")))
    if environment(scene.env).kind == "draft" and role == scene.tested:
        yield ((t("court.brief.draft", mark=END_MARK), "dim"),)


def _topic(topic: TopicCue, theme: str) -> Line:
    return ((t(f"court.brief.{topic.kind}"), "dim"), (one(topic.question or theme), "text"))
