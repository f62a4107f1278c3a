"""What a lawyer's question to a client asks for, read by words: whose identity, facts, claims, defences, evidence.

Used on both sides of the interview: by the client who answers, and by the drafter who looks back at what was asked. Total
and bounded; what cannot be read asks for nothing in particular.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from store.text.normalise import fold_width

Owner = Literal["own", "other"]
Client = Literal["plaintiff", "defendant"]
LONGEST = 2000
"""Characters of an utterance that are read."""
IDENTITY = (
    "name", "gender", "ethnicity", "birth_date", "address", "contact", "occupation", "workplace", "representative",
    "representative_title", "education", "birthplace",
)  # fmt: skip
WHOLE = "identity"
"""身份信息: all of it, without a field."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One thing that is asked for. owner: whose identity, '' for all else; more: whether there is anything further."""

    slot: str
    owner: Owner | Literal[""] = ""
    more: bool = False


_SLOTS: Mapping[str, str] = {
    "representative_title": r"职务",
    "representative": r"法定代表人|法人代表|负责人|公司法人",
    "name": r"姓名|名字|怎么称呼|如何称呼|贵姓|叫什么|全名|名称|全称|是谁",
    "gender": r"性别|是男是女|男还是女",
    "ethnicity": r"民族|哪个族|什么族",
    "birth_date": r"出生(?:日期|年月日?|时间)?|生日|年龄|多大|哪年生|几岁",
    "address": r"住址|住所地?|地址|住在?哪|居住地|家住|在哪里住|户籍",
    "contact": r"联系方式|联系电话|电话|手机号?|怎么联系|如何联系",
    "occupation": r"职业|做什么工作|干什么的|从事什么|什么工作",
    "workplace": r"工作单位|单位名称|在哪(?:里|儿)?(?:上班|工作)",
    "education": r"文化程度|学历",
    "birthplace": r"出生地|籍贯",
    "identity": r"(?:基本|身份(?:证件?)?|个人|主体|当事人)(?:的)?(?:基本)?(?:身份)?(?:信息|情况|资料|材料)",
    "witness": r"证人(?!证言)|谁能(?:够)?(?:作证|证明)|有谁(?:看到|看见|在场)|见证",
    "source": r"来源|从哪(?:里|儿)?(?:来|得|取|拿|下载|调)|怎么(?:得到|取得|来的|拿到)|哪(?:里|儿)来|如何取得|原件还是复印件|是不是原件|有没有原件",
    "purpose": r"证明(?:什么|哪|目的|内容|了什么)|用来证明|想证明|要证明|能证明|证明的(?:事实|内容)|证明力",
    "evidence": r"证据|书证|物证|凭证|证明材料|书面材料|有关材料|相关材料|什么材料|哪些材料|材料(?:可以|能)(?:够)?证明|单据",
    "sums": r"(?:怎么|如何|怎样)(?:计算|算|得)|计算(?:方式|方法|依据|标准|过程)|算出来|明细|由哪些|构成|依据是什么|根据什么(?:算|计算)",
    "claims": r"诉讼请求|诉求|(?:希望|想(?:要)?|需要)(?:法院|对方|被告)|(?:要求|请求|想让|想叫|想要)(?:对方|被告|法院|他|她)|(?:哪些|什么|有何)(?:要求|请求|主张)"
    r"|(?:要求|主张)(?:是|有)?(?:什么|哪些)|最终(?:想|目的)|想达到什么|请求事项|哪几项请求|索赔|赔偿多少",
    "defences": r"答辩(?!状)|反驳|抗辩|(?:同意|认可|承认|不服|异议)[^。？?]{0,16}(?:请求|主张|说法|起诉|事实|吗|哪|什么)|(?:怎么|如何|有什么|有何)(?:看待?|回应|意见|看法)"
    r"|(?:意见|看法|立场)(?:是|有)?(?:什么|哪些|如何)|不同意|不认可|不承认|有异议|哪些(?:地方|内容|部分)?(?:不同意|不属实|不对)|逐(?:项|条|一)[^。？?]{0,8}(?:意见|回应|答复)",
    "court": r"(?:哪个|哪家|什么|向哪|管辖)(?:的)?法院|管辖",
    "docket": r"案号",
    "guidance": r"(?:怎么|如何|怎样)(?:写|起草|撰写|表述)|什么格式|法律依据|哪(?:一)?条法律|适用什么法",
    "facts": r"经过|事情|来龙去脉|怎么(?:一)?回事|发生了?什么|什么情况|案情|事实|理由|详细(?:说|讲|介绍|描述)|后来(?:呢|怎么|又)|前因后果|为什么(?:要)?起诉|纠纷(?:是)?怎么|情况(?:说|讲|介绍)",
}  # fmt: skip
"""What is asked for -> how it is asked."""
_SLOT = re.compile("|".join(f"(?P<{slot}>{words})" for slot, words in _SLOTS.items()))
_MORE = re.compile(
    r"还有(?:没有|什么|哪些|其他|其它|别的|要|需要|无)?|补充|遗漏|除此(?:之外|以外)|另外有|接着说|继续(?:说|讲)|然后呢|后来呢|后来|别的|其余|其他|剩下"
)
_ASKS = re.compile(
    r"[?？]|请(?!假|求|您?稍)|告诉|说(?:说|一下|明|清|准)|讲(?:讲|一下|清)|提供|介绍|吗|呢|什么|哪|多少|是否|有没有|怎么|如何|谁|几"
)
_PLACES: Mapping[Client, Mapping[Owner, str]] = {
    "plaintiff": {
        "own": r"您|你(?!们双方)|本人|自己|原告|我方|贵(?:公司|方|单位)", "other": r"对方|被告|他们?|她们?|欠款人|借款人|侵权人",
    },
    "defendant": {
        "own": r"您|你(?!们双方)|本人|自己|被告|答辩人|我方|贵(?:公司|方|单位)", "other": r"对方|原告|他们?|她们?|起诉(?:您|你)的",
    },
}  # fmt: skip
_BOTH = re.compile(
    r"双方(?:当事人)?的?|(?:您|你|原告)(?:和|与|以及|跟)(?:对方|被告)|(?:您|你|被告)(?:和|与|以及|跟)(?:对方|原告)|原被告|原、被告"
)


@lru_cache(maxsize=1024)
def wanted(utterance: str, client: Client) -> tuple[Wanted, ...]:
    """What an utterance of the lawyer asks for, in the order in which it asks; () where it asks for nothing known.

    Args:
        utterance: whole; sentences that ask nothing are passed over unless none asks.
        client: whom it is said to.
    """
    found: dict[Wanted, None] = {}
    last: Owner = "own"
    for sentence in asking(utterance):
        for one in _of(sentence, client, last):
            found.setdefault(one)
            last = one.owner or last
    return tuple(found)


@lru_cache(maxsize=1024)
def asking(utterance: str) -> tuple[str, ...]:
    """The sentences of an utterance that ask for something; all of them where none does."""
    text = fold_width(utterance[:LONGEST])
    parts = [part.strip() for part in re.findall(r"[^。！!?;\n]*[。！!?;\n]?", text) if part.strip()]
    asked = [part for part in parts if _ASKS.search(part)]
    return tuple(asked)


def _of(sentence: str, client: Client, last: Owner) -> Iterator[Wanted]:
    matches = [(match.start(), match.lastgroup or "") for match in _SLOT.finditer(sentence)]
    if any(slot == "representative" for _, slot in matches):
        # 法定代表人的姓名 is no name of the party.
        at = _at(matches, "representative")
        matches = [(place, slot) for place, slot in matches if slot != "name" or not 0 < place - at < 8]
    more = bool(_MORE.search(sentence))
    slots = {slot for _, slot in matches}
    fields = slots & set(IDENTITY)
    if "witness" in slots:
        # 证人的姓名和住址 is the witness's, whatever stands before or behind.
        matches = [(at, slot) for at, slot in matches if slot not in IDENTITY or at < _at(matches, "witness")]
    for at, slot in matches:
        if slot in IDENTITY or slot == WHOLE:
            if slot == WHOLE and (fields or slots & {"facts", "claims", "evidence", "defences"}):
                continue
            for owner in _owners(sentence, at, client, last):
                yield Wanted(slot, owner)
        elif slot == "facts" and slots & {"claims", "evidence", "defences", "purpose", "sums", "witness", "source"}:
            continue  # 证明什么事实, 对哪些事实有异议
        elif slot not in ("evidence", "sums") or slot in _listed(sentence, slots):
            yield Wanted(slot, "", more)
    if not matches and more:
        yield Wanted("more", "", True)


_LISTS = re.compile(
    r"(?:有|是)?(?:哪些|什么|没有|哪几)(?:证据|诉讼请求|请求|要求|证明材料|材料|凭证)|证据(?:有|吗|都有)|诉讼请求(?:有|是|都有)|提供[^，。]{0,6}证据"
)


def _listed(sentence: str, slots: set[str]) -> set[str]:
    """Of evidence and sums, what is asked for in its own right: 这些证据从哪里来 asks for sources alone."""
    lists = bool(_LISTS.search(sentence))
    evidence = lists or not slots & {"source", "purpose"}
    sums = not (lists and "claims" in slots)
    return {slot for slot, asked in (("evidence", evidence), ("sums", sums)) if asked}


def _at(matches: list[tuple[int, str]], slot: str) -> int:
    return next(at for at, found in matches if found == slot)


def _owners(sentence: str, at: int, client: Client, last: Owner) -> tuple[Owner, ...]:
    """Whose it is: who was named last before it, else in the sentence, else in the sentence before."""
    if _BOTH.search(sentence):
        return ("own", "other")
    named: list[tuple[int, Owner]] = [
        (match.start(), owner) for owner, words in _PLACES[client].items() for match in re.finditer(words, sentence)
    ]
    before = [pair for pair in named if pair[0] < at]
    if before:
        return (max(before)[1],)
    behind = {owner for _, owner in named}
    return (behind.pop() if len(behind) == 1 else last,)
