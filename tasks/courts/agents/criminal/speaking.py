"""Who speaks in a criminal trial for one side: answers each kind of question from a table of its own, in the words of
its role, from what it holds alone.

Several questions are answered in their order, what nothing is held about is 不清楚, nobody speaks before being asked.
Exhibits are offered one at a time with name, source, purpose and content, all that are left where that is asked
(刑诉法解释 第二百六十八条: contested exhibits alone, others in groups; 第三百六十五条: name and purpose are enough
for what nobody contests in a 简易程序).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from store.text.numerals import int_to_chinese
from tasks.courts.agents.criminal.asking import contested, joined, kinds_of, speech
from tasks.courts.agents.own_words import gist, meeting, parts_of, unsaid
from tasks.courts.agents.trial.agenda import filled
from tasks.courts.agents.trial.party import GROUNDS, Asked, Party
from tasks.courts.environment import Role
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.replies import ALL_MEANT

_SOLE = re.compile(r"报告独任审判员|由审判员[^，。；]{1,8}独任审[判理]")
_AGREED = re.compile(r"^对[^。；]{0,24}(?:没有|无)异议")
_GROUP = re.compile(r"分组|一并|全部|所有|其余|剩余|合并|一次性|概括|综合|打包|集中")
_TELLING = re.compile(r"陈述|证言|供述|鉴定意见|笔录|录像|录音")
"""Titles that say the kind of an exhibit themselves."""
_BRIEF = re.compile(r"仅就|只就|名称和|名称及|简要|摘要")
_PROCEDURE = re.compile(r"(简易|速裁|普通)程序")


class Speaks(Party):
    """One utterance of a role of a criminal trial."""

    offering, viewing, debates = "evidence", "views", ("prosecution", "defence", "mutual")

    def __init__(self, view: CourtView) -> None:
        super().__init__(view)
        self.matter: Mapping[str, Any] = view.held.get("criminal", {})
        self.plea: Mapping[str, Any] = self.matter.get("plea", {})
        parties: Sequence[Mapping[str, Any]] = view.held.get("parties", ())
        self.accused: Mapping[str, Any] = next((one for one in parties if one.get("side") == "defendant"), {})
        self.name = str(self.accused.get("name", ""))
        self.wanted: Sequence[Asked] = ()

    def asks(self, text: str, role: str) -> Sequence[Asked]:
        """What words of the court ask of a role."""
        return [Asked(kind, text) for kind in kinds_of(text, role)]

    def say(self, key: str, **values: object) -> str:
        """A phrase of this role; fields it does not hold are left out."""
        return filled(str(speech()["say"][self.view.role].get(key, "")), values)

    def text(self) -> str:
        """What is said; who is examined by a party is asked open questions."""
        self.words = self.asked.text if self.asked else ""
        examined = self.asked is not None and self.asked.speaker != "judge"
        self.wanted = [Asked("question", self.words)] if examined else self.asks(self.words, self.view.role)
        return joined([self.answer(one) for one in self.wanted]) or self.otherwise()

    def otherwise(self) -> str:
        """What is said where nothing known is asked."""
        return self.say("unknown")

    def heard(self, role: str) -> str:
        """All that a role has said."""
        return " ".join(turn.text for turn in self.view.record if turn.speaker == role)

    @property
    def bench(self) -> str:
        """How the court is addressed: 审判员 alone where the record says that one judge sits alone,
        人民陪审员 where it names one."""
        told = [turn.text for turn in self.view.record if turn.speaker in ("clerk", "judge")]
        if any(map(_SOLE.search, told)):
            return "尊敬的审判员"
        return "审判长、审判员" + ("、人民陪审员" if any("人民陪审员" in text for text in told) else "")

    @property
    def questions(self) -> Mapping[str, str]:
        """What this role asks the accused, by topic."""
        found: Mapping[str, str] = speech()["say"][self.view.role]["questions"]
        return found

    @property
    def denies(self) -> bool:
        """Whether the accused contests the charge in whole or in part."""
        return self.plea.get("stance") in ("partial", "not_guilty")

    @property
    def examined(self) -> bool:
        """Whether this role has put its questions to the accused."""
        return any("defendant" in turn.to for turn in self.view.own)

    @property
    def may_examine(self) -> bool:
        """Whether it may put questions to the accused itself."""
        return self.view.profile != "j1" and "defendant" in self.view.there

    def procedure(self, known: str = "consent", unknown: str = "consent_no") -> str:
        """The answer to whether a kind of procedure is consented to."""
        found = _PROCEDURE.search(self.words)
        return self.say(known, procedure=found[0]) if found else self.say(unknown)

    # --- exhibits ---------------------------------------------------------------------------------------------------

    def offer(self) -> str:
        """The next exhibit, or all that are left where the judge lets them be offered together."""
        left = self.left_to_show()
        if not left:
            return self.say("no_more" if self.own_exhibits else "none")
        brief = bool(_BRIEF.search(self.words))
        if not brief and not _GROUP.search(self.words):
            first = "show" if left[0][0] == 1 else "show_more"
            said = (self.say(first) or self.say("show")) + self._exhibit(*left[0], brief=False)
            return said if len(left) > 1 else said + self.say("done")
        listed = "\n".join(self._exhibit(number, item, brief) for number, item in left)
        return f"{self.say('show_all')}\n{listed}\n{self.say('done')}"

    def _exhibit(self, number: int, item: Mapping[str, Any], brief: bool) -> str:
        kind = f"属于{item['kind']}，" if item.get("kind") and not _TELLING.search(item["title"]) else ""
        purpose = str(item.get("purpose", "")).removeprefix("证明").rstrip("。")
        source, title = item.get("source", ""), item["title"].replace("，", "、")  # a title ends at its first comma
        said = self.say(
            "exhibit" if source else "exhibit_short", n=names([number]), title=title, kind=kind, source=source,
            purpose=purpose or "起诉书指控的事实",
        )  # fmt: skip
        witness = item.get("witness", {})
        if witness.get("name") and witness.get("relation") and not brief:
            said += self.say("witness", name=witness["name"], relation=witness["relation"])
        if item.get("excerpt") not in (None, "", item["title"]) and not brief:
            said += self.say("excerpt", excerpt=ended(item["excerpt"]))
        return said

    def views(self, owner: Role) -> str:
        """What this role has to say on exhibits of another, with the point that each objection concerns."""
        offers = self.asked_about(owner)
        held = [(offer, against) for offer in offers if (against := self.held_against(offer))]
        if not held:
            several = len(offers) > 1 or ALL_MEANT.search(self.words)
            one = f"证据{names([offers[0].number])}" if offers else "这份证据"
            return self.say("views_none", which="公诉人出示的全部证据" if several else one)
        told = [self.say("views", n=names([offer.number]), text=self._grounds(against)) for offer, against in held]
        return joined([*told, self.say("rest") if len(held) < len(offers) else ""])

    def _grounds(self, against: Mapping[str, str]) -> str:
        said = []
        for ground in GROUNDS:
            if text := against.get(ground, "").rstrip("。"):
                plain = ground == "text" or ground == "weight" and _AGREED.match(text)
                said.append(self.say("objection_plain" if plain else f"objection_{ground}", text=text) or text)
        return "；".join(said)

    # --- debate -----------------------------------------------------------------------------------------------------

    def answered(self, other: Role, own: Sequence[str]) -> str:
        """What this side has against points that the other has made in debate; only where the charge is contested."""
        said = {role: "".join(texts) for role, texts in self.debated().items()}
        mine = said.get(self.view.role, "")
        points = [one for one in parts_of([said.get(other, "")]) if gist(one) not in mine and "“" not in one]
        if not contested(self.heard("defendant")):
            return self.say("mutual")
        told = [f"针对“{gist(point)}”的意见，{text}。" for point, text in meeting(points, unsaid(own, mine))]
        return self.say("answered", points="".join(told)) if told else self.say("mutual")


def names(numbers: Iterable[int]) -> str:
    """证据一, 证据二: the numbers alone, 一、证据二."""
    return "、证据".join(int_to_chinese(number) for number in numbers)


def ended(text: str) -> str:
    """A text with a full stop, where it has none of its own before a quotation mark."""
    return text if text[-1:] in "。！？" or text[-2:] in ("。”", "！”", "？”") else f"{text}。"
