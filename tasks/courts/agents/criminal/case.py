"""A criminal trial as its judge has heard it: the charge as the prosecution made it, the plea, what is in dispute.

Charge, facts and articles are those that were said in court; a trial has one accused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from store.tables import beside
from store.text.citation import citations
from store.text.normalise import fold_width
from tasks.courts.agents.citing import CRIMINAL_LAW, Cited
from tasks.courts.agents.criminal.asking import contested, kinds_of
from tasks.courts.agents.trial.exhibits import NO_OBJECTION, opinion_in
from tasks.courts.agents.trial.heard import Exchange, Exhibit, Heard
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.hearing import holds_property
from tasks.courts.procedure.replies import responsive
from tasks.legalsearch.charges import canonical, is_known

_REPLY = {"recusal": "recusal", "plea": "plea", "fast": "plea", "identity": "identity", "views": "view"}
"""Kind of question -> what counts as an answer to it; any words do for the others."""
_UNHAPPY = re.compile(r"量刑建议[^。；]{0,20}(?:有异议|不当|过重|偏重|有意见)|(?:有异议|不同意)[^。；]{0,8}量刑建议")
_NO_PROPERTY = re.compile(r"(?:没有|无)[^。；]{0,16}(?:涉案)?财物")
_SAID = re.compile(r"罪名(?:是|为|系)|应当?以|构成(?:了)?|涉嫌(?:犯)?|(?<!侵)犯(?!罪)|(?<=罪)(?:、|和|与|及|以及)")
_NAME = re.compile(r"[\u4e00-\u9fff、（）()]{2,60}")
_NO_NAME = re.compile(r"犯罪$|^.?罪$|.{21,}|[其该此本述何]|什么")
"""What ends in 罪 and names no charge."""
_NEGATED = re.compile(r"(?:不|未|没有)$")
_FORMER = re.compile(
    r"(?:曾|前|此前|先后)?因(?:涉嫌)?(?:犯)?[^，。；]{0,24}罪(?:于[^，。；]{2,14})?[^，。；]{0,30}(?:判处|刑满释放"
    r"|行政拘留|处罚)[^。；]{0,60}"
)
_FACTS = re.compile(
    r"(?:审查查明|查明|指控)[：:，,]?\s*(?P<facts>.+?)(?=认定(?:上述|以上)事实的证据|(?:上述"
    r"|以上)事实[，,]?(?:被告人|且?有|经)|本院认为|被告人[\u4e00-\u9fff·]{1,8}的行为(?:触犯|应当|已?构成)"
    r"|量刑建议[：:]|$)",
    re.DOTALL,
)
_QUALIFIED = re.compile(r"，?其行为(?:已经?)?(?:构成|触犯)[^。]{0,60}。")


def hearing() -> Mapping[str, Any]:
    """The table of the hearing and its judgment."""
    return beside(__package__, "hearing")


class Case(Heard):
    """The record of a criminal trial as its judge has heard it. party: the accused, as the court knows him."""

    offering, viewing = "evidence", "views"
    hears: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "procurator": ("defendant", "defence_lawyer"), "defence_lawyer": ("procurator",),
    }  # fmt: skip
    by_number = False

    def __init__(self, view: CourtView) -> None:
        super().__init__(view, view.record)
        parties: Sequence[Mapping[str, Any]] = view.held.get("parties", ())
        self.party: Mapping[str, Any] = next((party for party in parties if party.get("side") == "defendant"), {})
        self.name = str(self.party.get("name", ""))
        self.procedure = str(self.bench.get("procedure", "普通程序"))[:2]
        """普通, 简易 or 速裁; 普通 where the court knows of none."""

    def asks(self, one: Exchange, role: str) -> Sequence[str]:
        """The kinds of question that an exchange puts to a role."""
        return kinds_of(one.turn.text, role) if role in one.turn.to else ()

    def to_point(self, kind: str, role: str, text: str) -> bool:
        """Whether words answer a question of a kind."""
        return kind not in _REPLY or responsive(_REPLY[kind], text, (self.name,))

    @property
    def denies(self) -> bool:
        """Whether the accused contests the charge, in whole or in part."""
        return contested(self.answers("defendant", "plea", "fast") or self.answers("defendant", "statement"))

    @property
    def admits(self) -> bool:
        """Whether the accused has pleaded guilty without reserve."""
        pleaded = self.answered("defendant", "plea") or self.answered("defendant", "fast")
        return pleaded and not self.denies

    @property
    def property_told(self) -> bool:
        """Whether the prosecution has told of property or losses on which the others are to be heard
        (刑诉法解释第二百七十九条)."""
        told = self.answers("procurator", "property")
        return bool(told) and not (_NO_PROPERTY.search(told) and len(told) < 40)

    @property
    def property_due(self) -> bool:
        """Whether what the prosecution has charged, asked for, shown or told leaves property to be disposed of."""
        kinds = ("indictment", "opinion", *(("property",) if self.property_told else ()))
        titles = (exhibit.offer.title for exhibit in self.exhibits)
        return holds_property(" ".join((*(self.answers("procurator", kind) for kind in kinds), *titles)))

    @property
    def request_contested(self) -> bool:
        """Whether the defence has objected to the 量刑建议."""
        told = self.answers("defence_lawyer", "opinion") + self.answers("defendant", "self_defence", "fast")
        return bool(_UNHAPPY.search(NO_OBJECTION.sub("", told)))

    @property
    def findings(self) -> str:
        """What others reported to the court; '' where it is nothing."""
        told = str(self.bench.get("third_party_findings", "")).strip()
        return "" if told in ("无", "没有", "暂无") else told


def agreed(one: Exhibit) -> bool:
    """Whether the other side was heard on an exhibit and contests nothing."""
    return bool(one.views) and not any(opinion_in(view).against for view in one.views.values())


def charged(case: Case) -> tuple[str, ...]:
    """The charges with 罪 behind them, in the order in which they were said; () where none was heard."""
    accusing = case.answers("procurator", "charge", "indictment", "opinion")
    return _named(accusing) or _named(case.all_of("procurator")) or _named(case.all_of("clerk"))


def _named(text: str) -> tuple[str, ...]:
    """The charges that a text names; former convictions are none."""
    found: dict[str, str] = {}
    told = _FORMER.sub("", text)
    for match in _SAID.finditer(told):
        if not _NEGATED.search(told[: match.start()]) and (name := name_at(told, match.end())):
            found.setdefault(canonical(name), name)
    return tuple(found.values())


def name_at(text: str, start: int) -> str:
    """The known charge whose name, with 罪, begins at a place; '' for none. 掩饰、隐瞒犯罪所得罪 holds 罪 twice."""
    run = _NAME.match(text, start)
    ends = [place.end() for place in re.finditer("罪", run[0])] if run else []
    names = (run[0][:end] for end in ends) if run else ()
    known = (name for name in names if len(name) > 2 and is_known(name))
    return next(known, run[0][: ends[0]] if run and ends and not _NO_NAME.search(run[0][: ends[0]]) else "")


def cited_by_prosecution(case: Case) -> list[Cited]:
    """Articles of the Criminal Law that the prosecution has cited."""
    found = citations(fold_width("\n".join(turn.text for turn in case.record if turn.speaker == "procurator")))
    return list(
        dict.fromkeys(
            Cited(CRIMINAL_LAW, one.number.number, one.number.sub, one.paragraph or 0, one.item or 0)
            for one in found
            if one.law and one.law.endswith("刑法")
        )
    )


def charged_facts(case: Case) -> str:
    """What the prosecution says happened, without heading, law and request; '' where nothing was read."""
    read = case.answers("procurator", "indictment")
    match = _FACTS.search(read, max(0, read.rfind("审理查明")))
    return _QUALIFIED.sub("。", (match["facts"] if match else read).strip())
