"""What a run of LegalSearch can set beyond the common settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Literal

from pydantic import field_validator

from store.text.dates import parse_date
from tasks.errors import BadSetting
from tasks.run.spec import RunSpec
from tasks.settings import Settings, setting

Domain = Literal["in", "out"]
Form = Literal["article", "consultation", "letters", "charges", "months"]
TEXTS = frozenset({"article", "consultation"})
"""Forms of answers that are texts of their own."""


@dataclass(frozen=True, slots=True)
class TaskKind:
    """One task. `domain` "in": trained on in the paper; `form` is the form of its answers and names its scorers;
    short: Chinese and English, for tables."""

    id: str
    name: str
    short: tuple[str, str]
    domain: Domain
    form: Form


KINDS: dict[str, TaskKind] = {
    kind.id: kind
    for kind in (
        TaskKind("lar", "法条背诵", ("法条背诵", "Article recitation"), "in", "article"),
        TaskKind("lcs", "法律咨询", ("法律咨询", "Consultation"), "in", "consultation"),
        TaskKind("kqa", "法律知识问答", ("知识问答", "Knowledge questions"), "in", "letters"),
        TaskKind("lap", "法条预测", ("法条预测", "Article prediction"), "in", "letters"),
        TaskKind("ccp", "罪名预测", ("罪名预测", "Charge prediction"), "in", "charges"),
        TaskKind("ptp", "刑期预测", ("刑期预测", "Prison term prediction"), "in", "months"),
        TaskKind("lca", "案例分析", ("案例分析", "Case analysis"), "in", "letters"),
        TaskKind("cpa", "注册会计师考试", ("注册会计师考试", "Accountant exam"), "out", "letters"),
        TaskKind("pae", "专利代理师考试", ("专利代理师考试", "Patent agent exam"), "out", "letters"),
        TaskKind("nje", "国家司法考试", ("国家司法考试", "Judicial exam"), "out", "letters"),
        TaskKind("ungee", "法律硕士联考", ("法律硕士联考", "Graduate entrance exam"), "out", "letters"),
        TaskKind("lbk", "法律基础知识", ("法律基础知识", "Legal basics"), "out", "letters"),
        TaskKind("pfe", "公共基础知识", ("公共基础知识", "Professional basics"), "out", "letters"),
    )
}
"""Id -> task, in the order of the published tables; a task of another id is no task of this benchmark."""

IN_DOMAIN = tuple(kind.id for kind in KINDS.values() if kind.domain == "in")
OUT_OF_DOMAIN = tuple(kind.id for kind in KINDS.values() if kind.domain == "out")


OWN_PROMPT = "own"
"""How the header of a run names a system prompt that the run brings along."""
FOUNDED = date(1949, 10, 1)
"""Before this day no law of the People's Republic was in force: a run that is said to be earlier is mistyped."""
Window = Literal["on", "off", "newest"]


class LegalSearchSettings(Settings):
    """How the search agent samples, what it may look up, and where."""

    temperature: float = setting(0.0, "Sampling temperature of the tested seat.", for_models=True, ge=0)
    entropy: bool = setting(
        False, "Record the entropy of every token of the tested seat, where the engine has full logits.", hidden=True
    )
    window: Window = setting(
        "on", "Search versions in force on the days asked for, all versions, or the newest only."
    )
    tools: Literal["on", "off", "rag", "web"] = setting("on", "Which tools the agent has.")
    channels: tuple[str, ...] = setting((), "Channels of the statute search; default: all.", metavar="C,...")
    law_filter: bool = setting(True, "Whether a law that a query names narrows the search.")
    abstain: bool = setting(
        True, "Whether the rules abstain where the pack lacks the text of the version asked for; else a neighbour."
    )
    web: str = setting("", "The pack with the web snapshot; default: the run's own pack.", metavar="PACK")
    today: str = setting(
        "", "The day that is today for the run; default: with a model, the day on which it begins.", metavar="DATE"
    )
    prompt: str = setting(
        "",
        "A file with your own system prompt for the search agent.",
        metavar="FILE",
        for_models=True,
        from_file=True,
    )

    @field_validator("today")
    @classmethod
    def _a_day(cls, text: str) -> str:
        day = parse_date(text) if text else None
        if text and day is None:
            raise BadSetting(f"today: {text[:40]!r} is not a date", "Write a day that exists, like 2016-05-01.")
        if day and day < FOUNDED:
            raise BadSetting(
                f"today: {text[:40]!r} lies before {FOUNDED}, when no law here was in force", "Write a later day."
            )
        return day.isoformat() if day else ""

    @property
    def day(self) -> date | None:
        """The day that is today for the run."""
        return date.fromisoformat(self.today) if self.today else None

    def begun(self, day: date) -> dict[str, object]:
        """Today, where the run names no other day."""
        return {} if self.today else {"today": day.isoformat()}

    def prompts(self) -> dict[str, str]:
        """The system prompt that a run brings along."""
        return {OWN_PROMPT: sha256(self.prompt.encode()).hexdigest()} if self.prompt else {}


def settings_of(spec: RunSpec) -> LegalSearchSettings:
    """The settings of a run of LegalSearch."""
    return LegalSearchSettings.of(spec.settings, "legalsearch")
