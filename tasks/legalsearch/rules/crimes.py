"""Criminal tasks: which charges the facts bear out, and which of the offered articles of the Criminal Law apply.

Charges come from the cues of `charges.toml`; what the search returns confirms them, and where no cue speaks its
headings are the charges. Numbers of articles mean nothing to the policy before the tool has shown what stands under
them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from store.search.query import LawQuery
from store.statutes.model import ArticleNumber
from store.text.citation import citations
from store.text.dates import plain_date
from tasks.legalsearch.charges import canonical
from tasks.legalsearch.dates import conduct_of, told
from tasks.legalsearch.rules.choose import DEFAULT
from tasks.legalsearch.rules.facts import Facts, by_canonical, read_facts, table
from tasks.legalsearch.rules.likeness import contained
from tasks.legalsearch.rules.looking import Query, Reply, Seen, Work, hits_of

LAW = "中华人民共和国刑法"
SECOND = 0.4
"""A further charge needs this share of the points of the first."""
LEAST_SECOND = 5.0
CONFIRMED = 1.0
"""Points for a charge whose article the search returned for the facts."""
LEAST = 1.0
"""Points below which a charge is no finding."""
TITLED, MENTIONED, LIKENESS = 1.0, 0.6, 8.0
"""What a charge in the heading of an article counts, in its text, and likeness of facts and text."""
ALIKE = 0.8
"""Likeness of two names, both ways together, from which they are of one crime."""
EARLIEST = date(1980, 1, 1)
"""The first day of the Criminal Law of 1979: no earlier day finds an article."""
CHOSEN = 0.45
"""An article needs this share of the points of the best one."""

RIVALS: tuple[frozenset[str], ...] = tuple(
    frozenset(names.split())
    for names in (
        "故意伤害 寻衅滋事 聚众斗殴 故意杀人 过失致人死亡 过失致人重伤",
        "交通肇事 危险驾驶 以危险方法危害公共安全 过失致人死亡 重大责任事故",
        "盗窃 抢夺 抢劫 侵占 职务侵占",
        "诈骗 合同诈骗 集资诈骗 贷款诈骗 信用卡诈骗 票据诈骗 招摇撞骗 骗取贷款、票据承兑、金融票证 职务侵占 保险诈骗",
        "贪污 职务侵占 诈骗 私分国有资产",
        "受贿 非国家工作人员受贿 单位受贿 利用影响力受贿",
        "行贿 单位行贿 对非国家工作人员行贿 对单位行贿 介绍贿赂",
        "挪用公款 挪用资金 职务侵占",
        "滥用职权 玩忽职守 国有公司、企业、事业单位人员滥用职权 国有公司、企业、事业单位人员失职",
        "假冒注册商标 销售假冒注册商标的商品 生产、销售伪劣产品 非法制造、销售非法制造的注册商标标识",
        "生产、销售假药 生产、销售有毒、有害食品 生产、销售不符合安全标准的食品 非法经营",
        "赌博 开设赌场",
        "走私、贩卖、运输、制造毒品 非法持有毒品",
        "组织卖淫 引诱、容留、介绍卖淫 协助组织卖淫 强迫卖淫",
        "制作、复制、出版、贩卖、传播淫秽物品牟利 传播淫秽物品",
        "盗伐林木 滥伐林木 非法采伐、毁坏国家重点保护植物 非法占用农用地",
        "强制猥亵、侮辱妇女 猥亵儿童 强奸",
        "非法拘禁 绑架 敲诈勒索 抢劫",
        "失火 放火 过失致人死亡",
        "虚开增值税专用发票、用于骗取出口退税、抵扣税款发票 虚开发票 非法制造、出售非法制造的发票"
        " 持有伪造的发票 非法出售发票",
        "伪造、变造、买卖国家机关公文、证件、印章 伪造、变造居民身份证 使用虚假身份证件、盗用身份证件",
        "非法猎捕、杀害珍贵、濒危野生动物 非法收购、运输、出售珍贵、濒危野生动物、珍贵、濒危野生动物制品 非法狩猎",
        "妨害公务 寻衅滋事 聚众扰乱社会秩序 聚众扰乱公共场所秩序、交通秩序",
        "非法获取公民个人信息 出售、非法提供公民个人信息 侵犯公民个人信息",
    )
)
"""Charges of which one act is usually only one: the second of them is no second crime unless the text says so."""

_OPTION_LAW = re.compile(r"《?(?P<law>[\u4e00-\u9fff]{2,30}?(?:法|法典|条例))》?第")


def charge_query(read: LawQuery, facts: Facts) -> str:
    """The facts in short with their day, for the search."""
    return f"{day_of(read)}{facts.told[:200]}"


def accuse(question: str, read: LawQuery) -> Work:
    """The charges of the facts, joined by ; in the published form."""
    facts = read_facts(question)
    likely = sorted(facts.points, key=lambda name: -facts.points[name])[:4]
    confirming = f"{day_of(read)}《{LAW}》{'、'.join(likely)}" if likely else ""
    queries = tuple(text for text in (charge_query(read, facts), confirming) if text)
    seen = yield Query(queries, "按行为时间和案件事实检索罪名条文。")
    found = hits_of(seen)
    names = charges_of(facts, hits_of(seen[:1]))
    if not names:
        titles = [hit.title.removesuffix("罪") for hit in found if hit.title.endswith("罪")]
        return Reply(titles[0] if titles else "", "事实中没有罪名线索，取检索到的第一个罪名。")
    listed = "、".join(f"{name}（{facts.points.get(name, 0):g}）" for name in names)
    return Reply(";".join(_printed(names, found)), f"事实线索得分最高的罪名：{listed}。")


def charges_of(facts: Facts, found: Sequence[Seen]) -> list[str]:
    """The charges that the facts bear out, best first: one, or more where the text speaks of several crimes."""
    shown = {canonical(hit.title) for hit in found if hit.title}
    points = {
        charge.name: facts.points[charge.name] + CONFIRMED * (charge.canonical in shown)
        for charge in table()
        if charge.name in facts.points
    }
    ranked = sorted(points, key=lambda name: -points[name])
    ranked = [name for name in ranked if points[name] >= LEAST]
    if not ranked:
        return []
    names = ranked[:1]
    if facts.several:
        stated = [by_canonical()[name].name for name in facts.stated if by_canonical()[name].name in ranked]
        enough = max(LEAST_SECOND, SECOND * points[ranked[0]])
        more = [name for name in ranked[1:4] if points[name] >= enough and not _rivals(name, ranked[0])]
        names = list(dict.fromkeys([*names, *stated, *more]))[:2]
    return names


def _rivals(first: str, second: str) -> bool:
    return any(first in group and second in group for group in RIVALS)


def _printed(names: Sequence[str], found: Sequence[Seen]) -> list[str]:
    """The names with the headings of sections that data sets print before them.

    Where the search knows another criminal law only, its heading that is most like the name.
    """
    if found and all(hit.law != LAW for hit in found):
        return list(dict.fromkeys(_as_headed(name, found) for name in names))
    headings = {charge.name: charge.heading for charge in table()}
    return list(dict.fromkeys(part for name in names for part in (headings.get(name, ""), name) if part))


def _as_headed(name: str, found: Sequence[Seen]) -> str:
    titles = [hit.title.removesuffix("罪") for hit in found if hit.title.endswith("罪")]
    likeness = {title: contained(title, name) + contained(name, title) for title in titles}
    best = max(titles, key=lambda title: likeness[title], default="")
    return best if best and likeness[best] >= ALIKE else name


def apply_articles(question: str, read: LawQuery, choices: Mapping[str, str]) -> Work:
    """The options whose articles fit the facts. Each option names an article; the search shows what it says."""
    facts = read_facts(question)
    law = next((match["law"] for text in choices.values() if (match := _OPTION_LAW.search(text))), LAW)
    numbers = {letter: [one.number for one in citations(text)] for letter, text in choices.items()}
    named = list(dict.fromkeys(number.chinese for listed in numbers.values() for number in listed))
    # Such tasks often name an article for those that were inserted behind it: 第一百三十三条 for 第一百三十三条之一.
    behind = "、".join(f"{number}之一" for number in named if "之" not in number)
    day = day_of(read)
    queries = (f"{day}《{law}》{'、'.join(named)}", charge_query(read, facts), f"{day}《{law}》{behind}")
    found = hits_of((yield Query(queries, "查各选项法条在行为时的条文，并按事实检索。")))
    by_number: dict[str, list[Seen]] = {}
    for hit in found:
        if hit.law == found[0].law:
            by_number.setdefault(hit.number.partition("-")[0], []).append(hit)
    points = {
        letter: max((fit(facts, hit) for n in listed for hit in by_number.get(str(n.number), ())), default=0.0)
        for letter, listed in numbers.items()
    }
    best = max(points.values(), default=0.0)
    if best <= 0:
        # Without texts of that day all that is known is which articles there were: one of these.
        there = [
            letter for letter, listed in numbers.items() if any(str(n.number) in by_number for n in listed)
        ] or choices
        default = DEFAULT if DEFAULT in there else next(iter(there), "")
        return Reply(default, "没有检索到与事实相符的选项条文，按默认选项作答。")
    chosen = {letter for letter, value in points.items() if value >= max(CHOSEN * best, 1.0)} or {
        letter for letter, value in points.items() if value == best
    }
    chosen |= _referred(chosen, numbers, by_number)
    listed = "，".join(f"{letter} {value:.1f}" for letter, value in points.items())
    return Reply("".join(sorted(chosen)), f"各选项条文与事实的相符程度：{listed}。")


def fit(facts: Facts, hit: Seen) -> float:
    """How well an article fits the facts: the charges in its heading and text, and likeness of words."""
    text = hit.text or ""
    points = max(
        (
            max(TITLED * _mentions(hit.title, name), MENTIONED * _mentions(text, name)) * value
            for name, value in facts.points.items()
        ),
        default=0.0,
    )
    return points + LIKENESS * contained(text, facts.told) if text else points


def _mentions(text: str, name: str) -> float:
    """1 where a text names a charge, else 0; a name of several acts need not be there in full."""
    return float(bool(text) and contained(name, text) >= 0.8)


def _referred(
    chosen: set[str], numbers: Mapping[str, Sequence[ArticleNumber]], shown: Mapping[str, Sequence[Seen]]
) -> set[str]:
    """Options whose articles a chosen article refers to: 依照本法第三百八十三条的规定处罚."""
    keys = {letter: {str(number.number) for number in listed} for letter, listed in numbers.items()}
    texts = [hit.text or "" for letter in chosen for key in keys[letter] for hit in shown.get(key, ())]
    cited = {str(one.number.number) for text in texts for one in citations(text)}
    return {letter for letter, listed in keys.items() if listed & cited}


def day_of(read: LawQuery) -> str:
    """The day of the act that the facts tell, of a series the last day, as a text; '' without one.

    Days of procedure, of judgment, of birth and of earlier convictions are none. Where it is not clear which of
    several days is that of the act, the latest of them: a search needs a day, a mark would not.
    """
    days = told(read.text, read.spans)
    conduct = conduct_of(read.text, days)
    if conduct.last is not None:
        day = conduct.last
    else:
        likely = [
            span.last
            for span in conduct.spans
            if EARLIEST <= span.last < date.max and (span.last - span.first).days < 32
        ]
        day = max(likely, default=date.min)
    return plain_date(day) if day >= EARLIEST else ""
