"""Names of people in a judgment: where they stand, and what stands for them once they are masked.

A name is taken where the form of a judgment says that one follows (原告, 法定代表人, 证人…); words of a story that
merely look like names are told to the reader, never changed. 王小明 becomes 王某; of two with one surname 王某甲 and
王某乙.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, count
from typing import Any

_SINGLE = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦"
    "昌马苗凤花方俞任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹"
    "姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐"
    "邱骆高夏蔡田樊胡凌霍虞万支柯昝管卢莫经房裘缪干解应宗丁宣贲邓郁单杭洪包诸左石崔吉钮龚程嵇邢滑裴陆荣翁"
    "荀羊惠甄曲封芮羿储靳汲邴糜松井段富巫乌焦巴弓牧隗山谷车侯宓蓬全郗班仰秋仲伊宫宁仇栾暴甘厉戎祖武符景詹"
    "束龙叶幸司韶郜黎蓟薄印宿白怀蒲邰鄂索咸籍赖卓蔺屠蒙池乔胥能苍双闻莘党翟谭贡劳逄姬申扶堵冉宰郦雍却璩桑"
    "桂濮牛寿通边扈燕冀郏浦尚农温别庄晏柴瞿阎充慕连茹习宦艾鱼容古易慎戈廖庾终暨居衡步都耿满弘匡国文寇广禄"
    "阙东欧殳沃利蔚越夔隆师巩厍聂晁勾敖融冷訾辛阚那简饶空曾毋沙养鞠须丰巢关蒯相查荆红游竺权逯盖益向桓肖付"
    "闫代覃岳苟佟涂敬仝晋楚汝鄢谯区麦植占阳原揭冼苑褟来母牟修门粟帅税官尧由展綦智问弋栗亓仉刘"
)
_DOUBLE = frozenset(
    "欧阳 太史 上官 端木 司马 东方 独孤 南宫 万俟 闻人 夏侯 诸葛 尉迟 公羊 赫连 澹台 皇甫 宗政 濮阳 公冶 太叔 申屠"
    " 公孙 慕容 仲孙 钟离 长孙 宇文 司徒 鲜于 司空 闾丘 子车 亓官 司寇 巫马 公西 颛孙 壤驷 公良 漆雕 乐正 宰父 谷梁"
    " 拓跋 夹谷 轩辕 令狐 段干 百里 呼延 东郭 南门 羊舌 微生 梁丘 左丘 东门 西门 第五".split()
)
_MASKED = re.compile(r"[某×Xx*＊△○〇□0-9A-Za-zＡ-Ｚ]")
LATIN = re.compile(r"[A-Za-z][A-Za-z .'-]{3,40}")
"""A name in Latin letters; two or three of them are a mask (张AB)."""
_WORDY = frozenset("堵扶都能应经计双从别连满终步利越那空查全和相由来官税原展问区占植支时安常通边充居衡广向解单包")
"""Surnames that begin many other words."""
_WORDS = frozenset(
    "陈述 许可 林木 范畴 华为 松香 黎明 牟利 乔装 康复 查明 查清 查获 查实 查封 高中 金额 钱财 文化 家属 关于 安全"
    " 和解 经查 方面 单位 应当 明知 时间 全部".split()
)
"""Words that begin with a surname and follow words such as 被害人."""
_FOLLOWS = frozenset("在于向与和及对将被把从到称说等由经按以已未不是系给所至即均曾又还再并且而其也同的因当时放停驾持")
"""What follows a name rather than ends one."""
_ROLES = (
    "证人|被害人|受害人|被害单位负责人|同案犯|同案人|同案被告人|同伙|案外人|鉴定人|勘验人|见证人|翻译人员|死者|伤者"
    "|报案人|举报人|借款人|出借人|保证人|担保人|收款人|付款人|经办人|出租人|承租人|买受人|出卖人|驾驶员|驾驶人|民警"
    "|法定代表人|法定代理人|负责人|经营者|实际控制人|股东|会计(?!师)|业务员|经理|员工|职工|工作人员|老板|村民|居民"
    "|司机|乘客|店主|房东|包工头|工友|委托诉讼代理人|委托代理人|诉讼代理人|辩护人|检察员|检察官|代理检察员|公诉人"
    "|审判长|审判员|人民陪审员|书记员|法官助理|妻子|丈夫|配偶|儿子|女儿|父亲|母亲|哥哥|弟弟|姐姐|妹妹|朋友|同事|邻居"
    "|亲属|近亲属|之子|之女|之妻|之夫|之父|之母"
)
_AFTER_ROLE = re.compile(rf"(?:{_ROLES})(?:\([^()\n]{{0,20}}\))?[ :]{{0,3}}")
_JOIN = re.compile(r"(?:\([^()\n]{0,20}\))?[、和与及]")
_BOUNDARY = re.compile(
    r"[,。;:、()的\s“”\"]|等|$|证言|陈述|供述|[男女][,。]|出庭|到庭|担任|独任|作证|证实|证明|报案|签字|签名|到案"
)
COMPANY = re.compile(
    r"公司|集团|企业|合伙|厂|商行|商店|超市|门市|经营部|服务部|工作室|中心|合作社|银行|信用社|联社|支行|分行|委员会"
    r"|医院|学校|大学|学院|幼儿园|协会|学会|事务所"
    r"|酒店|饭店|宾馆|餐厅|药房|[^\s]店$|站$|局$|政府|法院|检察院|研究院|研究所|基金会|俱乐部|村民小组|业主大会"
)
"""Organisations by their names."""
_SUFFIXES = "甲乙丙丁戊己庚辛壬癸"


def is_masked(name: str) -> bool:
    """Whether a name already stands for another one: 张某, 李××, 王某1, 张3."""
    return _MASKED.search(name) is not None and not LATIN.fullmatch(name)


def surname_of(name: str) -> str:
    """The surname, compound ones included; empty where the name does not begin with one."""
    if len(name) > 2 and name[:2] in _DOUBLE:
        return name[:2]
    return name[:1] if name[:1] in _SINGLE else ""


def people_in(folded: str) -> Iterator[str]:
    """Names behind words of roles, lists of them included, in order and with repeats; masked ones are left out.

    Args:
        folded: the text, width folded.
    """
    for match in _AFTER_ROLE.finditer(folded):
        yield from names_at(folded, match.end())


def names_at(folded: str, place: int, *, masked: bool = False) -> Iterator[str]:
    """The names of a list that begins at a place of a folded text: 甲、乙和丙; `masked` as in `name_at`."""
    while name := name_at(folded, place, masked=masked):
        yield name
        join = _JOIN.match(folded, place + len(name))
        if join is None:
            break
        place = join.end()


_SPOKEN = re.compile(r"(?:的|所作的?)?(?:证人)?(?:证言|证词|陈述|供述)")
_STAND_IN = re.compile(
    r"[\u4e00-\u9fff]{1,2}?某{1,2}[甲乙丙丁戊己庚辛壬癸0-9]?|某[甲乙丙丁戊己庚辛壬癸]|[\u4e00-\u9fff][×xX*]{1,2}"
)


def name_at(text: str, place: int, *, masked: bool = False) -> str:
    """The name that begins at a place of a folded text; empty where none does.

    Args:
        text: folded.
        place: where a name may begin.
        masked: take what already stands for a name too (张某, 王某甲); else it is none.
    """
    if masked and (found := _STAND_IN.match(text, place)):
        return found.group()
    surname = surname_of(text[place : place + 4])
    if not surname or text[place : place + 2] in _WORDS or is_masked(text[place : place + len(surname) + 2]):
        return ""
    for given in (1, 2):
        name = text[place : place + len(surname) + given]
        if len(name) == len(surname) + given and _han(name) and _BOUNDARY.match(text, place + len(name)):
            surely = _SPOKEN.match(text, place + len(name)) or (not _is_word(name) and surname not in _WORDY)
            return name if surely or _cut_at(text, place, surname) == name else ""
    # In running text only the segmenter can tell where a name ends.
    name = _cut_at(text, place, surname)
    longer = text[place : place + len(surname) + 2]
    if (
        len(name) == len(surname) + 1
        and _han(longer)
        and longer[-1] not in _FOLLOWS
        and text.count(longer) == text.count(name) > 1
    ):
        return longer
    return name


def _cut_at(text: str, place: int, surname: str) -> str:
    """The name that the segmenter sees at a place, or nothing."""
    words = list(_tagger().cut(text[place : place + 8]))
    if not words or not words[0].flag.startswith("nr") or not _han(words[0].word):
        return ""
    name = str(words[0].word)
    if name == surname and len(words) > 1 and len(words[1].word) <= 2 and _han(words[1].word):
        name += words[1].word
    return name[: len(surname) + 2] if len(name) > len(surname) else ""


def _is_word(text: str) -> bool:
    """Whether the dictionary knows it as something else than a name."""
    return not str(_tagger().dt.word_tag_tab.get(text, "nr")).startswith("nr")


@cache
def _tagger() -> Any:
    """The tagger of jieba; it loads its own table of tags at the first word."""
    from store.text import segment

    segment.cut("")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba.posseg

        jieba.posseg.lcut("")
    return jieba.posseg


def _han(text: str) -> bool:
    return all("\u3400" <= sign <= "\u9fff" for sign in text)


def stand_ins(people: Sequence[Sequence[str]], text: str) -> dict[str, str]:
    """Name -> what stands for it, the same throughout a file and different from anything that stands there already.

    Args:
        people: the names of each person, the full one first; the first people first.
        text: all of the judgment.
    """
    surnames = [surname_of(names[0]) for names in people]
    used: set[str] = set()
    found: dict[str, str] = {}
    for names, surname in zip(people, surnames, strict=True):
        alone = [f"{surname}某"] if surname and surnames.count(surname) == 1 else []
        more = (f"{surname}某{suffix}" for suffix in chain(_SUFFIXES, count(11)))
        stand_in = next(one for one in chain(alone, more) if one not in used and one not in text)
        used.add(stand_in)
        for name in names:
            found.setdefault(name, stand_in)
            for part in name.split("·") if "·" in name else ():
                if len(part) > 2:
                    found.setdefault(part, stand_in)
    return found


def replaced(text: str, stands_for: dict[str, str]) -> tuple[str, dict[str, int]]:
    """The text with every key replaced, longest first, and how often each was."""
    counts = dict.fromkeys(stands_for, 0)
    if not stands_for:
        return text, counts
    pattern = re.compile("|".join(map(re.escape, sorted(stands_for, key=len, reverse=True))))

    def swap(match: re.Match[str]) -> str:
        counts[match[0]] += 1
        return stands_for[match[0]]

    return pattern.sub(swap, text), counts


def suspects(text: str, known: Iterable[str] = ()) -> list[str]:
    """Words of a text that a segmenter takes for names of people and that nothing says are any, each once.

    A name is a word of the dictionary, or begins with a surname that its words leave standing alone.
    """
    names = set(known)
    found: dict[str, int] = {}
    place = looked = 0
    for word in _tagger().dt.tokenizer.cut(text, HMM=False):
        name = ""
        if len(word) == 1 and word in _SINGLE and looked < _LOOKED:
            looked += 1
            name = _cut_at(text, place, word)
        elif len(word) > 1 and not _is_word(word):
            name = word
        if name and _is_suspect(name, names) and not _PLACE.match(text, place + len(name)):
            found[name] = found.get(name, 0) + 1
        place += len(word)
    return list(found)


_LOOKED = 3000
"""So many surnames are looked at."""
_PLACE = re.compile(r"[省市县区镇乡村路街巷庄屯沟组证]|(?:小区|大厦|公司|商店|嘴$|树$|山$)")
_NO_NAME = re.compile("^由|书$|向")


def _is_suspect(word: str, known: set[str]) -> bool:
    named = 2 <= len(word) <= 4 and surname_of(word) != "" and _han(word)
    return named and not (
        is_masked(word) or word[:2] in _WORDS or word in known or _PLACE.search(word) or _NO_NAME.search(word)
    )
