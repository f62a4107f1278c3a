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
from dataclasses import dataclass
from datetime import date
from typing import Literal

from store.statutes.known import SUCCESSIONS
from store.statutes.model import ArticleNumber, LawVersion
from store.statutes.names import short_name

Kind = Literal["criminal", "criminal_interpretation", "civil", "penalty", "procedure", "substantive"]
Verdict = Literal["applicable", "possible", "not"]

CODE = "中华人民共和国民法典"
CODE_FROM = date(2021, 1, 1)
PENALTY_RULE_FROM = date(2021, 7, 15)
_SCOPE = "《最高人民法院关于适用〈中华人民共和国民法典〉时间效力的若干规定》"
_CRIMINAL = "《中华人民共和国刑法》第十二条第一款"
_LEGISLATION = "《中华人民共和国立法法》第一百零四条（2015年文本第九十三条）"


@dataclass(frozen=True, slots=True)
class Rule:
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
class Mark:
    """The verdict on a version for a case, and the rule behind it."""

    verdict: Verdict
    rule: Rule


RULES: dict[str, Rule] = {
    rule.key: rule
    for rule in (
        Rule("no_date", "", "缺少判断所需的日期，不能确定应适用的文本。"),
        Rule("parent_ended", "", "该文本所解释或者实施的法律已经废止，此后是否适用存疑。"),
        Rule("after_data", "", "所问日期在数据截止之后，此后是否修改不明。"),
        Rule("no_window", "", "该文本的施行期间不明，不能确定是否适用。"),
        Rule("not_then", _LEGISLATION, "法律事实发生时该文本已经失效或者尚未施行，法不溯及既往。"),
        Rule("at_act", _LEGISLATION, "实体问题适用行为时（法律事实发生时）施行的文本。"),
        Rule("during_act", _LEGISLATION, "法律事实持续期间该文本曾经施行，应按事实所处时段确定。"),
        Rule("favourable", _LEGISLATION, "原则上不溯及既往，为更好保护公民、法人和其他组织权益而作特别规定的除外；须有特别规定。"),
        Rule("criminal_at_act", _CRIMINAL, "从旧：适用行为时的法律。"),
        Rule("criminal_lighter", _CRIMINAL, "从轻：行为后施行的法律不认为是犯罪或者处刑较轻的，适用该法。"),
        Rule(
            "criminal_between", _CRIMINAL,
            "该文本在行为后施行、裁判前失效（中间时法），条文未明文规定，较轻时是否适用须由裁判者判断。",
        ),
        Rule(
            "criminal_continuing",
            "1998年12月2日最高人民检察院关于对跨越修订刑法施行日期的继续犯罪、连续犯罪以及其他同种数罪应如何具体适用刑法问题的批复",
            "行为跨越法律修改而属继续犯罪、连续犯罪的，适用行为终了时的法律；是否属此情形及是否酌情从轻须由裁判者判断。",
        ),
        Rule("criminal_ended", _CRIMINAL, "该文本在行为前已经失效，不适用。"),
        Rule("criminal_after", _CRIMINAL, "该文本在裁判后才施行，裁判时不适用。"),
        Rule(
            "criminal_retrial", "《最高人民法院关于适用刑法时间效力规定若干问题的解释》第十条",
            "按照审判监督程序重新审判的案件，适用行为时的法律。",
        ),
        Rule(
            "interpretation_at_act", "《最高人民法院、最高人民检察院关于适用刑事司法解释时间效力问题的规定》第一条、第三条",
            "行为时已有相关司法解释的，依照行为时的司法解释办理。",
        ),
        Rule(
            "interpretation_later", "《最高人民法院、最高人民检察院关于适用刑事司法解释时间效力问题的规定》第二条、第三条",
            "行为时没有相关司法解释而案件尚未办结的，依照该解释；已有的，该解释对犯罪嫌疑人、被告人有利时适用。",
        ),
        Rule(
            "interpretation_closed", "《最高人民法院、最高人民检察院关于适用刑事司法解释时间效力问题的规定》第四条",
            "司法解释施行前已办结的案件，原认定事实和适用法律没有错误的，不再变动。",
        ),
        Rule("penalty_at_act", "《中华人民共和国行政处罚法》第三十七条", "实施行政处罚，适用违法行为发生时的规定。"),
        Rule(
            "penalty_lighter", "《中华人民共和国行政处罚法》第三十七条",
            "作出处罚决定时规定已被修改或者废止，新的规定处罚较轻或者不认为是违法的，适用新的规定。",
        ),
        Rule("procedure_now", "程序从新原则", "程序问题适用诉讼行为进行时施行的文本。"),
        Rule(
            "procedure_pending", "程序从新原则；参见《最高人民法院关于修改后的民事诉讼法施行时未结案件适用法律若干问题的规定》第一条",
            "该文本在案件审理期间施行，施行后的程序事项一般适用新文本，此前已经完成的程序事项仍然有效。",
        ),
        Rule("procedure_not_then", "程序从新原则", "诉讼行为进行时该文本已经失效或者尚未施行。"),
        Rule("code_after", f"{_SCOPE}第一条第一款", "民法典施行后的法律事实，适用民法典。"),
        Rule("code_at_act", f"{_SCOPE}第一条第二款", "民法典施行前的法律事实，适用当时的法律、司法解释，另有规定的除外。"),
        Rule("code_continuing", f"{_SCOPE}第一条第三款", "法律事实持续至民法典施行后的，适用民法典，另有规定的除外。"),
        Rule(
            "code_old_continuing", f"{_SCOPE}第一条第三款、第二十条",
            "法律事实持续至民法典施行后的，原则上适用民法典；另有规定的（如施行前履行合同发生的争议）适用当时的法律。",
        ),
        Rule(
            "code_general", f"{_SCOPE}第二条、第三条、第四条",
            "施行前的法律事实原则上适用当时的法律；民法典更有利的，或者当时没有规定而民法典有规定的，可以适用民法典；"
            "当时仅有原则性规定的，可以依据民法典的具体规定说理。",
        ),
        Rule("code_not_judged", f"{_SCOPE}第二十八条", "裁判时民法典尚未施行。"),
        Rule("code_retrial", f"{_SCOPE}第五条", "民法典施行前已经终审的案件再审的，不适用民法典。"),
        Rule("company", "《最高人民法院关于适用〈中华人民共和国公司法〉时间效力的若干规定》", "施行前的法律事实，符合该规定所列情形的，适用2023年修订的公司法。"),
    )
}  # fmt: skip
"""Key -> rule."""

_CODE_EXCEPTIONS: tuple[tuple[int, int, str, str], ...] = (
    (143, 157, "第八条", "施行前成立的合同，依当时的规定无效而依民法典有效的"),
    (185, 185, "第六条", "民法总则施行前侵害英雄烈士等的姓名、肖像、名誉、荣誉，损害社会公共利益的"),
    (401, 401, "第七条", "履行期限届满前约定抵押财产归债权人所有的"),
    (428, 428, "第七条", "履行期限届满前约定质押财产归债权人所有的"),
    (496, 496, "第九条", "提供格式条款一方未履行提示或者说明义务，涉及格式条款效力的"),
    (502, 508, "第八条", "施行前成立的合同，依当时的规定无效而依民法典有效的"),
    (509, 542, "第二十条", "合同履行持续至民法典施行后，因施行后履行合同发生争议的"),
    (564, 564, "第二十五条", "施行前成立的合同的解除权行使期限"),
    (565, 565, "第十条", "未通知对方而直接以提起诉讼方式主张解除合同的（第二款）"),
    (580, 580, "第十一条", "不履行非金钱债务致使不能实现合同目的，请求终止合同的（第二款）"),
    (734, 734, "第二十一条", "租赁期限在民法典施行后届满的（第二款）"),
    (761, 769, "第十二条", "施行前订立的保理合同发生争议的"),
    (1052, 1052, "第二十六条", "以施行前受胁迫结婚为由请求撤销婚姻的（第二款）"),
    (1079, 1079, "第二十二条", "判决不准离婚后又分居满一年再次起诉离婚的（第五款）"),
    (1125, 1125, "第十三条", "对是否丧失继承权、受遗赠权发生争议的"),
    (1128, 1128, "第十四条", "无人继承又无人受遗赠，兄弟姐妹的子女请求代位继承的"),
    (1136, 1136, "第十五条", "施行前以打印方式立的遗嘱的效力"),
    (1142, 1142, "第二十三条", "施行前立有公证遗嘱，施行后又立新遗嘱的（第三款）"),
    (1176, 1176, "第十六条", "自愿参加具有一定风险的文体活动受到损害的"),
    (1177, 1177, "第十七条", "为保护自己合法权益扣留侵权人财物等的"),
    (1217, 1217, "第十八条", "非营运机动车无偿搭乘人受损害的"),
    (1254, 1254, "第十九条", "高空抛物、坠物致人损害的"),
    (1164, 1258, "第二十四条", "侵权行为发生在施行前而损害后果出现在施行后的"),
)
"""First and last article of the Civil Code, the provision of the rules of 2020 about it, and its case; the first that
fits."""

_NAMED: dict[str, Kind] = {
    **dict.fromkeys(
        "民法典 民法通则 民法总则 合同法 经济合同法 涉外经济合同法 技术合同法 物权法 担保法 侵权责任法 婚姻法 继承法 收养法"
        " 公司法 保险法 信托法 票据法 海商法 证券法 合伙企业法 企业破产法 著作权法 专利法 商标法 消费者权益保护法 劳动法"
        " 劳动合同法 农村土地承包法".split(),
        "civil",
    ),
    **dict.fromkeys("刑法 惩治军人违反职责罪暂行条例".split(), "criminal"),
    **dict.fromkeys("治安管理处罚法 治安管理处罚条例 行政处罚法 道路交通安全法 海关法 税收征收管理法 食品安全法".split(), "penalty"),
    **dict.fromkeys(
        "刑事诉讼法 民事诉讼法 行政诉讼法 海事诉讼特别程序法 逮捕拘留条例 仲裁法 劳动争议调解仲裁法 行政复议法 人民调解法 引渡法"
        " 国际刑事司法协助法".split(),
        "procedure",
    ),
}  # fmt: skip
"""Title without 中华人民共和国 -> kind; other laws are judged by their titles."""

_ENDINGS: dict[str, Kind] = {"刑法典": "criminal", "刑法": "criminal", "行政处罚法": "penalty"}
"""Endings of titles that say as much wherever the law is from."""

_PROCEDURE = re.compile(
    r"诉讼|仲裁(?:法|规则)|程序|证据(?:的|规定|若干)|管辖|立案|审判监督|强制执行|(?:民事|刑事|法院)执行|送达|再审|调解"
)
_CRIMINAL_TITLE = re.compile(r"^刑法修正案|关于(?:惩治|严惩).{1,40}的(?:补充)?(?:决定|规定)$")
_CRIMINAL_MATTER = re.compile(r"刑事|刑法|犯罪|量刑|定罪|减刑|假释|罪名")
_COURTS = ("最高人民法院", "最高人民检察院")


def kind_of(law: str) -> Kind:
    """What kind of law a title names; `substantive` where neither the table nor the title says more."""
    name = short_name(law)
    if name in _NAMED:
        return _NAMED[name]
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


def mark(
    version: LawVersion,
    dates: CaseDates,
    *,
    kind: Kind | None = None,
    number: ArticleNumber | None = None,
    parent_ended: date | None = None,
    as_of: date | None = None,
) -> Mark:
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


def _marked(version: LawVersion, dates: CaseDates, kind: Kind, number: ArticleNumber | None) -> Mark:
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


def _criminal(version: LawVersion, dates: CaseDates) -> Mark:
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


def _interpretation(version: LawVersion, dates: CaseDates) -> Mark:
    begins = _begins(version)
    if _touches(version, dates):
        return _mark("applicable" if version.covers(_ended(dates)) else "possible", "interpretation_at_act")
    if begins < _acted(dates):
        return _mark("not", "not_then")
    closed = (dates.judged is not None and begins > dates.judged) or dates.retrial
    return _mark("not", "interpretation_closed") if closed else _mark("possible", "interpretation_later")


def _penalty(version: LawVersion, dates: CaseDates) -> Mark:
    if version.covers(_ended(dates)):
        return _mark("applicable", "penalty_at_act")
    if _touches(version, dates):
        return _mark("possible", "during_act")
    later = _begins(version) > _ended(dates)
    decided = dates.judged
    if later and (decided is None or (decided >= PENALTY_RULE_FROM and _begins(version) <= decided)):
        return _mark("possible", "penalty_lighter")
    return _mark("not", "not_then")


def _civil(version: LawVersion, dates: CaseDates, number: ArticleNumber | None) -> Mark:
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


def _code(version: LawVersion, dates: CaseDates, number: ArticleNumber | None) -> Mark:
    begins = _begins(version)
    if _acted(dates) >= begins:
        return _mark("applicable", "code_after") if version.covers(_acted(dates)) else _substantive(version, dates)
    if dates.judged is not None and dates.judged < begins:
        return _mark("not", "code_not_judged")
    if dates.retrial:
        return _mark("not", "code_retrial")
    if _ended(dates) >= begins:
        return _mark("applicable", "code_continuing")
    for first, last, provision, case in _CODE_EXCEPTIONS:
        if number is not None and first <= number.number <= last:
            rule = Rule(
                "code_exception", f"{_SCOPE}{provision}", f"{case}，适用民法典；其他情形适用当时的法律、司法解释。"
            )
            return Mark("possible", rule)
    return _mark("possible", "code_general")


def _substantive(version: LawVersion, dates: CaseDates) -> Mark:
    if version.covers(_acted(dates)) and version.covers(_ended(dates)):
        return _mark("applicable", "at_act")
    if _touches(version, dates):
        return _mark("possible", "during_act")
    judged = dates.judged
    if _begins(version) > _ended(dates) and (judged is None or _begins(version) <= judged) and not dates.retrial:
        return _mark("not", "favourable")
    return _mark("not", "not_then")


def _procedure(version: LawVersion, dates: CaseDates) -> Mark:
    day = dates.proceeding or dates.judged
    if day is None:
        return _mark("possible", "no_date")
    if version.covers(day):
        return _mark("applicable", "procedure_now")
    if dates.judged is not None and day < _begins(version) <= dates.judged:
        return _mark("possible", "procedure_pending")
    return _mark("not", "procedure_not_then")


def _mark(verdict: Verdict, rule: str) -> Mark:
    return Mark(verdict, RULES[rule])


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
