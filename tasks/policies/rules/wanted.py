"""Reads the words of a question between its named things: relations, attributes, conditions, selections, counts.

The result is a list of mentions in order. What they mean together is decided by `plan`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from store.text.numerals import to_decimal
from tasks.policies.rules import vocabulary as words
from tasks.policies.rules.recognise import Entity


class Modifier(NamedTuple):
    """A condition or a choice.

    op: ">", ">=", "<", "<=", "=", "in" (year range), "max", "min", "mode", "role", "name", "cause", "type", "level",
    "listed", "exists", "other". concept: the attribute compared ('' = whatever fits). value: yuan, percent, years, text.
    nth: 1 = the extreme itself, 2 = the second.
    """

    op: str
    concepts: tuple[str, ...] = ()
    value: Any = None
    nth: int = 1


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of the question with what it may mean.

    kind: entity, term (relations and/or attributes), modifier, select (a choice that may itself be asked for), count,
    sum, ask, money, focus, listed, days.
    """

    kind: str
    start: int
    end: int
    text: str
    weight: float
    relations: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    modifier: Modifier | None = None
    unit: str = ""
    pointing: bool = False
    entity: Entity | None = None
    factor: float = 1.0
    facts: tuple[str, ...] = field(default=())


_NUMBER = r"(?:\d+(?:,\d{3})*(?:\.\d+)?|[一二两三四五六七八九十百千零半]+)"
_UNIT = r"(?:亿元|千万元|百万元|十万元|万元|亿|千万|百万|万|元|块钱|块|%|％|天)"
_OVER = "|".join(sorted(words.GREATER, key=len, reverse=True))
_UNDER = "|".join(sorted(words.LESS, key=len, reverse=True))
_SCALE = {"亿": 10**8, "千万": 10**7, "百万": 10**6, "十万": 10**5, "万": 10**4}


def _amount(number: str, unit: str | None) -> Decimal:
    value = to_decimal(number) or Decimal(0)
    return value * _SCALE.get((unit or "").removesuffix("元"), 1)


def _threshold(m: re.Match[str]) -> Modifier:
    low, high = m["op"], m["tail"] or ""
    percent = (m["unit"] or "") in ("%", "％") or bool(m["per"])
    op = ">" if low and re.fullmatch(_OVER, low) else "<" if low else ">=" if "上" in high else "<="
    if low in words.INCLUSIVE:
        op += "="
    return Modifier(op, ("ratio",) if percent else (), _amount(m["number"], m["unit"]))


def _years(m: re.Match[str]) -> Modifier:
    year, tail = int(m["year"]), m["tail"] or ""
    if m["until"]:
        return Modifier("in", ("date",), (year, int(m["until"])))
    if re.search(r"前", tail):
        return Modifier("in", ("date",), (0, year - 1))
    if re.search(r"以来|起|至今|开始", tail) or m["from"]:
        return Modifier("in", ("date",), (year, 9999))
    if re.search(r"后", tail):
        return Modifier("in", ("date",), (year, 9999))
    return Modifier("in", ("date",), (year, year))


def _chosen(text: str) -> Modifier:
    nth = re.search(r"第([二三四五六七八2-8])|次", text)
    order = "max"
    for op, table in (("max", words.MAXIMUM), ("min", words.MINIMUM), ("first", words.EARLIEST), ("last", words.LATEST)):
        if text in table:
            order = op
    if nth:
        order = {"高": "max", "大": "max", "多": "max", "低": "min", "小": "min", "少": "min", "早": "first", "晚": "last", "新": "last"}[text[-1]]
    rank = 1
    if nth:
        digit = nth[1] or "二"
        rank = "一二三四五六七八".index(digit) + 1 if digit in "一二三四五六七八" else int(digit)
    return Modifier(order, (), None, rank)


_CAUSE = r"[^，。；？的和与在中其了作为过几起多少件次参]{2,12}"
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("threshold", rf"(?P<op>{_OVER}|{_UNDER})了?(?:人民币|有)?(?P<per>百分之)?(?P<number>{_NUMBER})(?P<unit>{_UNIT})?(?:人民币|元)?(?P<tail>)"),
    ("threshold", rf"(?P<op>)(?P<per>百分之)?(?P<number>{_NUMBER})(?P<unit>{_UNIT})(?:人民币)?(?:及|或|\(含\))?(?P<tail>以上|以下|以内|之上|之下)"),
    ("billion", r"[过超上破]亿|亿元?以上|过千万|上千万|超千万|过百万|上百万|超百万"),
    ("between", rf"(?:在|介于|处于)?(?P<a>{_NUMBER})(?P<au>{_UNIT})?(?:到|至|-|—|~|和|与)(?P<b>{_NUMBER})(?P<bu>{_UNIT})(?:人民币)?之?[间内]?"),
    ("date", r"(?P<from>自|从)?(?P<year>(?:19|20)\d\d)年?(?:到|至|-|~|—|和)(?P<until>(?:19|20)\d\d)年(?:度|之?间|期间|底)?(?P<tail>)"),
    ("date", r"(?P<from>自|从)?(?P<year>(?:19|20)\d\d)年(?:度|份|期间|内|当年|间)?(?P<tail>之后|以后|以来|之前|以前|至今|开始|后|前|起)?(?P<until>)(?!\d{1,2}月)"),
    ("full", r"全资(?:控股|控制|拥有)?(?:的)?|百分之百(?:控股|持股|投资)的?|100[%％](?:控股|持股|参股|投资)的?|完全控股的?|独资(?:控股)?的?"),
    ("nth", r"(?:排名|排在|位居|位列)?(?:第[二三四五六2-6]|次)(?:位)?[高大多低小少早晚新]"),
    ("mode", r"(?:审理|合作|参与|出现|办理|执行|处理|服务|代理|涉及|委托|聘用|聘请|选择|交手|被告|立案)?(?:过)?(?:的)?(?:次数|频次|案件数量|案件数|案件|数量|频率)(?:为|是)?最(?:多|高|频繁)(?:次)?|(?:最多|多)次(?:被)?(?:合作|审理|委托|选择|聘请|参与|涉及|代理)|合作最(?:多|频繁|密切)|(?:审理|出现|参与|代理|处理|委托|涉及|聘请|选择|服务)(?:得|过|的)?(?:次数)?最(?:多|频繁)(?:次)?|最常(?:合作|委托|出现|选择|聘请|见|审理|用)?|最频繁|曾多次合作|多次合作"),
    ("served", r"(?:服务|代理)(?:了|过|已|的|于|过的|过几家)*(?:已)?(?:(?:多少|几)[家次个]|的)*(?:已)?上市(?:公司|企业)|为(?:了|过)?(?:(?:多少|几)[家个]|哪些)?(?:已)?上市(?:公司|企业)(?:提供(?:过|了)?|服务|的)*(?:法律)?服务|服务(?:过|的)?(?:多少|几)[家次个](?:已)?上市(?:公司|企业)|(?:多少|几)[家个](?:其|它)?(?:所)?服务(?:过|了)?的?(?:已)?上市(?:公司|企业)|已服务过几次上市公司|服务过?几次上市公司"),
    ("listed", r"(?:是否|是不是|是否为|是否属于|有没有|有无)(?:为|是|属于|已经|已|一家)*(?:上市(?:公司|企业)?(?:了)?|公开上市)|(?:是|属于|为)(?:一家)?上市(?:公司|企业)(?:吗|么|？)"),
    ("if", r"(?:如果|若|如|假如|倘若|要是)(?:它|其|该公司|他|该企业|这家公司|他们)?(?:是|属于|为)(?:一家)?(?:上市(?:公司|企业))?(?:的话)?|(?:如果|若)(?:没有|有|无)(?:的话)?(?:则|就|请)?(?:回答|填|写|说明)?(?:无|没有)?"),
    ("are_listed", r"(?:是|属于|为|作为|均为|都是)(?:一家)?上市(?:公司|企业)(?:的)?|已上市的|已经上市的|上市(?:公司|企业)(?=(?:又|共|一共|总共|总计|的)?(?:有|占|数量|为)?(?:是|为|有)?(?:多少|几)[家个])"),
    ("role", r"(?:作为|担任|以|代表|代理|为|是|充当|成为|身为|当)(?P<role>被告|原告|被诉|起诉)(?:方|人)?(?:的)?(?:身份|角色|代理人?|一方|当事人)*(?:参与|代理|涉及|涉案|出庭)?(?=时|的|进行|涉|参|且|和|所|，|曾|、|诉|名|代|案|有|共|或|过|情况|在|其|合|并|多|最|选|聘|委|金|一|审|当)"),
    ("name", r"(?:名称|名字|名)(?:中|里|内)?(?:包含|含有|带有|包括|含|有|带)了?[“\"‘'「『](?P<part>[^，。“”\"‘’'」』]{1,12}?)[”\"’'」』](?:字样|二字|两字|两个字|几个字|字)?"),
    ("name", r"(?:名称|名字|名)(?:中|里|内)?(?:包含|含有|带有|包括|含|有|带)了?[“\"‘'「『]?(?P<part>[^，。“”\"‘’'」』的]{1,8}?)[”\"’'」』]?(?:字样|二字|两字|两个字|几个字|字)?(?=的|，|。|？|且|是|公司|法院|律|企业)"),
    ("cause", rf"案由(?:是|为|属于|包含|含有|涉及)(?!什么|哪|谁|何)[“\"‘']?(?P<cause>{_CAUSE}?)[”\"’']?(?=的|，|。|案|？)"),
    ("cause", rf"(?:和|与|涉及|关于|有关|属于|因)(?P<cause>{_CAUSE}?)(?:有关|相关)的?(?=案|诉|纠|官|法律)"),
    ("cause", r"(?P<cause>[^，。；？的在中其了作为过几起多少件次参与]{2,6}(?:(?:、|或|和|与|及|以及)[^，。；？的在中其了作为过几起多少件次参与]{2,6})?)(?:相关|有关)的?(?=案件|诉讼|纠纷)"),
    ("cause", r"(?P<cause>[^，。；？！、的和与在中其了作为及涉于“”（）]{2,10}?(?:纠纷|争议))(?:类型|类|的)?(?=案件|案|的案)"),
    ("type", r"(?P<type>民事|刑事|行政|执行|一审|二审|再审)(?:类)?(?:判决|裁定)?(?:的)?(?=案件|诉讼|案子)"),
    ("sided", r"(?P<side>原告|被告)(?:方|人|公司|企业)?(?:的|在(?:该|此|本|这|上述|这起|该起)案件?(?:中|里)?|所|共同|当时|曾|有|一方|方面){0,4}(?:选择|委托|聘请|聘用|指定|雇佣|使用|代理)(?:了|过|的|其)*(?:代理)?(?:律师事务所|律所|事务所)"),
    ("level", r"(?P<level>基层|中级|高级|最高|专门)(?:管理|人民|审理|审判)?(?=法院)|(?:是|为|属于)(?:一个|一家)?(?P<level2>基层|中级|高级)(?:人民)?法院"),
    ("is_sub", r"(?:是|为|属于)(?:另)?(?:一家|某个?|某家|一个|其他)?(?:上市)?(?:公司|企业)?(?:的)?子公司(?!的|中|里)"),
    ("recent", r"(?:最近|最后)(?:的)?一[次起个笔件条]|(?:最近|最后)的(?=案|审|限|终|失|处)"),
    ("other", r"其他的?|其它的?|另外的?|别的|其余的?|剩余的?"),
    ("focus", r"(?:该|这家|这个|这些|那家|那个|此|上述|本|这一|这起|该起|该笔|那起|这名|这所|那些|该类|此类)(?=母公司|子公司|公司|企业|法院|律所|律师事务所|事务所|案件|案|地区|区域|地址|原告|被告|终本|限高|失信|主体|地$|记录|裁判|诉讼|行政)"),
    ("its", r"其中(?:，)?|(?:它们|他们|它|他|她|其)(?!他|它|余|实|次|中)|该(?!公司|地)"),
    ("which", r"哪(?:些|个|家|一家|几家|几个|一个|所|位|几所|里|一些|一)|什么(?!时候)"),
    ("days", r"(?:相差|间隔|相隔|相距|差了?|隔了?|之间|经过了?|历时|用了|耗时|时间差)[^，。？、的]{0,8}?(?:多少|几)(?:个)?(?:天|日)|(?:多少|几)(?:个)?天|天数|时间差|间隔时间|时间间隔"),
    ("invests", r"投资(?:了|过|有|着)?(?:的)?(?:有)?(?P<much>(?:多少|几)(?:家|个)?)(?:子公司|公司|企业)?|(?:拥有|有|设立了?|控制)(?P<many>(?:多少|几)(?:家|个)?)(?:子公司|下属公司|旗下公司)"),
    ("verb", r"(?:所)?(?:投资|控股|参股|持股|入股)(?:了|过|于|到)?"),
    ("put_in", r"(?:投资|投入|投|出资|注资)(?:了|过|的)?(?:的)?(?:金额|资金|金额为)?(?:是|为|有)?(?:多少|几)(?P<unit>亿元|万元|元|亿|万|钱|资金)"),
    ("where", r"(?:具体|究竟|到底)?(?:位于|坐落于|坐落在|设在|处于|在)(?:什么|何|哪个?)(?:地方|里|儿|处|位置|地点)|在哪(?=[？。，]|$)|地处何处|在何处"),
    ("placed", r"(?:所(?:在|处|属)|隶属|归属|对应|相应)(?:的|地)?(?:具体)?(?:的)?(?P<part>省市区县|省市区|市区县|区县|县区|省份|城市|地区|区域|地域|辖区|省|市|县|区|地)(?:域|内|里|范围内|范围)?(?!址|方)"),
    ("count", r"(?P<about>案件|案子|案)(?:的)?(?:总)?(?:数量|总数|次数|数目|数|件数|总量)(?:总共|一共|总计|共)?(?:是|为|有|达)?(?:(?:多少|几)(?P<unit>个|次|起|件|条|宗|例|笔|桩|份)?)?"),
    ("count", r"(?P<about>)(?:一共|总共|总计|共计|合计|共)?(?:有|了|过|是|为)*(?:多少|几)(?P<unit>个|家|次|起|件|条|宗|例|所|笔|项|名|间|桩|份|位|回)(?!月|工作日|天|亿|元)"),
    ("money", r"(?:共计|总计|合计|一共|总共|共)?(?:是|为|有|达)?(?:多少|几)(?P<unit>亿元|万元|元|亿|万|钱|块)"),
    ("laws", r"(?:法律条款|法律条文|法条|法律依据|法律法规|法规|法律规定|引用的法律|适用的法律|具体条款|哪些法律)"),
    ("clause", r"(?P<clause>违约金|赔偿金|补偿金|逾期利息|利息|案件受理费|受理费|诉讼费用|诉讼费|货款|定金|本金|抚慰金|工程款|租金|保全费|鉴定费|律师费|医疗费|误工费|护理费|公告费)(?:数额|金额|的金额|的数额)?"),
    ("ask", r"(?:分别)?(?:是|为)(?:谁|什么(?!时候)|哪(?![家个些一几所位])|？|\?|，请|$)|叫什么|叫啥|分别是|具体是|名称|名字|具体名称|名单|信息(?!记录)|是(?=$)"),
)  # fmt: skip
_PARTS = ((("区县", "县区", "县", "区"), "county"), (("城市", "市"), "city"), (("省份", "省"), "province"), (("省市区县", "省市区", "市区县"), "place"))
_COMPILED = tuple((name, re.compile(pattern)) for name, pattern in _PATTERNS)
_MERGED = {"过亿": 10**8, "超亿": 10**8, "上亿": 10**8, "破亿": 10**8}


@lru_cache(maxsize=1)
def _dictionary() -> dict[str, list[tuple[str, str, tuple[str, ...], tuple[str, ...], float]]]:
    """First character -> (word, kind, relations, attributes, weight), longest word first."""
    entries: dict[str, tuple[str, list[str], list[str], float]] = {}
    for table, slot in ((words.RELATIONS, 1), (words.ATTRIBUTES, 2)):
        for name, weight, text in table:
            for word in text.split():
                entry = entries.setdefault(word, ("term", [], [], 0.0))
                if name not in entry[slot]:
                    entry[slot].append(name)
                entries[word] = (entry[0], entry[1], entry[2], max(weight, entry[3]) if not entry[3] else entry[3])
    for word in words.SUM_WORDS:
        known = entries.get(word)
        entries[word] = ("sum", [], known[2] if known else [], 2.5)
    for word in words.COUNT_NOUNS:
        entries[word] = ("count", [], [], 2.0)
    for table_words in (words.MAXIMUM, words.MINIMUM, words.EARLIEST, words.LATEST):
        for word in table_words:
            entries[word] = ("select", [], [], 3.0)
    heads: dict[str, list[tuple[str, str, tuple[str, ...], tuple[str, ...], float]]] = {}
    for word, (kind, relations, concepts, weight) in entries.items():
        heads.setdefault(word[0], []).append((word, kind, tuple(relations), tuple(concepts), weight))
    for bucket in heads.values():
        bucket.sort(key=lambda entry: -len(entry[0]))
    return heads


def _word(text: str, position: int, limit: int) -> Mention | None:
    for word, kind, relations, concepts, weight in _dictionary().get(text[position], ()):
        end = position + len(word)
        if end <= limit and text.startswith(word, position):
            mention = Mention(kind, position, end, word, weight, relations, concepts)
            if kind == "select":
                weight = 1.2 if word == "最新" else weight
                return replace(mention, weight=weight, modifier=_chosen(word))
            if kind == "count":
                return replace(mention, unit=words.UNITS.get(word, ""))
            return mention
    return None


def _pattern(text: str, position: int, limit: int) -> Mention | None:
    best: Mention | None = None
    for name, pattern in _COMPILED:
        match = pattern.match(text, position, limit + 1)
        if match is None or match.end() > limit or match.end() == position:
            continue
        if best is None or match.end() > best.end:
            best = _mention(name, match)
    return best


def _predicate(text: str) -> tuple[str, ...]:
    """Marks 是上市公司: said of the noun before it, where 上市的 waits for the noun after it."""
    return ("predicate",) if text.startswith(("是", "为", "属于", "均为", "都是")) else ()


def _mention(name: str, m: re.Match[str]) -> Mention:
    def made(kind: str, weight: float, **more: Any) -> Mention:
        return Mention(kind, m.start(), m.end(), m[0], weight, **more)

    match name:
        case "threshold":
            return made("modifier", 3.0, modifier=_threshold(m))
        case "billion":
            scale = 10**8 if "亿" in m[0] else 10**7 if "千万" in m[0] else 10**6
            return made("modifier", 3.0, modifier=Modifier(">", (), Decimal(scale)))
        case "between":
            unit = m["au"] or m["bu"]
            return made("modifier", 3.0, modifier=Modifier("between", (), (_amount(m["a"], unit), _amount(m["b"], m["bu"]))))
        case "date":
            return made("modifier", 2.2, modifier=_years(m))
        case "full":
            return made("modifier", 3.0, modifier=Modifier("=", ("ratio",), Decimal(100)))
        case "nth":
            return made("select", 3.0, modifier=_chosen(m[0]))
        case "mode":
            return made("modifier", 3.0, modifier=Modifier("mode"))
        case "served":
            unit = re.search(r"(?:多少|几)([家次个])", m[0])
            return made("term", 3.0, concepts=("served",), unit=unit[1] if unit else "")
        case "listed":
            return made("listed", 2.5)
        case "if":
            return made("filler", 0.0)
        case "are_listed":
            return made("modifier", 2.0, modifier=Modifier("listed"), facts=_predicate(m[0]))
        case "role":
            role = "plaintiff" if m["role"] in ("原告", "起诉") else "defendant"
            return made("modifier", 2.2, modifier=Modifier("role", (), role))
        case "name":
            return made("modifier", 2.5, modifier=Modifier("name", (), m["part"]))
        case "cause":
            return made("modifier", 1.6, modifier=Modifier("cause", (), m["cause"]))
        case "type":
            return made("modifier", 1.0, modifier=Modifier("type", (), m["type"]))
        case "sided":
            return made("term", 3.0, relations=("plaintiff_firm" if m["side"] == "原告" else "defendant_firm",))
        case "is_sub":
            return made("modifier", 2.0, modifier=Modifier("exists", (), "parent"), facts=_predicate(m[0]))
        case "recent":
            return made("select", 2.5, modifier=Modifier("last"))
        case "level":
            return made("modifier", 1.8, modifier=Modifier("level", (), m["level"] or m["level2"]))
        case "other":
            return made("modifier", 1.5, modifier=Modifier("other"))
        case "focus":
            return made("pointer", 0.0)
        case "its":
            return made("focus", 0.05)
        case "which":
            return made("which", 0.15)
        case "verb":
            return made("verb", 0.1)
        case "put_in":
            return made("term", 2.5, concepts=("invested",), unit=m["unit"])
        case "where":
            return made("term", 1.5, relations=("address",), concepts=("address",))
        case "placed":
            part = next((c for letters, c in _PARTS if m["part"] in letters), "")
            return made("term", 1.5, relations=("place",), concepts=(part,) if part else ())
        case "days":
            return made("days", 3.0)
        case "invests":
            return made("invests", 3.0, unit=(m["much"] or m["many"] or "")[-1:].strip("少几"))
        case "count":
            return made("count", 2.5, unit=m["unit"] or "", facts=("case",) if m["about"] else ())
        case "money":
            return made("money", 0.8, unit=m["unit"])
        case "laws":
            return made("term", 1.6, concepts=("laws",))
        case "clause":
            return made("term", 1.2, concepts=(f"clause:{m['clause']}",))
        case _:
            return made("ask", 0.2)


_FORMATTING = re.compile(
    r"（[^（）]*(?:保留|单位|格式|小数|四舍五入|取整|整数)[^（）]*）|(?:请)?(?:注意)?[，：]?(?:金额|结果|数额|总额|数值|答案|日期|时间|回答|数据)?(?:请|均|统一|都)?(?:四舍五入)?(?:保留|取)(?:到|至)?(?:小数点后)?[一两二2-4](?:位)?(?:小数)?|"
    r"(?:以|用|按照?)(?:亿元|万元|元)为单位|单位(?:为|是|：)?(?:亿元|万元|元)|(?:回答|输出|结果)?(?:的)?(?:输出|日期|时间)?格式(?:使用|为|是|请使用|采用|：)?[“\"]?[xX]{2,4}年[xX]{2}月[xX]{2}日[”\"]?"
)
_ASKED = re.compile(r"多少|哪|是谁|什么|是否|吗|几[家个次起]|[？?]")


def _clause_factors(text: str, entities: list[Entity]) -> list[float]:
    """How much each character counts: small talk and reasons little, questions fully."""
    factors = [1.0] * len(text)
    asking = re.compile(r"多少|哪|是谁|什么|是否|是不是|吗|几[家个次起件条所]|提供|查询|查一下|查找|确认|告诉|列出|核实|请问|了解|知道|想要|[？?]")
    seen_entity = False
    for match in re.finditer(r"[^，。；？！]+[，。；？！]?", text):
        clause = match[0]
        has_entity = any(match.start() <= e.start < match.end() for e in entities if e.kind != "place" or (e.place and e.place.county))
        factor = 1.0
        talk = next((w for w in words.SMALL_TALK if clause.startswith(w)), "以" if re.match(r"以(?!及|下|前|后|上|来|往|何|内|外)", clause) else "")
        if talk and not (has_entity and len(clause) > 25) and not re.search(r"需要(?:确认|了解|知道|查)|想|请问|[？?]", clause):
            factor = 0.12
        elif any(clause.startswith(w) for w in words.PREAMBLE):
            asked = _ASKED.search(clause)
            factor = 1.0 if asked and (has_entity or seen_entity) else 0.7 if has_entity or seen_entity else 0.15
        elif not asking.search(clause) and not has_entity and not seen_entity:
            factor = 0.4
        seen_entity = seen_entity or has_entity
        for position in range(match.start(), match.end()):
            factors[position] = factor
    for match in re.finditer(r"(?:以便|从而|为(?:我们?|客户|当事人|后续|进一步|其|委托人)[^，。？]{0,20}提供|以(?:评估|确保|确定|判断|进一步|帮助|支持|制定|更好))[^，。？！]*", text):
        if not any(match.start() <= e.start < match.end() for e in entities):
            for position in range(match.start(), match.end()):
                factors[position] = min(factors[position], 0.15)
    return factors


def read(text: str, entities: list[Entity]) -> list[Mention]:
    """All mentions of a tidy question, in order."""
    factors = _clause_factors(text, entities)
    starts = {entity.start: entity for entity in entities}
    mentions: list[Mention] = []
    blanks = [m.span() for m in _FORMATTING.finditer(text)]
    position = 0
    while position < len(text):
        skip = next((end for start, end in blanks if start <= position < end), None)
        if skip is not None and position not in starts:
            position = skip
            continue
        if position in starts:
            entity = starts[position]
            weight = 4.0 if entity.kind != "place" or (entity.place and entity.place.county) else 0.5
            mentions.append(Mention("entity", entity.start, entity.end, entity.name, weight, entity=entity, factor=factors[position]))
            position = entity.end
            continue
        limit = next((entity.start for entity in entities if entity.start > position), len(text))
        word, pattern = _word(text, position, limit), _pattern(text, position, limit)
        best = word if word and (not pattern or len(word.text) > len(pattern.text)) else pattern
        if best is None:
            position += 1
            continue
        mentions.append(replace(best, factor=factors[position]))
        position = best.end
    return _combine(mentions, text)


def _combine(mentions: list[Mention], text: str) -> list[Mention]:
    """Joins neighbours that mean one thing: attribute + threshold, attribute + choice, count + measure word."""
    mentions = _investors(mentions, text)
    result: list[Mention] = []
    index = 0
    while index < len(mentions):
        mention = mentions[index]
        following = mentions[index + 1] if index + 1 < len(mentions) else None
        gap = text[mention.end : following.start] if following else ""
        joined = _join(mention, following, gap) if following else None
        if joined is not None:
            mentions[index + 1] = joined
            index += 1
            continue
        if mention.text in ("多少", "有多少") and mention.kind == "count" and result and result[-1].concepts and re.fullmatch(r"(?:分别|各自|具体)?(?:是|为|达)?", text[result[-1].end : mention.start]):
            index += 1
            continue
        if mention.kind == "listed" and re.search(r"(?:[几多][家个]|多少[家个]|哪[些几]|哪家|分别)(?:公司|企业)?$", text[max(0, mention.start - 6) : mention.start]):
            mention = replace(mention, kind="modifier", modifier=Modifier("listed"))
            mentions[index] = mention
        if mention.kind == "term" and result and mention.text.startswith(("在哪", "位于", "在什么", "在何", "坐落", "设在", "具体")) and "address" in mention.concepts and {"address", "register_address", "office_address"} & set(result[-1].concepts):
            index += 1
            continue
        if mention.kind == "pointer":
            if following and not gap and following.relations:
                mentions[index + 1] = replace(following, pointing=True)
        elif mention.kind == "term" and following and following.kind == "entity" and _LABELS.fullmatch(gap) and mention.concepts:
            pass
        elif mention.kind != "filler":
            result.append(_listed(mention, mentions, index, text))
        index += 1
    return result


def _investors(mentions: list[Mention], text: str) -> list[Mention]:
    """投资某公司的上市公司 and 哪家公司投资了某公司 both speak of the parent."""
    result = list(mentions)
    for index, mention in enumerate(mentions[:-1]):
        entity = mentions[index + 1]
        if mention.kind not in ("invests", "verb") or mention.unit or entity.kind != "entity" or text[mention.end : entity.start].strip("对到"):
            continue
        noun = _INVESTOR.match(text, entity.end)
        before = mentions[index - 1] if index else None
        if noun or (before is not None and _WHO.search(text[max(0, mention.start - 9) : mention.start])):
            end = noun.end() if noun else entity.end
            parent = Mention("term", entity.end, end, noun[0] if noun else mention.text, 3.0, relations=("parent",), factor=entity.factor, facts=("closing",) if not noun else ())
            result[index] = entity
            result[index + 1] = parent
            result = [m for m in result if m is parent or m is entity or not (parent.start <= m.start < parent.end)]
            if not noun:
                result = [m for m in result if not (mention.start - 9 <= m.start < mention.start and m.kind in ("term", "which"))]
            return result
    return result


_INVESTOR = re.compile(r"的(?:那家|该|这家|各)?(?:上市)?(?:母公司|公司|企业|股东|投资方|集团)(?!名称)")
_WHO = re.compile(r"(?:哪[家个些]|哪一家|什么)(?:上市)?(?:公司|企业|母公司|集团)(?:所|曾|对|在)?$")
_LABELS = re.compile(r"(?:是|为|：|:|在|位于|“|\"|‘|'|即|（)*")
_BEFORE = re.compile(r"(?:、|和|及|以及|与|并|，以及|，及|跟|还有|，还有)(?:其|它的|该|相应的|对应的|具体的?)*$")
_AFTER = re.compile(r"^(?:、|和|及|以及|与|，以及|，及|跟|还有|，还有)")


def _listed(mention: Mention, mentions: list[Mention], index: int, text: str) -> Mention:
    """Marks a mention that stands in an enumeration: 原告和被告, 名称、电话及地址."""
    if mention.kind == "modifier" and re.search(r"(?:且|并|并且|而且|同时)$", text[max(0, mention.start - 2) : mention.start]):
        return replace(mention, facts=(*mention.facts, "conjunct"))
    if mention.kind in ("count", "which") and re.match(r"(?:呢)?[，。；？！]", text[mention.end :]):
        return replace(mention, facts=(*mention.facts, "closing"))
    if mention.kind != "term":
        return mention
    end = re.match(r"(?:呢)?(?:[。；？！]|$)|(，)", text[mention.end :])
    if end and mention.relations:
        mention = replace(mention, facts=(*mention.facts, "pausing" if end[1] else "closing"))
    joined = _AFTER.match(text[mention.end : mention.end + 3]) or _BEFORE.search(text[max(0, mention.start - 8) : mention.start])
    return replace(mention, facts=(*mention.facts, "listed")) if joined else mention


_MEASURED = frozenset("amount fine target unpaid invested capital founded date filed published closed punished ratio listing_date insured rank served net_raised violations investigations issue_price".split())
_CHANGING = re.compile(r"^(?:的|审理的|涉及的|为|是|在|于|比|数|且|也|都|均|额|分别|，|达|则|自|金额|时间|中|、|数额|有){0,3}$")


_DATES = frozenset("founded date filed published closed punished listing_date".split())


def _agree(op: str, concepts: tuple[str, ...]) -> bool:
    """Whether a choice suits an attribute: the earliest of dates, the highest of amounts."""
    return op in ("max", "min") or bool(_DATES & set(concepts))


def _join(first: Mention, second: Mention, gap: str) -> Mention | None:
    measured = tuple(c for c in first.concepts if c in _MEASURED)
    if first.kind in ("term", "sum") and measured and second.modifier and len(gap) <= 4 and _CHANGING.match(gap):
        modifier = second.modifier
        if second.kind == "select" or (second.kind == "modifier" and modifier.op in (">", ">=", "<", "<=", "between")):
            if "，" in gap and second.kind == "select":
                return None
            return replace(second, start=first.start, text=first.text + gap + second.text, modifier=modifier._replace(concepts=measured), facts=("after",))
        if modifier.op == "in" and set(measured) & {"founded", "date", "filed", "published", "closed", "punished", "listing_date"}:
            return replace(second, start=first.start, text=first.text + gap + second.text, modifier=modifier._replace(concepts=measured))
    if first.modifier and first.modifier.op == "in" and second.kind == "term" and gap in ("", "的", "期间", "内", "就", "度", "已", "注册", "新") and second.text in (
        "成立", "设立", "创立", "创办", "注册", "立案", "处罚", "上市"):
        concept = {"立案": "filed", "处罚": "punished", "上市": "listing_date"}.get(second.text, "founded")
        return replace(first, end=second.end, text=first.text + gap + second.text, modifier=first.modifier._replace(concepts=(concept,)))
    if first.kind == "select" and first.modifier and not first.modifier.concepts and _agree(first.modifier.op, second.concepts) and gap in ("", "的", "一笔", "的一笔", "一次", "一笔的", "涉及") and second.kind in ("term", "sum"):
        measured = tuple(c for c in second.concepts if c in _MEASURED)
        if measured and second.text not in ("标的",):
            facts = ("verb",) if second.text in ("成立", "设立", "创立", "创办") else ("before",)
            return replace(first, end=second.end, text=first.text + gap + second.text, modifier=first.modifier._replace(concepts=measured), facts=facts)
    if first.kind == "select" and second.kind == "select" and first.modifier and second.modifier and gap in ("和", "与", "及", "以及", "、", "的和") and {first.modifier.op, second.modifier.op} in ({"max", "min"}, {"first", "last"}):
        return replace(second, start=first.start, text=first.text + gap + second.text, modifier=Modifier("ends", first.modifier.concepts or second.modifier.concepts))
    if first.kind == "count" and second.kind == "count" and len(gap) <= 6 and not re.search(r"[，。；？]", gap):
        return replace(second, start=first.start, text=first.text + gap + second.text, unit=second.unit or first.unit)
    if first.modifier and second.modifier and first.modifier.op in (">", ">=", "<", "<=") and second.kind == "modifier" and not second.modifier.concepts and second.modifier.op in (">", ">=", "<", "<=") and len(gap) <= 4:
        low, high = (first.modifier, second.modifier) if first.modifier.op[0] == ">" else (second.modifier, first.modifier)
        return replace(second, start=first.start, text=first.text + gap + second.text, modifier=Modifier("between", first.modifier.concepts, (low.value, high.value)))
    if first.kind == "sum" and second.kind == "money" and len(gap) <= 4:
        return replace(second, kind="sum", concepts=first.concepts, start=first.start, weight=2.5, text=first.text + gap + second.text)
    if first.kind == "term" and first.concepts == ("served",) and second.kind == "count" and len(gap) <= 5 and "，" not in gap:
        return replace(first, end=second.end, unit=second.unit or first.unit)
    return None
