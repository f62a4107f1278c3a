"""Names of charges as one crime may be written: with or without 罪, renamed by an amendment, chosen in part.

The official names are those of 最高人民法院、最高人民检察院《关于执行〈中华人民共和国刑法〉确定罪名的补充规定》 and of the
decision of 1997 before them. Which name applied on a day is no matter here: a gold answer may carry either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from store.text.normalise import fold_width

RENAMED: dict[str, tuple[str, str]] = {
    # old name: (name today, article of the Criminal Law and the 补充规定 that renamed it)
    "投毒": ("投放危险物质", "刑法第114条、第115条第1款；补充规定（2002）"),
    "过失投毒": ("过失投放危险物质", "刑法第115条第2款；补充规定（2002）"),
    "非法买卖、运输核材料": ("非法制造、买卖、运输、储存危险物质", "刑法第125条第2款；补充规定（2002）"),
    "盗窃、抢夺枪支、弹药、爆炸物": ("盗窃、抢夺枪支、弹药、爆炸物、危险物质", "刑法第127条；补充规定（2002）"),
    "抢劫枪支、弹药、爆炸物": ("抢劫枪支、弹药、爆炸物、危险物质", "刑法第127条第2款；补充规定（2002）"),
    "走私固体废物": ("走私废物", "刑法第152条第2款；补充规定（二）（2003）"),
    "奸淫幼女": ("强奸", "刑法第236条第2款；补充规定（2002）"),
    "非法占用耕地": ("非法占用农用地", "刑法第342条；补充规定（2002）"),
    "非法采伐、毁坏珍贵树木": ("危害国家重点保护植物", "刑法第344条；补充规定（二）（2003）、（七）（2021）"),
    "非法采伐、毁坏国家重点保护植物": ("危害国家重点保护植物", "刑法第344条；补充规定（七）（2021）"),
    "非法收购、运输、加工、出售国家重点保护植物、国家重点保护植物制品": (
        "危害国家重点保护植物", "刑法第344条；补充规定（七）（2021）"
    ),
    "非法猎捕、杀害珍贵、濒危野生动物": ("危害珍贵、濒危野生动物", "刑法第341条第1款；补充规定（七）（2021）"),
    "非法收购、运输、出售珍贵、濒危野生动物、珍贵、濒危野生动物制品": (
        "危害珍贵、濒危野生动物", "刑法第341条第1款；补充规定（七）（2021）"
    ),
    "非法收购盗伐、滥伐的林木": ("非法收购、运输盗伐、滥伐的林木", "刑法第345条第3款；补充规定（二）（2003）"),
    "编造并传播证券交易虚假信息": ("编造并传播证券、期货交易虚假信息", "刑法第181条第1款；补充规定（2002）"),
    "诱骗投资者买卖证券": ("诱骗投资者买卖证券、期货合约", "刑法第181条第2款；补充规定（2002）"),
    "操纵证券交易价格": ("操纵证券、期货市场", "刑法第182条；补充规定（2002）、（三）（2007）"),
    "操纵证券、期货交易价格": ("操纵证券、期货市场", "刑法第182条；补充规定（三）（2007）"),
    "枉法裁判": ("民事、行政枉法裁判", "刑法第399条第2款；补充规定（2002）"),
    "强令违章冒险作业": ("强令、组织他人违章冒险作业", "刑法第134条第2款；补充规定（七）（2021）"),
    "提供虚假财会报告": ("违规披露、不披露重要信息", "刑法第161条；补充规定（三）（2007）"),
    "公司、企业人员受贿": ("非国家工作人员受贿", "刑法第163条；补充规定（三）（2007）"),
    "对公司、企业人员行贿": ("对非国家工作人员行贿", "刑法第164条；补充规定（三）（2007）"),
    "用账外客户资金非法拆借、发放贷款": ("吸收客户资金不入账", "刑法第187条；补充规定（三）（2007）"),
    "违法向关系人发放贷款": ("违法发放贷款", "刑法第186条；补充规定（三）（2007）"),
    "非法出具金融票证": ("违规出具金融票证", "刑法第188条；补充规定（三）（2007）"),
    "窝藏、转移、收购、销售赃物": ("掩饰、隐瞒犯罪所得、犯罪所得收益", "刑法第312条；补充规定（三）（2007）"),
    "偷税": ("逃税", "刑法第201条；补充规定（四）（2009）"),
    "逃避动植物检疫": ("妨害动植物防疫、检疫", "刑法第337条；补充规定（四）（2009）"),
    "走私珍稀植物、珍稀植物制品": ("走私国家禁止进出口的货物、物品", "刑法第151条第3款；补充规定（四）（2009）"),
    "生产、销售不符合卫生标准的食品": ("生产、销售不符合安全标准的食品", "刑法第143条；补充规定（五）（2011）"),
    "强迫职工劳动": ("强迫劳动", "刑法第244条；补充规定（五）（2011）"),
    "重大环境污染事故": ("污染环境", "刑法第338条；补充规定（五）（2011）"),
    "资助恐怖活动": ("帮助恐怖活动", "刑法第120条之一；补充规定（六）（2015）"),
    "强制猥亵、侮辱妇女": ("强制猥亵、侮辱", "刑法第237条；补充规定（六）（2015）"),
    "出售、非法提供公民个人信息": ("侵犯公民个人信息", "刑法第253条之一；补充规定（六）（2015）"),
    "非法获取公民个人信息": ("侵犯公民个人信息", "刑法第253条之一；补充规定（六）（2015）"),
    "伪造、变造居民身份证": ("伪造、变造、买卖身份证件", "刑法第280条第3款；补充规定（六）（2015）"),
    "非法生产、销售间谍专用器材": (
        "非法生产、销售专用间谍器材、窃听、窃照专用器材", "刑法第283条；补充规定（六）（2015）"
    ),
    "盗窃、侮辱尸体": ("盗窃、侮辱、故意毁坏尸体、尸骨、骨灰", "刑法第302条；补充规定（六）（2015）"),
    "走私制毒物品": ("非法生产、买卖、运输制毒物品、走私制毒物品", "刑法第350条；补充规定（六）（2015）"),
    "非法买卖制毒物品": ("非法生产、买卖、运输制毒物品、走私制毒物品", "刑法第350条；补充规定（六）（2015）"),
    "生产、销售假药": ("生产、销售、提供假药", "刑法第141条；补充规定（七）（2021）"),
    "生产、销售劣药": ("生产、销售、提供劣药", "刑法第142条；补充规定（七）（2021）"),
    "欺诈发行股票、债券": ("欺诈发行证券", "刑法第160条；补充规定（七）（2021）"),
    "徇私舞弊低价折股、出售国有资产": ("徇私舞弊低价折股、出售公司、企业资产", "刑法第169条；补充规定（八）（2024）"),
}  # fmt: skip

SHORT: dict[str, tuple[str, str]] = {
    # what people write: (official name, article)
    "醉驾": ("危险驾驶", "刑法第133条之一"),
    "醉酒驾驶": ("危险驾驶", "刑法第133条之一"),
    "贩毒": ("走私、贩卖、运输、制造毒品", "刑法第347条"),
    "制毒": ("走私、贩卖、运输、制造毒品", "刑法第347条"),
    "容留吸毒": ("容留他人吸毒", "刑法第354条"),
    "帮信": ("帮助信息网络犯罪活动", "刑法第287条之二"),
    "掩隐": ("掩饰、隐瞒犯罪所得、犯罪所得收益", "刑法第312条"),
    "拒执": ("拒不执行判决、裁定", "刑法第313条"),
    "故意伤害致人死亡": ("故意伤害", "刑法第234条第2款"),
    "故意伤害致死": ("故意伤害", "刑法第234条第2款"),
    "入户盗窃": ("盗窃", "刑法第264条"),
    "入户抢劫": ("抢劫", "刑法第263条"),
    "轮奸": ("强奸", "刑法第236条第3款"),
    "恶意欠薪": ("拒不支付劳动报酬", "刑法第276条之一"),
    "恶意透支信用卡": ("信用卡诈骗", "刑法第196条"),
    "猥亵妇女": ("强制猥亵、侮辱", "刑法第237条"),
    "过失杀人": ("过失致人死亡", "刑法第233条"),
    "传销": ("组织、领导传销活动", "刑法第224条之一"),
}  # fmt: skip

SELECTIVE: dict[str, str] = {
    # a charge that is named after the acts and objects of the case: its parts, groups by blanks, alternatives by |
    "走私、贩卖、运输、制造毒品": "走私|贩卖|运输|制造 毒品",
    "生产、销售、提供假药": "生产|销售|提供 假药",
    "生产、销售、提供劣药": "生产|销售|提供 劣药",
    "生产、销售伪劣产品": "生产|销售 伪劣产品",
    "生产、销售有毒、有害食品": "生产|销售 有毒|有害 食品",
    "生产、销售不符合安全标准的食品": "生产|销售 不符合安全标准的食品",
    "生产、销售伪劣农药、兽药、化肥、种子": "生产|销售 伪劣 农药|兽药|化肥|种子",
    "非法制造、买卖、运输、邮寄、储存枪支、弹药、爆炸物": "非法 制造|买卖|运输|邮寄|储存 枪支|弹药|爆炸物",
    "非法持有、私藏枪支、弹药": "非法 持有|私藏 枪支|弹药",
    "盗窃、抢夺枪支、弹药、爆炸物、危险物质": "盗窃|抢夺 枪支|弹药|爆炸物|危险物质",
    "抢劫枪支、弹药、爆炸物、危险物质": "抢劫 枪支|弹药|爆炸物|危险物质",
    "走私普通货物、物品": "走私普通 货物|物品",
    "走私武器、弹药": "走私 武器|弹药",
    "走私珍贵动物、珍贵动物制品": "走私 珍贵动物|珍贵动物制品",
    "伪造、变造、买卖国家机关公文、证件、印章": "伪造|变造|买卖 国家机关 公文|证件|印章",
    "盗窃、抢夺、毁灭国家机关公文、证件、印章": "盗窃|抢夺|毁灭 国家机关 公文|证件|印章",
    "伪造公司、企业、事业单位、人民团体印章": "伪造 公司|企业|事业单位|人民团体 印章",
    "伪造、变造、买卖身份证件": "伪造|变造|买卖 身份证件|居民身份证",
    "伪造、变造金融票证": "伪造|变造 金融票证",
    "出售、购买、运输假币": "出售|购买|运输 假币",
    "持有、使用假币": "持有|使用 假币",
    "骗取贷款、票据承兑、金融票证": "骗取 贷款|票据承兑|金融票证",
    "非法制造、销售非法制造的注册商标标识": "非法制造|销售非法制造的 注册商标标识",
    "非法出售、提供试题、答案": "非法 出售|提供 试题|答案",
    "制作、复制、出版、贩卖、传播淫秽物品牟利": "制作|复制|出版|贩卖|传播 淫秽物品牟利",
    "引诱、容留、介绍卖淫": "引诱|容留|介绍 卖淫",
    "引诱、教唆、欺骗他人吸毒": "引诱|教唆|欺骗 他人吸毒",
    "非法买卖、运输、携带、持有毒品原植物种子、幼苗": "非法 买卖|运输|携带|持有 毒品原植物 种子|幼苗",
    "非法生产、买卖、运输制毒物品、走私制毒物品": "非法 生产|买卖|运输 制毒物品",
    "窝藏、包庇": "窝藏|包庇",
    "窝藏、转移、隐瞒毒品、毒赃": "窝藏|转移|隐瞒 毒品|毒赃",
    "掩饰、隐瞒犯罪所得、犯罪所得收益": "掩饰|隐瞒 犯罪所得|犯罪所得收益",
    "拐卖妇女、儿童": "拐卖 妇女|儿童",
    "收买被拐卖的妇女、儿童": "收买被拐卖的 妇女|儿童",
    "强制猥亵、侮辱": "强制 猥亵|侮辱 妇女|",
    "拒不执行判决、裁定": "拒不执行 判决|裁定",
    "非法处置查封、扣押、冻结的财产": "非法处置 查封|扣押|冻结 的财产",
    "非法收购、运输盗伐、滥伐的林木": "非法 收购|运输 盗伐|滥伐 的林木",
    "非法采伐、毁坏国家重点保护植物": "非法 采伐|毁坏 国家重点保护植物",
    "非法收购、运输、加工、出售国家重点保护植物、国家重点保护植物制品": "非法 收购|运输|加工|出售 国家重点保护植物|国家重点保护植物制品",
    "非法猎捕、杀害珍贵、濒危野生动物": "非法 猎捕|杀害 珍贵、濒危野生动物",
    "非法收购、运输、出售珍贵、濒危野生动物、珍贵、濒危野生动物制品": "非法 收购|运输|出售 珍贵、濒危野生动物|珍贵、濒危野生动物制品",
    "非法猎捕、收购、运输、出售陆生野生动物": "非法 猎捕|收购|运输|出售 陆生野生动物",
    "组织、领导、参加黑社会性质组织": "组织|领导|参加 黑社会性质组织",
    "组织、领导、参加恐怖组织": "组织|领导|参加 恐怖组织",
    "组织、领导传销活动": "组织|领导 传销活动",
    "组织他人偷越国(边)境": "组织他人偷越 国(边)境|国境|边境|国边境",
    "运送他人偷越国(边)境": "运送他人偷越 国(边)境|国境|边境|国边境",
    "偷越国(边)境": "偷越 国(边)境|国境|边境|国边境",
    "虚开增值税专用发票、用于骗取出口退税、抵扣税款发票": "虚开 增值税专用发票|用于骗取出口退税、抵扣税款发票|用于骗取出口退税发票|用于抵扣税款发票",
    "非法购买增值税专用发票、购买伪造的增值税专用发票": "非法购买增值税专用发票|购买伪造的增值税专用发票",
    "破坏广播电视设施、公用电信设施": "破坏 广播电视设施|公用电信设施",
    "辩护人、诉讼代理人毁灭证据、伪造证据、妨害作证": "辩护人|诉讼代理人 毁灭证据|伪造证据|妨害作证",
    "帮助毁灭、伪造证据": "帮助 毁灭|伪造 证据",
    "欺诈发行证券": "欺诈发行 证券|股票|债券",
    "内幕交易、泄露内幕信息": "内幕交易|泄露内幕信息",
    "违规披露、不披露重要信息": "违规 披露|不披露 重要信息",
    "隐匿、故意销毁会计凭证、会计帐簿、财务会计报告": "隐匿|故意销毁 会计凭证|会计帐簿|会计账簿|财务会计报告",
}  # fmt: skip

SECTIONS: dict[str, tuple[frozenset[str], str]] = {
    # heading of a section of the Criminal Law that data sets use as if it were a charge: (its charges, the section)
    "组织、强迫、引诱、容留、介绍卖淫": (
        frozenset({"组织卖淫", "强迫卖淫", "协助组织卖淫", "引诱、容留、介绍卖淫", "引诱幼女卖淫"}),
        "刑法分则第六章第八节",
    ),
    "制作、贩卖、传播淫秽物品": (
        frozenset(
            {"制作、复制、出版、贩卖、传播淫秽物品牟利", "为他人提供书号出版淫秽书刊", "传播淫秽物品", "组织播放淫秽音像制品", "组织淫秽表演"}
        ),
        "刑法分则第六章第九节",
    ),
}  # fmt: skip
_SECTION_SPELLINGS = {"制造、贩卖、传播淫秽物品": "制作、贩卖、传播淫秽物品"}

_SEPARATOR = re.compile(r"[;；,，\n|]+|(?<=罪)(?:、|和|与|及|以及|并|/)")
_LEAD = re.compile(
    r"^(?:.*(?:构成|涉嫌|触犯|罪名(?:为|是|:)|答案(?:为|是|:)|人[^犯]{0,10}犯(?!罪))了?|犯(?!罪)[了有]?)"
)
_TRAIL = re.compile(r"[\s。.!！]+$")
_MARKS = re.compile(r"[\s\"“”'‘’《》【】\[\]*`]+")


@dataclass(frozen=True, slots=True)
class _Pattern:
    name: str
    rule: re.Pattern[str]


def _pattern(name: str, parts: str) -> _Pattern:
    """A name matches that takes at least one alternative of every group, joined by 、 or nothing."""
    groups = []
    for part in parts.split(" "):
        choices = [re.escape(choice) for choice in sorted(part.split("|"), key=len, reverse=True) if choice]
        one = f"(?:{'|'.join(choices)})"
        group = one if len(choices) == 1 else f"{one}(?:[、和及]?{one}){{0,{len(choices) - 1}}}"
        groups.append(f"(?:{group})?" if "" in part.split("|") else group)
    return _Pattern(name, re.compile("".join(groups)))


_PATTERNS = tuple(_pattern(name, parts) for name, parts in SELECTIVE.items())


@lru_cache(maxsize=4096)
def canonical(charge: str) -> str:
    """One spelling of a charge: its official name of today without 罪; a text that is no known charge stays itself."""
    name = _MARKS.sub("", fold_width(charge)).replace("､", "、")
    name = _TRAIL.sub("", name)
    if len(name) > 200:
        return name
    name = _LEAD.sub("", name, count=1).removesuffix("罪").strip(":、")
    name = _SECTION_SPELLINGS.get(name, name)
    if name in SECTIONS:
        return name
    for table in (SHORT, RENAMED):
        name = table[name][0] if name in table else name
    for pattern in _PATTERNS:
        if pattern.rule.fullmatch(name):
            name = pattern.name
            break
    return RENAMED[name][0] if name in RENAMED else name


def charges(text: str) -> frozenset[str]:
    """The charges of an answer, each in one spelling. 、 belongs to names and separates only behind 罪."""
    found = (canonical(part) for part in _SEPARATOR.split(text[:4000]) if part and part.strip())
    return frozenset(name for name in found if name)


def same_charges(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether two sets of charges are the same.

    The heading of a section beside one of its own charges says nothing more; alone it stands for any of them.
    """
    first, second = _without_idle_headings(first), _without_idle_headings(second)
    for heading, (members, _) in SECTIONS.items():
        if (heading in first) != (heading in second):
            first, second = _under(heading, members, first), _under(heading, members, second)
    return bool(first) and first == second


def _without_idle_headings(names: frozenset[str]) -> frozenset[str]:
    return names - {heading for heading, (members, _) in SECTIONS.items() if names & members}


def _under(heading: str, members: frozenset[str], names: frozenset[str]) -> frozenset[str]:
    return (names - members) | {heading} if names & members else names


def charge_f1(first: frozenset[str], second: frozenset[str]) -> float:
    """F1 of the charges as sets, after headings are taken out where they say nothing; 1 for the same charges."""
    if same_charges(first, second):
        return 1.0
    first, second = _without_idle_headings(first), _without_idle_headings(second)
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0
