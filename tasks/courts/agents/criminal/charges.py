"""Of what the accused is charged, on which facts and by which articles, as the prosecution has said in court."""

from __future__ import annotations

import re

from store.text.citation import citations
from store.text.normalise import fold_width
from tasks.courts.agents.citing import CRIMINAL_LAW, Cited
from tasks.courts.agents.criminal.heard import Heard
from tasks.legalsearch.charges import canonical
from tasks.legalsearch.rules.facts import by_canonical

_SAID = re.compile(r"罪名(?:是|为|系)|应当?以|构成(?:了)?|涉嫌(?:犯)?|(?<!侵)犯(?!罪)|(?<=罪)(?:、|和|与|及|以及)")
_NAME = re.compile(r"[\u4e00-\u9fff、（）()]{2,60}")
_NO_NAME = re.compile(r"犯罪$|^.{0,2}罪$|.{21,}|[其该此本述]")
"""What ends in 罪 and names no charge."""
_NEGATED = re.compile(r"(?:不|未|没有)$")
_FORMER = re.compile(
    r"(?:曾|前|此前|先后)?因(?:涉嫌)?(?:犯)?[^，。；]{0,24}罪(?:于[^，。；]{2,14})?[^，。；]{0,30}(?:判处|刑满释放|行政拘留|处罚)[^。；]{0,60}"
)


_FACTS = re.compile(
    r"(?:审查查明|查明|指控)[：:，,]?\s*(?P<facts>.+?)(?=认定(?:上述|以上)事实的证据|(?:上述|以上)事实[，,]?(?:被告人|且?有|经)|本院认为|被告人[\u4e00-\u9fff·]{1,8}的行为(?:触犯|应当|已?构成)|量刑建议[：:]|$)",
    re.DOTALL,
)
_QUALIFIED = re.compile(r"，?其行为(?:已经?)?(?:构成|触犯)[^。]{0,60}。")


def charged(heard: Heard) -> tuple[str, ...]:
    """The charges with 罪 behind them, in the order in which they were said; () where none was heard."""
    accusing = heard.answers("procurator", "charge", "indictment", "opinion")
    return _named(accusing) or _named(heard.all_of("procurator")) or _named(heard.all_of("clerk"))


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
    known = (name for name in names if len(name) > 2 and canonical(name) in by_canonical())
    return next(known, run[0][: ends[0]] if run and ends and not _NO_NAME.search(run[0][: ends[0]]) else "")


def cited_by_prosecution(heard: Heard) -> list[Cited]:
    """Articles of the Criminal Law that the prosecution has cited."""
    found = citations(fold_width("\n".join(turn.text for turn in heard.record if turn.speaker == "procurator")))
    return list(
        dict.fromkeys(
            Cited(CRIMINAL_LAW, one.number.number, one.number.sub, one.paragraph or 0, one.item or 0)
            for one in found
            if one.law and one.law.endswith("刑法")
        )
    )


def charged_facts(heard: Heard) -> str:
    """What the prosecution says happened, without heading, law and request; '' where nothing was read."""
    read = heard.answers("procurator", "indictment")
    match = _FACTS.search(read, max(0, read.rfind("审理查明")))
    return _QUALIFIED.sub("。", (match["facts"] if match else read).strip())
