"""Finds the things a question names: companies, codes, case numbers, courts, firms, addresses, places, agencies.

Exact names of the pack first, then shapes (a case number looks like one whether or not the pack holds it).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.places import Place, parse_place, provinces

_WIDE = {0xFF10 + digit: 0x30 + digit for digit in range(10)} | {ord("("): "（", ord(")"): "）"}
_WIDE |= {0xFF21 + letter: 0x41 + letter for letter in range(26)} | {0xFF0E: ord("."), 0xFF05: ord("%")}


def tidy(question: str) -> str:
    """The question in one spelling: no white space, wide brackets, narrow digits and capitals."""
    return re.sub(r"\s+", "", question).translate(_WIDE)


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing at text[start:end]. `kind` as in NameIndex or "place"; `exact` = the pack holds this name."""

    start: int
    end: int
    kind: str
    name: str
    place: Place | None = None
    exact: bool = False


_CASE = re.compile(
    r"（[12]\d{3}）(?:最高法[一-龥]{0,4}|[一-龥]{1,2}\d{0,5}[一-龥]{1,4})\d{1,6}号(?:之[一二三四五六七八九十]{1,2})?"
)
_ADMINISTRATIVE = re.compile(
    r"[一-龥（）〔〕﹝﹞\[\]【】]{2,24}?[〔﹝\[（【]?[12]\d{3}[〕﹞\]）】]?(?:第|字第)?[\dA-Za-z-]{1,16}号"
)
_CREDIT = re.compile(r"(?<![0-9A-Z])(?=[0-9A-Z]*\d{6})[0-9A-HJ-NP-RT-UW-Y]{18}(?![0-9A-Z])")
_STOCK = re.compile(r"(?<![\d.A-Za-z年（-])(?:[0368]\d{5}|4[03]\d{4}|9\d{5}|2\d{5})(?![\d.]|[元万亿家次个年号])")
_QUOTED = re.compile(r"[“\"‘'「『]([^”\"’'」』]{5,60})[”\"’'」』]")
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("firm", re.compile(r"[一-龥（）·]{2,24}?律师事务所")),
    (
        "court",
        re.compile(
            r"[一-龥（）]{2,26}?(?:人民法院|铁路运输法院|知识产权法院|海事法院|互联网法院|金融法院|运输中级法院)"
        ),
    ),
    (
        "company",
        re.compile(
            r"[一-龥A-Za-z0-9（）·&\-]{3,40}?(?:有限责任公司|股份有限公司|有限公司|股份公司|集团公司|总公司"
            r"|（有限合伙）|合作社)"
            r"(?:[一-龥（）]{2,12}?分公司)?"
        ),
    ),
    (
        "agency",
        re.compile(
            r"[一-龥（）]{2,24}?(?:管理局|监督局|监管局|执法局|执法大队|公安局|公安分局|分局|派出所|税务局|环境局"
            r"|环保局|规划局|资源局|交通局|运输局|保障局|建设局|"
            r"委员会|消防支队|消防大队|救援支队|救援大队|救援局|海关|证监局|银保监局|交易所|卫生局|水务局|水利局"
            r"|农业局|农村局|统计局|财政局|商务局|外汇局|"
            r"执法支队|执法总队|监察大队|交警支队|交警大队|管委会|气象局|林业局|海事局|厅)"
        ),
    ),
)
_GENERIC = re.compile(
    r"^(?:告|[被原]告|这?[一几两三多]?[家个些所间名]|企业|公司|该|本|此|其|某|哪|什么|我|你|他|贵|的|有|是|由|被告"
    r"|原告|所有|全部|当地|各|相关|其他|多少|上述|任何|一些|服务|知名|参与|审理|执行|大型|律师|有关|基层|高级|中级"
    r"|管辖|省|市|区|上市|控股|子|母|全资|区内)"
)
_BOUNDARY = re.compile(
    r"开出|开具|下达|收到|拿到|作出|文号|案号|怀疑|被告|原告|告诉我|列出|列举|告知|能否|可否|想问|哪些|有哪些|有多少"
    r"|我们|我|了解到|了解一下|了解|关于|涉及到|涉及|针对|处理|调查|查询一下|查询|查找|查一查|查一下|查|确认一下|确认"
    r"|知道|知晓|得知|获悉|获取|获得|委托|是否|请问|请|帮我|帮忙|协助|评估|"
    r"审查|分析|研究|关注到|关注|注意到|名为|名叫|叫做|叫|一家|一个|这家|该|针|对于|对|向|与|和|及|由|被|在|从|为|给"
    r"|将|把|跟|同|让|想|要|的|是|于|以|到|核实|核查|明确|搜集|收集|整理|统计|"
    r"梳理|代表|作为|提到|中|至|起诉|投资了?|联系|咨询|说|看|问|下|并|且|考虑|准备|发现|得到|听说|合作|收购|背调|出具"
    r"|就|因|帮|一下|根据|服务|关系到|包括|如|以及|或|比如|例如|代理|特别|尤其"
)
_SAFE_INSIDE = re.compile(
    r"中国|中级|中华|和平|和田|和顺|和县|对外|从化|被子|在线|中山|中心|中科|中原|中信|中铁|中建|中材|中孚|中钞|中央"
    r"|中德|中天|中联|中兴|中环|中海|中远|中粮|中油|中石|中牟|中卫|中宁|中阳|中江|中方|中能|中化|中盐|中车|中电|中航"
    r"|中煤|中交|中冶|中核|中通|中商|中金|中银|中农|中外|中新|中安|华中|关中|市中区|浪潮|向日葵|向阳|同仁|同德|同济"
    r"|大同|和平区|仁和|永和|祥和|泰和|和谐|和信|太和|和政|和硕|和静|和龙|和林|共和|义和|同方|同安|同心|同江|合同"
    r"|为民|有为|华为|下城|下关|至诚|至合|冬至|至正|起源|想象|理想|联想|梦想|要素|给排水|给水|以色列|以岭|就业|帮帮"
    r"|联系|服务|信息服务|咨询|数据服务|合作社|合作区|分析|分析仪器|投资|风险投资|创业投资|研究|研究院|评估|代理|检查"
    r"|勘查|处理|水处理|污水处理|固废处理|热处理|表面处理|到家|下沙|天下|关系|看丹|看守|问天|特别|特别行政区|尤溪"
    r"|且末|并州|将乐|将军|如东|如皋|如意|包头|下陆|孝义|把握|整理|查干|请进|叫卖|让胡路|到位|龙到|说明|统计|查理"
    r"|同创|协同|大和|三和|与时|就位|因子|因特|知道创宇|准备|明确|收集|考虑|发现|该隐|帮扶|请安|想念|起重|起点|发起"
    r"|起帆|于洪|于都|于田|单于|任丘|及第"
)


_NEVER_IN_A_NAME = re.compile(
    r"几家|几个|比较|选择|聘请|聘用|哪|多少|[这那][些家个间]|一些|什么|我们|他们|请问|告诉|所有|全部|案件"
    r"|最[高大低小早晚新多]|所在|母公司|子公司|[，。；？！]"
)


def _clip(text: str, start: int, end: int) -> int:
    """Where a shaped name really begins: at a place name after a verb, else after the last word no name contains."""
    safe = [match.span() for match in _SAFE_INSIDE.finditer(text, start, end)]
    best = start
    cuts = [match for match in _BOUNDARY.finditer(text, start, end) if end - match.end() >= 4]
    for match in cuts:
        if parse_place(text[match.end() : end])[1] and "（" not in text[start : match.end()]:
            best = max(best, match.end())
    if best > start and "的" not in text[best:end]:
        return best
    best = start
    for match in cuts:
        inside = any(low <= match.start() and match.end() <= high for low, high in safe)
        named = len(match[0]) == 1 and _ends_with_place(text[max(0, match.start() - 4) : match.start()])
        if not inside and not named:
            best = match.end()
    return best


def _ends_with_place(text: str) -> bool:
    """Whether a text ends with a province or city: 广东 in 广东和颂律师事务所."""
    return any(parse_place(text[start:])[1] == len(text) - start for start in range(len(text) - 1))


def _known(text: str, index: NameIndex) -> list[Entity]:
    found: list[Entity] = []
    for position in range(len(text)):
        for name, kind in index.at(text, position):
            end = position + len(name)
            if kind == "stock" and not _STOCK.match(text, position):
                continue
            if kind == "address" and parse_place(name)[1] == len(name):
                continue
            if kind == "short" and _part_of_a_word(text, position, end):
                continue
            found.append(Entity(position, end, kind, name, exact=True))
    return found


def _part_of_a_word(text: str, start: int, end: int) -> bool:
    """Whether a short name only happens to stand inside something longer."""
    after = text[end : end + 6]
    before = text[max(0, start - 1) : start]
    if re.match(r"(?:股份|集团|控股)?(?:有限|责任|分)?公司", after) and not after.startswith("公司"):
        return True
    return before in ("省", "市", "区", "县") or bool(re.match(r"[省市区县镇路街]|律师事务所|人民", after))


def _shaped(text: str, index: NameIndex, exact: list[Entity]) -> list[Entity]:
    found = [Entity(m.start(), m.end(), "case", m[0], exact=index.knows("case", m[0])) for m in _CASE.finditer(text)]
    if re.search(r"处罚|罚|决字|决定书", text):
        for match in _ADMINISTRATIVE.finditer(text):
            start = _clip(text, match.start(), match.end())
            if not _CASE.search(match[0]) and not _known_end(exact, "case", start, match.end()):
                found.append(Entity(start, match.end(), "case", text[start : match.end()]))
    found += [
        Entity(m.start(), m.end(), "credit", m[0], exact=index.knows("credit", m[0])) for m in _CREDIT.finditer(text)
    ]
    found += [
        Entity(m.start(), m.end(), "stock", m[0], exact=index.knows("stock", m[0])) for m in _STOCK.finditer(text)
    ]
    for kind, pattern in _SHAPES:
        if kind == "agency" and "罚" not in text:
            continue
        for match in pattern.finditer(text):
            start = _clip(text, match.start(), match.end())
            name = text[start : match.end()]
            if len(name) < 5 or _GENERIC.match(name) or _NEVER_IN_A_NAME.search(name):
                continue
            if _known_end(exact, kind, start, match.end()):
                continue
            near = None if index.knows(kind, name) else index.near(kind, name) if kind == "company" else None
            found.append(Entity(start, match.end(), kind, near or name, exact=index.knows(kind, name)))
    for match in _QUOTED.finditer(text):
        if re.search(r"[路街道号村镇乡园区楼室]", match[1]) and not re.search(r"法院|公司|事务所|格式|年", match[1]):
            found.append(Entity(match.start(1), match.end(1), "address", match[1]))
    return found


def _known_end(exact: list[Entity], kind: str, start: int, end: int) -> bool:
    """Whether the pack knows a thing of this kind that ends here and begins later."""
    return any(known.kind == kind and known.end == end and known.start > start for known in exact)


_ADDRESS_TAIL = re.compile(
    r"[^，。；？！、的“”\"']{0,40}?(?:\d+号(?:院|楼)?(?:[^，。；？！的所“”\"']{0,25}?(?:室|层|楼|栋|座|幢|单元|号))?"
    r"|交汇处|交叉口|路口|[路街道]\d+[号弄][^，。；？！的所“”\"']{0,10}|大厦|[一-龥]路[东西南北]侧)"
    r"(?:[东西南北]\d+米)?"
)


def _places(text: str, index: NameIndex) -> list[Entity]:
    found: list[Entity] = []
    position = 0
    while position < len(text):
        place, used = parse_place(text[position:])
        place, more = index.place(place, text[position + used :])
        used += more
        if used < 2 or (not place.city and not place.county and text[position : position + used] not in provinces()):
            position += 1
            continue
        end = position + used
        tail = _ADDRESS_TAIL.match(text, end)
        if tail and len(tail[0]) >= 3 and not re.search(r"法院|公司|律所|事务所|案件|[了在]", tail[0]):
            found.append(Entity(position, tail.end(), "address", text[position : tail.end()]))
            position = tail.end()
            continue
        found.append(Entity(position, end, "place", text[position:end], place=place))
        position = end
    return found


_RANK = {
    "case": 0,
    "credit": 1,
    "court_code": 1,
    "company": 2,
    "firm": 3,
    "court": 3,
    "agency": 4,
    "address": 5,
    "stock": 6,
    "short": 7,
    "place": 8,
}


def recognise(text: str, index: NameIndex) -> list[Entity]:
    """The entities of a tidy question in order of place; overlaps go to the longest, then to the surest."""
    exact = _known(text, index)
    candidates = [*exact, *_shaped(text, index, exact), *_places(text, index)]
    candidates.sort(
        key=lambda e: (
            not e.exact and e.kind in ("agency", "address"),
            -(e.end - e.start),
            not e.exact,
            _RANK[e.kind],
        )
    )
    chosen: list[Entity] = []
    for entity in candidates:
        if all(entity.end <= other.start or entity.start >= other.end for other in chosen):
            chosen.append(entity)
    chosen.sort(key=lambda entity: entity.start)
    return [_in_full(entity, chosen) for entity in chosen]


def _in_full(entity: Entity, others: list[Entity]) -> Entity:
    """One name for a thing named twice: 应急管理局 takes its place in front, 分析某公司 loses its verb."""
    if entity.exact or entity.kind not in ("agency", "court", "firm", "company", "address"):
        return entity
    for other in others:
        if other.kind != entity.kind or other.name == entity.name:
            continue
        longer, shorter = (other, entity) if len(other.name) > len(entity.name) else (entity, other)
        if longer.name.endswith(shorter.name):
            front = longer.name.removesuffix(shorter.name)
            better = (
                longer if longer.exact or parse_place(front)[1] == len(front) or _ends_with_place(front) else shorter
            )
            return replace(entity, name=better.name, exact=better.exact)
    return entity
