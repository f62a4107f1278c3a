"""Writes docs/prompts.md and docs/prompts.en.md: what a model in each seat of a court reads, whole, made by the
program when the documentation is built.

    python packaging/prompts.py

One case of the sample an environment (虚构数据), at the first turn of the seat, in the profile `law`; in `j1` where
that reads otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from models.engine import Ask  # noqa: E402
from tasks.courts.agents import registry  # noqa: E402
from tasks.courts.agents.model.seat import ModelSeat  # noqa: E402
from tasks.courts.casefile.case import Case  # noqa: E402
from tasks.courts.casefile.roles import own_names, role_name, seat_of  # noqa: E402
from tasks.courts.environment import Role, environment  # noqa: E402
from tasks.courts.play import tracking  # noqa: E402
from tasks.courts.play.episode import CourtEpisode  # noqa: E402
from tasks.courts.play.view import CourtPolicy, CourtView  # noqa: E402
from tasks.courts.procedure.model import ProfileName  # noqa: E402
from tasks.episode.driver import Driver, Limits  # noqa: E402
from tasks.episode.events import AttemptStarted, Seated  # noqa: E402
from tasks.episode.seats import Move  # noqa: E402
from tasks.sample.build import court_cases  # noqa: E402

WORDS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "title": "# 各席位的提示词", "twin": "[English](prompts.en.md)",
        "intro": "模型坐在某一席位时读到的全部文字，每个环境一个样例案件（虚构数据，仅供评测演示），"
        "取该席位第一次发言之前。",
        "parts": "`system` 是卡片，整个案件中不变；`user` 是听到的话和【提示】，此后逐轮接在后面。"
        "席位不知道的内容不会出现：见[法庭](courts.md)。",
        "law": "按法定程序（`law`）", "j1": "按原基准（`j1`）", "aid": "加 `--aid duties` 时，末行是：",
        "form": "按原基准（`j1`），卡片只有回复形式不同：", "heard": "按原基准，此前听到的：",
    },
    "en": {
        "title": "# Prompts of every seat", "twin": "[中文](prompts.md)",
        "intro": "All that a model in a seat reads: one sample case an environment (虚构数据, fictional, for "
        "demonstration only), before "
        "the seat speaks for the first time. Prompts are in Chinese, as models read them.",
        "parts": "`system` is the card, the same throughout a case; `user` is what was heard and the cue; later "
        "turns follow below. What a "
        "seat does not know never stands there: see [courts](courts.en.md).",
        "law": "Duties of the statutes (`law`)", "j1": "As published (`j1`)",
        "aid": "With `--aid duties` the last line is:",
        "form": "As published (`j1`) only the form of the reply differs on the card:",
        "heard": "As published, heard before:",
    },
}  # fmt: skip
MADE = (
    "本页由 `packaging/prompts.py` 从程序生成，请勿手改。This page is made from the program; do not edit it by hand."
)
QUIET = ("clerk", "tracker")
SHOWN = ("KQ-0001", "LC-0001", "CD-0001", "DD-0001", "CI-0001", "CR-0002")
"""The cases of the page, one an environment."""
FORM = "回复形式："


First = dict[Role, Ask]


class PromptCapture:
    """Rules in a seat; what a model would have read there at its first turn is kept."""

    def __init__(self, rules: CourtPolicy, role: Role, first: First) -> None:
        self._rules, self._role, self._first = rules, role, first

    def move(self, view: CourtView) -> Move:
        """What the rules do, after a look at what a model would have read."""
        if self._role not in self._first and self._role not in QUIET:
            asked = next(iter(ModelSeat(registry.MODEL).move(view)))
            assert isinstance(asked, Ask)
            self._first[self._role] = asked
        return self._rules.move(view)


@cache
def cases() -> dict[str, Case]:
    """The cases of the sample, by id."""
    return {case.id: case for case in court_cases()}


@cache
def first_prompts(name: str, profile: ProfileName, *, aided: bool = False) -> First:
    """What each role would read first, in a case that rules play to its end."""
    case, first = cases()[name], First()
    rules = registry.policies(None, ModelSeat)

    def seated(name: str, of: Case, role: Role) -> CourtPolicy:
        return PromptCapture(rules(name, of, role), role, first)

    program = CourtEpisode({case.id: case}, seated, profile, aided=aided)
    driver = Driver(case.id, 1, program, lambda: 0.0, lambda: 0.0, Limits(turns=500))
    card = {"id": case.id, "env": case.env, "question": "", "names": own_names(case)}
    driver.note(AttemptStarted(benchmark="courts", task_id=case.id, attempt=1, seed=7, card=card), step=0)
    for role in environment(case.env).seats:
        policy = tracking.RULES if role == "tracker" else registry.RULES
        driver.note(Seated(seat=seat_of(case.env, role), policy=policy), step=0)
    while not driver.stopped:
        driver.advance()
    return first


def page(language: str) -> str:
    """The page in a language."""
    words = WORDS[language]
    lines = [words["title"], "", words["twin"], "", MADE, "", words["intro"], "", words["parts"], ""]
    for case in map(cases().__getitem__, SHOWN):
        here = environment(case.env)
        name = here.names[0] if language == "zh" else here.names[1]
        lines += [f"## {case.env} {name} · {case.id} {case.cause}（虚构数据）", ""]
        law, j1 = first_prompts(case.id, "law"), first_prompts(case.id, "j1")
        aided = first_prompts(case.id, "law", aided=True) if here.trial else {}
        for role in (role for role in here.seats if role in law):
            lines += [f"### {case.env} {role_name(role, case.env, case)} `{law[role].prompt}`", "", *shown(law[role])]
            lines += published(law[role], j1[role], words)
            if role == here.tested and role in aided:
                lines += [words["aid"], "", *block(aided[role].messages[-1].content.splitlines()[-1])]
    return "\n".join(lines)


def published(law: Ask, j1: Ask, words: Mapping[str, str]) -> list[str]:
    """The prompt under `j1`, as far as it differs."""
    if law.messages == j1.messages:
        return []
    (before, _, _), (same, _, form) = (ask.messages[0].content.partition(FORM) for ask in (law, j1))
    if before != same:
        return [words["j1"], "", *shown(j1)]
    heard = [] if law.messages[-1] == j1.messages[-1] else [words["heard"], "", *block(j1.messages[-1].content)]
    return [words["form"], "", *block(form.strip()), *heard]


def shown(ask: Ask) -> list[str]:
    """The messages of a prompt, one below the other."""
    return [line for message in ask.messages for line in (f"`{message.role}`", "", *block(message.content))]


def block(text: str) -> list[str]:
    """A text as it is."""
    return ["```text", text, "```", ""]


PAGES = {"prompts.md": "zh", "prompts.en.md": "en"}


def main() -> None:
    """Write both pages."""
    for name, language in PAGES.items():
        (ROOT / "docs" / name).write_text(page(language).rstrip("\n") + "\n", encoding="utf-8", newline="\n")
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
