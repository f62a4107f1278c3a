"""Turns of phrase that carry meaning as a whole: thresholds, years, counts, roles, choices. One row a turn, general
Chinese."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from store.text.numerals import to_decimal
from tasks.legalagentbench.rules import vocabulary as words
from tasks.legalagentbench.rules.mentions import Mention, Modifier

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


def chosen(text: str) -> Modifier:
    """The choice that a word such as 最高, 最早 or 第二大 names."""
    nth = re.search(r"第([二三四五六七八2-8])|^(?:排名|排在|位居|位列)?次", text)
    order = "max"
    for op, table in (
        ("max", words.MAXIMUM),
        ("min", words.MINIMUM),
        ("first", words.EARLIEST),
        ("last", words.LATEST),
    ):
        if text in table:
            order = op
    if nth:
        order = {
            "高": "max",
            "大": "max",
            "多": "max",
            "低": "min",
            "小": "min",
            "少": "min",
            "早": "first",
            "晚": "last",
            "新": "last",
        }[text[-1]]
    rank = 1
    if nth:
        digit = nth[1] or "二"
        rank = "一二三四五六七八".index(digit) + 1 if digit in "一二三四五六七八" else int(digit)
    return Modifier(order, (), None, rank)


_CAUSE = r"[^，。；？的和与在中其了作为过几起多少件次参]{2,12}"
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("threshold", rf"(?P<op>{_OVER}|{_UNDER})了?(?:人民币|有)?(?P<per>百分之)?(?P<number>{_NUMBER})(?P<unit>{_UNIT})?(?:人民币|元)?(?P<tail>)"),
    ("threshold", rf"(?P<op>)(?P<per>百分之)?(?P<number>{_NUMBER})(?P<unit>{_UNIT})(?:人民币)?(?:及|或|\(含\))?(?P<tail>以上|以下|以内|之上|之下)"),
    ("form", r"(?:民事|刑事|行政|执行)(?:判决书|裁定书|调解书|决定书)"),
    ("of_listed", r"(?:是|为|属于|系)?(?:某家?|一家|另一家)?上市(?:公司|企业)(?:所)?(?:投资|控股|参股|旗下)?的(?:全资|控股)?(?:企业|公司|子公司)"),
    ("invested_in", r"(?:所)?(?:投资|控股|参股)(?:了|过)?的(?:各家|各个|各|所有|全部|每家|这些|那些)(?:公司|企业|子公司)"),
    ("that_firm", r"(?:该|这家|此)所(?!在|属|有|以|处|涉|得|需|述|示|列)"),
    ("equal", rf"(?:为|是|等于|即)(?P<number>{_NUMBER})(?P<unit>%|％)"),
    ("when", r"(?:是|在|于)?(?:哪一?天|哪一?日|哪一?年(?:哪一?月哪一?[天日])?|何时|何日|何年|什么时候|什么时间|哪个日期|几时)(?:被|正式|才)?(?:在|到|由)?(?:工商(?:部门|局)?)?(?:登记|注册)?(?P<what>上市|挂牌|成立|设立|创立|创办|注册|立案|终本|终结|处罚|审理|判决|裁判|发布|公布|限高)(?:的)?"),
    ("of_which", r"(?:是|属于|为)(?:哪家|哪个|哪一家)(?:上市)?(?:公司|企业|集团)的(?:全资|控股)?(?:子公司|下属公司|旗下公司|附属公司)"),
    ("billion", r"[过超上破]亿|亿元?以上|过千万|上千万|超千万|过百万|上百万|超百万"),
    ("between", rf"(?:在|介于|处于)?(?P<a>{_NUMBER})(?P<au>{_UNIT})?(?:到|至|-|—|~|和|与)(?P<b>{_NUMBER})(?P<bu>{_UNIT})(?:人民币)?之?[间内]?"),
    ("date", r"(?P<from>自|从)?(?P<year>(?:19|20)\d\d)年?(?:到|至|-|~|—|和)(?P<until>(?:19|20)\d\d)年(?:度|之?间|期间|底)?(?P<tail>)"),
    ("date", r"(?P<from>自|从)?(?P<year>(?:19|20)\d\d)年(?:度|份|期间|内|当年|间)?(?P<tail>之后|以后|以来|之前|以前|至今|开始|后|前|起)?(?P<until>)(?!\d{1,2}月)"),
    ("full", r"全资(?:控股|控制|拥有)?(?:的)?|百分之百(?:控股|持股|投资)的?|100[%％](?:控股|持股|参股|投资)的?|(?:持股|控股|参股)(?:比例)?(?:为|达到?)?100[%％](?:的)?|完全控股的?|独资(?:控股)?的?"),
    ("nth", r"(?:排名|排在|位居|位列)?(?:第[二三四五六2-6]|次)(?:位)?[高大多低小少早晚新]"),
    ("mode", r"(?:审理|合作|参与|出现|办理|执行|处理|服务|代理|涉及|委托|聘用|聘请|选择|交手|被告|立案)?(?:过)?(?:的)?(?:次数|频次|案件数量|案件数|案件|数量|频率)(?:为|是)?最(?:多|高|频繁)(?:次)?|(?:最多|多)次(?:被)?(?:合作|审理|委托|选择|聘请|参与|涉及|代理)|合作最(?:多|频繁|密切)|(?:审理|出现|参与|代理|处理|委托|涉及|聘请|选择|服务)(?:得|过|的)?(?:次数)?最(?:多|频繁)(?:次)?|最常(?:合作|委托|出现|选择|聘请|见|审理|用)?|最频繁|曾多次合作|多次合作"),
    ("served", r"(?:服务|代理)(?:了|过|已|的|于|过的|过几家)*(?:已)?(?:(?:多少|几)[家次个]|的)*(?:已)?上市(?:公司|企业)|为(?:了|过)?(?:(?:多少|几)[家个]|哪些)?(?:已)?上市(?:公司|企业)(?:提供(?:过|了)?|服务|的)*(?:法律)?服务|服务(?:过|的)?(?:多少|几)[家次个](?:已)?上市(?:公司|企业)|(?:多少|几)[家个](?:其|它)?(?:所)?服务(?:过|了)?的?(?:已)?上市(?:公司|企业)|已服务过几次上市公司|服务过?几次上市公司"),
    ("listed", r"(?:是否|是不是|是否为|是否属于|有没有|有无)(?:为|是|属于|已经|已|一家)*(?:上市(?:公司|企业)?(?:了)?|公开上市)|(?:是|属于|为)(?:一家)?上市(?:公司|企业)(?:吗|么|？)"),
    ("if", r"(?:如果|若|如|假如|倘若|要是)(?:它|其|该公司|他|该企业|这家公司|他们)?(?:是|属于|为)(?:一家)?(?:上市(?:公司|企业))?(?:的话)?|(?:如果|若)(?:没有|有|无)(?:的话)?(?:则|就|请)?(?:回答|填|写|说明)?(?:无|没有)?"),
    ("are_listed", r"(?:是|属于|为|作为|均为|都是)(?:一家)?上市(?:公司|企业)(?:的)?|已上市的|已经上市的|上市(?:公司|企业)(?=(?:又|共|一共|总共|总计|的)?(?:有|占|数量|为)?(?:是|为|有)?(?:多少|几)[家个])"),
    ("role", r"(?P<sole>单独|独自|唯一)?(?:作为|担任|以|代表|代理|为|是|充当|成为|身为|当)(?P<role>被告|原告|被诉|起诉)(?:方|人)?(?:的)?(?:身份|角色|代理人?|一方|当事人)*(?:参与|代理|涉及|涉案|出庭)?(?=时|的|进行|涉|参|且|和|所|，|曾|、|诉|名|代|案|有|共|或|过|情况|在|其|合|并|多|最|选|聘|委|金|一|审|当)"),
    ("name", r"(?:名称|名字|名)(?:中|里|内)?(?:包含|含有|带有|包括|含|有|带)了?[“\"‘'「『](?P<part>[^，。“”\"‘’'」』]{1,12}?)[”\"’'」』](?:字样|二字|两字|两个字|几个字|字)?"),
    ("name", r"(?:名称|名字|名)(?:中|里|内)?(?:包含|含有|带有|包括|含|有|带)了?[“\"‘'「『]?(?P<part>[^，。“”\"‘’'」』的]{1,8}?)[”\"’'」』]?(?:字样|二字|两字|两个字|几个字|字)?(?=的|，|。|？|且|是|公司|法院|律|企业)"),
    ("cause", rf"案由(?:是|为|属于|包含|含有|涉及)(?!什么|哪|谁|何)[“\"‘']?(?P<cause>{_CAUSE}?)[”\"’']?(?=的|，|。|案|？)"),
    ("cause", rf"(?:和|与|涉及|关于|有关|属于|因)(?P<cause>{_CAUSE}?)(?:有关|相关)的?(?=案|诉|纠|官|法律)"),
    ("cause", r"(?P<cause>[^，。；？的在中其了作为过几起多少件次参与]{2,6}(?:(?:、|或|和|与|及|以及)[^，。；？的在中其了作为过几起多少件次参与]{2,6})?)(?:相关|有关)的?(?=案件|诉讼|纠纷)"),
    ("cause", r"(?P<cause>[^，。；？！、的和与在中其了作为及涉于“”（）]{2,10}?(?:纠纷|争议))(?:类型|类|的)?(?=案件|案|的案)"),
    ("cause", r"(?P<cause>(?:[^，。；？！、的和与在中其了作为过及涉于“”（）办审理]|劳务|劳动){2,8}?)类(?:型)?的?(?=案件|案子|官司|诉讼)(?<!民事类)(?<!刑事类)(?<!行政类)(?<!执行类)(?<!这一类)(?<!此类)"),
    ("type", r"(?P<type>民事|刑事|行政|执行|一审|二审|再审)(?:类)?(?:判决|裁定)?(?:的)?(?=案件|诉讼|案子)"),
    ("sided", r"(?P<side>原告|被告)(?:方|人|公司|企业)?(?:的|在(?:该|此|本|这|上述|这起|该起)案件?(?:中|里)?|所|共同|当时|曾|有|一方|方面){0,4}(?:选择|委托|聘请|聘用|指定|雇佣|使用|代理)(?:了|过|的|其)*(?:代理)?(?:律师事务所|律所|事务所)"),
    ("level", r"(?P<level>基层|中级|高级|最高|专门)(?:管理|人民|审理|审判)?(?=法院)|(?:是|为|属于)(?:一个|一家)?(?P<level2>基层|中级|高级)(?:人民)?法院"),
    ("is_sub", r"(?:是|为|属于)(?:另)?(?:一家|某个?|某家|一个|其他)?(?:上市)?(?:公司|企业)?(?:的)?子公司(?!的|中|里)"),
    ("recent", r"(?:最近|最后)(?:的)?一[次起个笔件条]|(?:最近|最后)的(?=案|审|限|终|失|处)"),
    ("other", r"其他的?|其它的?|另外的?|别的|其余的?|剩余的?"),
    ("focus", r"(?:该|这家|这个|这些|那家|那个|此|上述|本|这一|这起|该起|该笔|那起|这名|这所|那些|该类|此类)(?=上市公司|母公司|子公司|公司|企业|法院|律所|律师事务所|事务所|案件|案|地区|区域|地址|原告|被告|终本|限高|失信|主体|地$|记录|裁判|诉讼|行政)"),
    ("its", r"其中(?:，)?|(?:它们|他们|它|他|她|其)(?!他|它|余|实|次|中)|该(?!公司|地)"),
    ("which", r"哪(?:些|个|家|一家|几家|几个|一个|所|位|几所|里|一些|一)|什么(?!时候)"),
    ("days", r"(?:相差|间隔|相隔|相距|差了?|隔了?|之间|经过了?|历时|用了|耗时|跨了?|时间差)[^，。？、的]{0,8}?(?:多少|几)个?(?P<a>[天日年])|(?<![近前后这那头好])(?:多少|几)个?(?P<b>[天年])(?!内|来|前|的)|天数|时间差|间隔时间|时间间隔"),
    ("invests", r"投资(?:了|过|有|着)?(?:的)?(?:有)?(?P<much>(?:多少|几)(?:家|个)?)(?:子公司|公司|企业)?|(?:拥有|有|设立了?|控制)(?P<many>(?:多少|几)(?:家|个)?)(?:子公司|下属公司|旗下公司)"),
    ("verb", r"(?:所)?(?:投资|控股|参股|持股|入股)(?:了|过|于|到)?"),
    ("put_in", r"(?:投资|投入|投|出资|注资)(?:了|过|的)?(?:的)?(?:金额|资金|金额为)?(?:是|为|有)?(?:多少|几)(?P<unit>亿元|万元|元|亿|万|钱|资金)"),
    ("where", r"(?:具体|究竟|到底)?(?:位于|坐落于|坐落在|设在|处于|在)(?:什么|何|哪个?)(?:地方|里|儿|处|位置|地点)|在哪(?=[？。，]|$)|地处何处|在何处"),
    ("placed", r"(?:所(?:在|处|属)|隶属|归属|对应|相应)(?:的|地)?(?:具体)?(?:的)?(?P<part>省市区县|省市区|市区县|区县|县区|省份|城市|地区|区域|地域|辖区|省|市|县|区|地)(?:域|内|里|范围内|范围)?(?!址|方|划)"),
    ("count", r"(?P<about>案件|案子|案)(?:的)?(?:总)?(?:数量|总数|次数|数目|数|件数|总量)(?:总共|一共|总计|共)?(?:是|为|有|达)?(?:(?:多少|几)(?P<unit>个|次|起|件|条|宗|例|笔|桩|份)?)?"),
    ("count", r"(?P<about>)(?:一共|总共|总计|共计|合计|共)?(?:有|了|过|是|为)*(?:多少|几)(?P<unit>个|家|次|起|件|条|宗|例|所|笔|项|名|间|桩|份|位|回)(?!月|工作日|天|亿|元)"),
    ("money", r"(?:共计|总计|合计|一共|总共|共)?(?:是|为|有|达)?(?:多少|几)(?P<unit>亿元|万元|元|亿|万|钱|块)"),
    ("laws", r"(?:法律条款|法律条文|法条|法律依据|法律法规|法规|法律规定|引用的法律|适用的法律|具体条款|哪些法律)"),
    ("clause", r"(?P<clause>违约金|赔偿金|补偿金|逾期利息|利息|案件受理费|受理费|诉讼费用|诉讼费|货款|定金|本金|抚慰金|工程款|租金|保全费|鉴定费|律师费|医疗费|误工费|护理费|公告费)(?:数额|金额|的金额|的数额)?"),
    ("ask", r"(?:分别)?(?:是|为)(?:谁|什么(?!时候)|哪(?![家个些一几所位])|？|\?|，请|$)|叫什么|叫啥|分别是|具体是|名称|名字|具体名称|名单|信息(?!记录)|是(?=$)"),
)  # fmt: skip
_WHEN = {
    "上市": "listing_date", "挂牌": "listing_date", "成立": "founded", "设立": "founded", "创立": "founded", "创办": "founded",
    "注册": "founded", "立案": "filed", "终本": "closed", "终结": "closed", "处罚": "punished", "审理": "date", "判决": "date",
    "裁判": "date", "发布": "published", "公布": "published", "限高": "published",
}  # fmt: skip
_PARTS = (
    (("区县", "县区", "县", "区"), "county"),
    (("城市", "市"), "city"),
    (("省份", "省"), "province"),
    (("省市区县", "省市区", "市区县"), "place"),
)
_COMPILED = tuple((name, re.compile(pattern)) for name, pattern in _PATTERNS)


def pattern_at(text: str, position: int, limit: int) -> Mention | None:
    """The longest turn of phrase at a position that ends before the limit."""
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
        case "form":
            return made("modifier", 2.0, modifier=Modifier("form", (), m[0]), relations=("doc",))
        case "of_listed":
            return made("term", 2.0, relations=("parent",))
        case "invested_in":
            return made("term", 3.0, relations=("sub",))
        case "that_firm":
            return made("term", 1.0, relations=("firm",), pointing=True)
        case "equal":
            return made("modifier", 3.0, modifier=Modifier("=", ("ratio",), _amount(m["number"], None)))
        case "when":
            return made("term", 2.4, concepts=(_WHEN[m["what"]],))
        case "of_which":
            return made("term", 3.0, relations=("parent",), facts=("listed",))
        case "billion":
            scale = 10**8 if "亿" in m[0] else 10**7 if "千万" in m[0] else 10**6
            return made("modifier", 3.0, modifier=Modifier(">", (), Decimal(scale)))
        case "between":
            unit = m["au"] or m["bu"]
            return made(
                "modifier", 3.0, modifier=Modifier("between", (), (_amount(m["a"], unit), _amount(m["b"], m["bu"])))
            )
        case "date":
            return made("modifier", 2.2, modifier=_years(m))
        case "full":
            return made("modifier", 3.0, modifier=Modifier("=", ("ratio",), Decimal(100)))
        case "nth":
            return made("select", 3.0, modifier=chosen(m[0]))
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
            return made("modifier", 2.2, modifier=Modifier("role", ("sole",) if m["sole"] else (), role))
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
            return made("days", 3.0, unit="年" if "年" in (m["a"], m["b"]) else "天")
        case "invests":
            return made("invests", 3.0, unit=(m["much"] or m["many"] or "")[-1:].strip("少几"))
        case "count":
            return made("count", 2.5, unit=m["unit"] or "", facts=("case",) if m["about"] else ())
        case "money":
            kind = "sum" if re.match(r"共计|总计|合计|一共|总共|共", m[0]) else "money"
            return made(kind, 0.8, unit=m["unit"])
        case "laws":
            return made("term", 1.6, concepts=("laws",))
        case "clause":
            return made("term", 1.2, concepts=(f"clause:{m['clause']}",))
        case _:
            return made("ask", 0.2)
