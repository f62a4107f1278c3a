"""The 量刑建议 as it was said in court, read as a judgment is: of what spans the prosecution names, the middle. Months and
yuan."""

from __future__ import annotations

import re

from tasks.courts.agents.criminal.heard import Heard
from tasks.courts.casefile.prosecution import TIMED, Sentence
from tasks.courts.scores.sentence import read_sentence
from tasks.legalsearch.charges import canonical

_N = r"[0-9零〇一二三四五六七八九十两]{1,4}"
_TERM = rf"({_N}年(?:零|又)?(?:{_N}个?月)?|{_N}个?月)"
_SUM = r"([0-9,.万]{1,16}|[零一二三四五六七八九十百千万两]{1,16})元?"
_TERMS = re.compile(rf"{_TERM}(?:至|到|-|—|以上)(?:有期徒刑|拘役|管制)?{_TERM}")
_SUMS = re.compile(rf"{_SUM}(?:至|到|-|—)(?:人民币)?{_SUM}")
_NO_SUSPENSION = re.compile(r"不(?:适用|宜适用|予适用|宣告)缓刑|实刑")
LEAST_FINE = 1000.0
"""Of 最高人民法院关于适用财产刑若干问题的规定第二条: what is asked for where a fine has no sum."""
_COUNT = re.compile(r"以(?P<name>[\u4e00-\u9fff、]{2,30}?罪)(?P<rest>判处[^；。]*)")
_REQUEST = re.compile(r"(?:量刑建议[^。\n]{0,4}[:：]|建议[^。；\n]{0,16}(?:判处|处以|适用))[^。\n]*")


def request_of(heard: Heard) -> Sentence | None:
    """The request over all charges; None where none was heard. The last one counts: a prosecutor may amend it."""
    return next((made for text in reversed(_texts(heard)) if (made := _read(text))), None)


def count_request(heard: Heard, charge: str) -> Sentence | None:
    """What is asked for one charge of several."""
    for text in reversed(_texts(heard)):
        for match in _COUNT.finditer(text):
            if canonical(match["name"]) == canonical(charge):
                return _read(match["rest"])
    return None


def _texts(heard: Heard) -> list[str]:
    return [match[0] for match in _REQUEST.finditer(heard.all_of("procurator"))]


def _read(text: str) -> Sentence | None:
    ends = (_SUMS.sub(rf"\{end}元", _TERMS.sub(rf"\{end}", text)) for end in (1, 2))
    least, most = (read_sentence([one]) for one in ends)
    if least is None or most is None or least.kind not in (*TIMED, "单处罚金"):
        return None
    months = round((least.months + most.months) / 2)
    suspended = "缓刑" in text and not _NO_SUSPENSION.search(text)
    return Sentence(
        kind=least.kind,
        months=months,
        probation_months=(least.probation_months or months) if suspended else 0,
        fine=(least.fine + most.fine) / 2 or (LEAST_FINE if "罚金" in text else 0),
    )
