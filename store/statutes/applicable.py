"""Which version of a law a case calls for: 行为时, 程序进行时 and 裁判时 decide, and a rule says why.

The marks are conservative. `applicable`: a rule names this version. `possible`: a rule may lead to it, on facts that
dates do not show (lighter punishment, a more favourable rule, a fact that goes on). `not`: no rule leads to it.
Nothing here weighs a case; the rule is named so that a lawyer can.

Substantive law follows the act. Criminal law: 从旧兼从轻 (刑法第十二条); conduct that goes on follows its end. Civil
facts across 2021-01-01: 最高人民法院关于适用《中华人民共和国民法典》时间效力的若干规定. Administrative penalties:
行政处罚法第三十七条, from 2021-07-15. Procedure follows the day on which it takes place. All days are inclusive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal, NamedTuple

from store.statutes.model import ArticleNumber, LawVersion
from store.statutes.names import SUCCESSIONS, short_name
from store.tables import TomlTable, WordSet, beside

Kind = Literal["criminal", "criminal_interpretation", "civil", "penalty", "procedure", "substantive"]
Verdict = Literal["applicable", "possible", "not"]

CODE = "中华人民共和国民法典"
CODE_FROM = date(2021, 1, 1)
PENALTY_RULE_FROM = date(2021, 7, 15)
_SCOPE = "《最高人民法院关于适用〈中华人民共和国民法典〉时间效力的若干规定》"


@dataclass(frozen=True, slots=True)
class ApplicableRule:
    """Why: the provision, and what follows from it here."""

    key: str
    basis: str
    says: str


@dataclass(frozen=True, slots=True)
class CaseDates:
    """The days of a case; None: not known.

    acted, acted_until: first and last day of the conduct or legal fact (`acted_until` None: one day); proceeding: the
    day of the procedural step; judged: the day of judgment; retrial: a case tried again under 审判监督程序.
    """

    acted: date | None = None
    acted_until: date | None = None
    proceeding: date | None = None
    judged: date | None = None
    retrial: bool = False

    @property
    def ended(self) -> date | None:
        """The last day of the conduct or fact."""
        return self.acted_until if self.acted_until and self.acted and self.acted_until > self.acted else self.acted


@dataclass(frozen=True, slots=True)
class VersionVerdict:
    """The verdict on a version for a case, and the rule behind it."""

    verdict: Verdict
    rule: ApplicableRule


class _RuleTexts(TomlTable):
    basis: str = ""
    says: str


class _Exception(NamedTuple):
    """First and last article of the Civil Code, the provision of the rules of 2020 about it, and its case."""

    first: int
    last: int
    provision: str
    case: str


class _ApplicableTable(TomlTable):
    """kinds: kind of law -> titles; rules by their keys; exceptions of the Civil Code, the first that fits counts."""

    exceptions: tuple[_Exception, ...]
    kinds: dict[Kind, WordSet]
    rules: dict[str, _RuleTexts]


def _table() -> _ApplicableTable:
    return beside(__package__, "applicable", _ApplicableTable)


@cache
def rules() -> Mapping[str, ApplicableRule]:
    """Key -> rule."""
    return {key: ApplicableRule(key, said.basis, said.says) for key, said in _table().rules.items()}


_ENDINGS: dict[str, Kind] = {"刑法典": "criminal", "刑法": "criminal", "行政处罚法": "penalty"}
"""Endings of titles that say as much wherever the law is from."""

_PROCEDURE = re.compile(
    r"诉讼|仲裁(?:法|规则)|程序|证据(?:的|规定|若干)|管辖|立案|审判监督|强制执行|(?:民事|刑事|法院)执行|送达|再审"
    r"|调解"
)
_CRIMINAL_TITLE = re.compile(r"^刑法修正案|关于(?:惩治|严惩).{1,40}的(?:补充)?(?:决定|规定)$")
_CRIMINAL_MATTER = re.compile(r"刑事|刑法|犯罪|量刑|定罪|减刑|假释|罪名")
_COURTS = ("最高人民法院", "最高人民检察院")


def kind_of(law: str) -> Kind:
    """What kind of law a title names; `substantive` where neither the table nor the title says more."""
    name = short_name(law)
    for named, titles in _table().kinds.items():
        if name in titles:
            return named
    for ending, kind in _ENDINGS.items():
        if name.endswith(ending):
            return kind
    if _CRIMINAL_TITLE.search(name):
        return "criminal"
    if _PROCEDURE.search(name):
        return "procedure"
    if name.startswith(_COURTS):
        return "criminal_interpretation" if _CRIMINAL_MATTER.search(name) else "civil"
    return "substantive"


def judge_version(
    version: LawVersion,
    dates: CaseDates,
    *,
    kind: Kind | None = None,
    number: ArticleNumber | None = None,
    parent_ended: date | None = None,
    as_of: date | None = None,
) -> VersionVerdict:
    """Whether a version is the one a case calls for.

    Args:
        version: the version that was retrieved.
        dates: the days of the case.
        kind: of the law; None: as `kind_of` says.
        number: the article, for exceptions that name single articles of the Civil Code.
        parent_ended: the first day without the law that this one interprets or implements; from then on it is
            possible at most.
        as_of: the last day that the data know of; behind it nothing is more than possible.
    """
    kind = kind or kind_of(version.law)
    found = _marked(version, dates, kind, number)
    if found.verdict != "applicable":
        return found
    day = dates.proceeding or dates.judged if kind == "procedure" else dates.ended
    if day and parent_ended and day >= parent_ended:
        return _mark("possible", "parent_ended")
    return _mark("possible", "after_data") if day and as_of and day > as_of else found


def _marked(version: LawVersion, dates: CaseDates, kind: Kind, number: ArticleNumber | None) -> VersionVerdict:
    if version.valid_from is None:
        return _mark("possible", "no_window")
    if kind == "procedure":
        return _procedure(version, dates)
    if dates.acted is None:
        if dates.judged is not None and version.valid_from > dates.judged:
            # Whenever the act was, a law that came after the judgment did not rule it.
            return _mark("not", "criminal_after" if kind == "criminal" else "not_then")
        return _mark("possible", "no_date")
    if kind == "criminal":
        return _criminal(version, dates)
    if kind == "criminal_interpretation":
        return _interpretation(version, dates)
    if kind == "penalty":
        return _penalty(version, dates)
    return _civil(version, dates, number) if kind == "civil" else _substantive(version, dates)


def _criminal(version: LawVersion, dates: CaseDates) -> VersionVerdict:
    begins, ended = _begins(version), _ended(dates)
    if version.covers(ended):
        return _mark("applicable", "criminal_continuing" if begins > _acted(dates) else "criminal_at_act")
    if _touches(version, dates):
        return _mark("possible", "criminal_continuing")
    if begins < ended:
        return _mark("not", "criminal_ended")
    if dates.judged is not None and begins > dates.judged:
        return _mark("not", "criminal_after")
    if dates.retrial:
        return _mark("not", "criminal_retrial")
    over = dates.judged is not None and version.valid_to is not None and version.valid_to < dates.judged
    return _mark("possible", "criminal_between" if over else "criminal_lighter")


def _interpretation(version: LawVersion, dates: CaseDates) -> VersionVerdict:
    begins = _begins(version)
    if _touches(version, dates):
        return _mark("applicable" if version.covers(_ended(dates)) else "possible", "interpretation_at_act")
    if begins < _acted(dates):
        return _mark("not", "not_then")
    closed = (dates.judged is not None and begins > dates.judged) or dates.retrial
    return _mark("not", "interpretation_closed") if closed else _mark("possible", "interpretation_later")


def _penalty(version: LawVersion, dates: CaseDates) -> VersionVerdict:
    if version.covers(_ended(dates)):
        return _mark("applicable", "penalty_at_act")
    if _touches(version, dates):
        return _mark("possible", "during_act")
    later = _begins(version) > _ended(dates)
    decided = dates.judged
    if later and (decided is None or (decided >= PENALTY_RULE_FROM and _begins(version) <= decided)):
        return _mark("possible", "penalty_lighter")
    return _mark("not", "not_then")


def _civil(version: LawVersion, dates: CaseDates, number: ArticleNumber | None) -> VersionVerdict:
    if version.law == CODE:
        return _code(version, dates, number)
    across = _acted(dates) < CODE_FROM <= _ended(dates)
    if across and _ended_by_code(version) and version.covers(date(2020, 12, 31)):
        return _mark("possible", "code_old_continuing")
    if (
        short_name(version.law) == "公司法"
        and version.valid_from == date(2024, 7, 1)
        and _ended(dates) < date(2024, 7, 1)
    ):
        judged = dates.judged
        return _mark("not", "not_then") if judged and judged < date(2024, 7, 1) else _mark("possible", "company")
    found = _substantive(version, dates)
    if found.verdict == "applicable" and _ended_by_code(version) and _ended(dates) < CODE_FROM:
        return _mark("applicable", "code_at_act")
    return found


def _code(version: LawVersion, dates: CaseDates, number: ArticleNumber | None) -> VersionVerdict:
    begins = _begins(version)
    if _acted(dates) >= begins:
        return _mark("applicable", "code_after") if version.covers(_acted(dates)) else _substantive(version, dates)
    if dates.judged is not None and dates.judged < begins:
        return _mark("not", "code_not_judged")
    if dates.retrial:
        return _mark("not", "code_retrial")
    if _ended(dates) >= begins:
        return _mark("applicable", "code_continuing")
    for first, last, provision, case in _table().exceptions:
        if number is not None and first <= number.number <= last:
            says = f"{case}，适用民法典；其他情形适用当时的法律、司法解释。"
            return VersionVerdict("possible", ApplicableRule("code_exception", f"{_SCOPE}{provision}", says))
    return _mark("possible", "code_general")


def _substantive(version: LawVersion, dates: CaseDates) -> VersionVerdict:
    if version.covers(_acted(dates)) and version.covers(_ended(dates)):
        return _mark("applicable", "at_act")
    if _touches(version, dates):
        return _mark("possible", "during_act")
    judged = dates.judged
    if _begins(version) > _ended(dates) and (judged is None or _begins(version) <= judged) and not dates.retrial:
        return _mark("not", "favourable")
    return _mark("not", "not_then")


def _procedure(version: LawVersion, dates: CaseDates) -> VersionVerdict:
    day = dates.proceeding or dates.judged
    if day is None:
        return _mark("possible", "no_date")
    if version.covers(day):
        return _mark("applicable", "procedure_now")
    if dates.judged is not None and day < _begins(version) <= dates.judged:
        return _mark("possible", "procedure_pending")
    return _mark("not", "procedure_not_then")


def _mark(verdict: Verdict, rule: str) -> VersionVerdict:
    return VersionVerdict(verdict, rules()[rule])


def _touches(version: LawVersion, dates: CaseDates) -> bool:
    """Whether the version applied on some day of the conduct."""
    return _begins(version) <= _ended(dates) and (version.valid_to is None or version.valid_to >= _acted(dates))


def _ended_by_code(version: LawVersion) -> bool:
    return any(link.from_law == version.law and link.to_law == CODE for link in SUCCESSIONS)


def _begins(version: LawVersion) -> date:
    assert version.valid_from is not None
    return version.valid_from


def _acted(dates: CaseDates) -> date:
    assert dates.acted is not None
    return dates.acted


def _ended(dates: CaseDates) -> date:
    assert dates.ended is not None
    return dates.ended
