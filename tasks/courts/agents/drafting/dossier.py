"""What a lawyer has learnt from a client, read from the record by rules: identities, claims, story, defences,
evidence.

Each answer is read in the light of the question before it, whoever put it. Wording is free; what cannot be read is
left out. Everything is in the client's words turned into those of a document. Linear on bounded text; values of
identities are as they were said, days as 1979年4月12日.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from store.tables import beside
from store.text.dates import parse_date, plain_date
from store.text.numerals import chinese_to_int
from tasks.courts.agents.clients.asking import Client, Owner, Wanted, wanted
from tasks.courts.agents.clients.voices import is_vague, vague, written
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.bigrams import bigrams, f1, recall

LONGEST = 6000
"""Characters of an answer that are read."""
_DIGITS = str.maketrans("０１２３４５６７８９", "0123456789")
LISTS = ("claims", "facts", "defences", "evidence", "purpose")
"""Things that come in several portions."""
MOST, PORTION = 240, 80
"""Items of a list that are kept, and that are read from one answer."""
_SAME = 0.75
_ALL = re.compile(
    r"就(?:是)?(?:刚才说的)?这(?:些|么多)|大致就是这样|没有?(?:什么)?(?:别的|其他|其它|要补充|补充)|都说(?:完|了)"
    r"|没了|说完了|没有什么证据|没有证据"
)
_MARK = re.compile(
    r"(?:^|[,，:：;；。\n])\s*(?:第?(?P<n>[一二三四五六七八九十]{1,2})(?:是|、|项是)"
    r"|(?P<d>[1-9]\d?)[.．、)）](?!\d))\s*"
)
_TAIL = re.compile(r"[,，]?(?:就(?:是)?这些|就(?:是)?这么多|没有别的了)[。]?\s*$")
_NOISE = re.compile(
    r"谢谢|感谢|麻烦[您你]|辛苦|不好意思|啰嗦|担待|打断|有一说一|慢慢来|赶时间|该听谁|弄个明白|想起来的|头一回"
    r"|收不住|念叨|多问一句|担心|着急"
    r"|害怕|怎么办|[您你](?:记好|看着|来定|还要|是律师|放心|帮)|绕弯子|不是我的错|大致就是|没有别的|就是这些|直接问"
    r"|不方便透露|我不清楚|我也不懂|说清楚的地方|劝我找律师"
)
_FILLER = re.compile(
    r"^(?:\s|呃|嗯|唉|哎|这个[,，]|那个[,，]|好的[,，]|好[,，]|是这样的?[,，:：]?|事情是这样的?[,，:：]?|[,，。])+"
)
_PROVES = re.compile(
    r"(?P<title>[^，,:：]{2,40}?)(?P<rest>(?:可以|能够?|用来|用于)?证明(?!人|材料|书|目的)[^。]{3,160})"
)
_OTHER_WORDS: Mapping[Client, str] = {
    "plaintiff": r"对方|被告|[他她](?!们公司)",
    "defendant": r"对方|原告|[他她](?!们公司)",
}
_TABLE = beside(__package__, "identities")
_FIELDS = [
    (name, re.compile(re.sub(r"\{(peoples|organisation)\}", lambda match: _TABLE[match[1]], pattern)))
    for name, pattern in _TABLE["fields"]
]
_UNKNOWN = re.compile(r"不清楚|不知道|不方便|没有|不记得|保密")


@dataclass
class Proof:
    """One exhibit as the client tells of it."""

    title: str
    source: str = ""
    purpose: str = ""
    witness: str = ""
    witness_address: str = ""


@dataclass
class Dossier:
    """What is known so far, in the words of a document.

    own, other: fields of the identities by name; facts: clauses with their punctuation; witnesses: name and domicile;
    asked: how often each thing was asked for (identities as own and other); closed: lists of which nothing more is to
    be expected; exact: what was asked for with the request to be exact, identities as own.birth_date.
    """

    client: Client
    own: dict[str, str] = field(default_factory=dict)
    other: dict[str, str] = field(default_factory=dict)
    claims: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    defences: list[str] = field(default_factory=list)
    evidence: list[Proof] = field(default_factory=list)
    witnesses: list[tuple[str, str]] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    closed: set[str] = field(default_factory=set)
    exact: set[str] = field(default_factory=set)

    def rough(self, slot: str) -> bool:
        """Whether days or sums of a list were named only roughly."""
        return any(is_vague(text) for text in getattr(self, slot))


def learnt(record: Sequence[Turn], client: Client, me: str = "") -> Dossier:
    """The dossier after a record. `me`: what the document calls the client, 答辩人; '' for 原告 or 被告."""
    found = Dossier(client)
    wants: tuple[Wanted, ...] = ()
    for turn in record:
        text = turn.text[:LONGEST].translate(_DIGITS)
        if turn.speaker != client:
            wants = wanted(turn.text, client)
            _note(found, wants, turn.text)
        elif turn.number > 0:
            _read(found, text, wants, me)
    return found


def _note(found: Dossier, wants: Iterable[Wanted], text: str) -> None:
    found.asked.update({want.owner or want.slot for want in wants})
    if re.search(r"准确|具体(?:日期|金额|数额|是)|确切", text):
        found.exact |= {want.slot if not want.owner else f"{want.owner}.{want.slot}" for want in wants}


def _read(found: Dossier, text: str, wants: tuple[Wanted, ...], me: str) -> None:
    owners: list[Owner] = [want.owner for want in wants if want.owner]
    for owner, said in identity_in(text, found.client, owners).items():
        known = found.own if owner == "own" else found.other
        for name, value in said.items():
            if not known.get(name) or is_vague(known[name]) or (name == "birth_date" and "月" not in known[name]):
                known[name] = value
    slots = [want.slot for want in wants if not want.owner]
    lists = [slot for slot in slots if slot in LISTS or slot in ("source", "more", "witness")]
    if not lists and not owners and not slots:
        lists = ["facts"]
    readers = {_READERS[slot]: {"source": "evidence", "more": "facts"}.get(slot, slot) for slot in lists}
    for reader, aim in readers.items():
        before = _size(found)
        reader(found, text, me)
        if _ALL.search(text) or (_size(found) == before and aim in LISTS):
            found.closed.add(aim)


def _size(found: Dossier) -> tuple[int, ...]:
    return (
        len(found.claims), len(found.facts), len(found.witnesses), len(found.defences), len(found.evidence),
        sum(bool(one.purpose) for one in found.evidence),
        sum(len(text) for text in (*found.claims, *found.facts, *found.defences)),
    )  # fmt: skip


def _sentences(text: str, ends: str = "。！？!?\n") -> list[str]:
    parts = [_FILLER.sub("", part.strip()) for part in re.split(f"(?<=[{ends}])", text)]
    return [part for part in parts if len(part.strip("。，；,;!?！？")) > 3 and not _NOISE.search(part)]


def _items(text: str) -> list[tuple[int, str]]:
    """The items of a list as it was spoken, with their numbers: 0 where it has none and is cut at semicolons and
    stops."""
    body = _FILLER.sub("", text.strip())
    marks = list(_MARK.finditer(body))
    if marks:
        ends = [mark.start() for mark in marks[1:]] + [len(body)]
        cut = [
            (_number(mark["n"] or mark["d"]), body[mark.end() : end].split("。")[0])
            for mark, end in zip(marks, ends, strict=True)
        ]
    else:
        cut = [(0, part) for sentence in _sentences(body) for part in re.split(r"[;；。]", sentence)]
    clean = [(number, _TAIL.sub("", part).strip(" ,，。;；\n")) for number, part in cut]
    return [(number, part) for number, part in clean[:PORTION] if len(part) > 2 and not _NOISE.search(part)]


def _number(text: str) -> int:
    return (int(text) if text.isdigit() else chinese_to_int(text)) or 0


def _write(found: Dossier, text: str, me: str) -> str:
    return written(text, found.client, me, found.own.get("name", ""), found.other.get("name", ""))


def _claims(found: Dossier, text: str, me: str) -> None:
    for number, item in _items(text):
        if re.search(r"[还付偿退解撤确承担停歉履婚割交腾养给补销判恢返配返除办搬赔]", item):
            wish = re.sub(
                r"^(?:我|我们)?(?:就是)?(?:想要?|要求|要|希望|请求)(?:法院)?(?:判令|判决|判|让|叫|请求|要求)?",
                "",
                item,
            )
            claim = re.sub(r"^诉讼费用?(?:都|全)?(?:由|让|归)", "本案诉讼费用由", _write(found, wish, me))
            _merge(found.claims, claim, number)


def _facts(found: Dossier, text: str, me: str) -> None:
    at = len(found.facts)
    told = [sentence for sentence in _sentences(text) if not sentence.endswith(("？", "?"))]
    # Whoever speaks to the lawyer tells no story, unless he quotes.
    story = "".join(sentence for sentence in told if not re.search(r"[您你]", re.sub("“[^”]*”", "", sentence)))
    for clause in re.findall(r"[^，,；;。！!\n]+[，,；;。！!\n]*", _write(found, story, me))[:PORTION]:
        at = _weave(found.facts, clause.strip(), at)


def _defences(found: Dossier, text: str, me: str) -> None:
    for number, item in _items(text):
        _merge(found.defences, _write(found, item, me), number)


def _evidence(found: Dossier, text: str, me: str) -> None:
    for _, item in _items(text):
        if re.search(r"没有|没什么", item[:6]):
            continue
        head = _PROVES.match(item)
        title, _, rest = item.partition(next((mark for mark in "，,:：" if mark in item), "，"))
        if head and len(head["title"]) < len(title):
            title, rest = head["title"], head["rest"]
        proof = _proof(found, re.sub(r"^(?:我|手里|这里|还)*有(?=[\u4e00-\u9fff《“])", "", title).strip())
        if source := re.search(
            r"来源(?:是|于|为|:|：)?(?P<said>[^。]{2,80}?)(?=[,，]证人(?:是|叫|为)|$)", rest
        ) or re.search(
            r"^(?P<said>[^。]{0,60}(?:原件|复印件|打印|下载|出具|开具|提供|取得|持有|保存|调取|拍摄|手机|寄"
            r"|给)[^。]{0,40}?)(?=[,，](?:证明|证人)|$)",
            rest,
        ):
            proof.source = proof.source or _write(found, source["said"], me)
        if purpose := re.search(r"(?:^|[，,])(?:可以|能够?|用来|用于)?证明(?P<said>[^。]{3,160})", rest):
            proof.purpose = proof.purpose or f"证明{_write(found, purpose['said'], me)}".strip("，")
        if witness := re.search(r"证人(?:是|叫|为)(?P<name>[\u4e00-\u9fff·]{2,4})", rest):
            proof.witness = witness["name"]


def _proof(found: Dossier, title: str) -> Proof:
    """The exhibit of that title, or a new one."""
    grams = bigrams(title)
    same = [one for one in found.evidence if recall(grams, bigrams(one.title)) >= _SAME]
    if same:
        return max(same, key=lambda one: f1(grams, bigrams(one.title)))
    found.evidence.append(Proof(title))
    return found.evidence[-1]


def _witness(found: Dossier, text: str, me: str) -> None:
    for match in re.finditer(
        r"(?:证人)?(?:叫|是|姓名是)(?P<name>[\u4e00-\u9fff·]{2,4})[,，](?:家)?住(?:在"
        r"|址是?)?(?P<where>[^,，。;；]{4,60})",
        text,
    ):
        where = "" if "不清楚" in match["where"] else match["where"]
        if (match["name"], where) not in found.witnesses:
            found.witnesses.append((match["name"], where))
        for one in found.evidence:
            if one.witness == match["name"] or match["name"] in one.title:
                one.witness, one.witness_address = match["name"], where


def _merge(known: list[str], text: str, number: int = 0) -> None:
    """Adds an item; one that says an earlier one more exactly takes its place. A number tells like items apart."""
    places = range(len(known)) if not number else [number - 1] if number <= len(known) else []
    for place in places:
        if _alike(text, known[place]) >= (_SAME if not number else _SAME / 2):
            if _figures(text) > _figures(known[place]):
                known[place] = text
            return
    if text not in known and len(known) < MOST:
        known.append(text)


def _weave(story: list[str], clause: str, at: int) -> int:
    """Puts a clause into the story: in place of the same clause told roughly, else behind the clause before it."""
    body = clause.rstrip("，,；;。！!\n")
    if len(body) < 2 or len(story) >= MOST:
        return at
    for place, earlier in enumerate(story):
        if _alike(body, earlier) >= _SAME:
            if _figures(body) > _figures(earlier):
                story[place] = body + earlier[len(earlier.rstrip("，,；;。！!\n")) :]
            return place + 1
    story.insert(at, clause if clause != body else f"{body}。")
    return at + 1


@lru_cache(maxsize=4096)
def _rough_grams(text: str) -> frozenset[str]:
    return bigrams(vague(text))


def _alike(one: str, other: str) -> float:
    first, second = _rough_grams(one), _rough_grams(other)
    return min(recall(first, second), recall(second, first))


def _figures(text: str) -> int:
    return sum(character.isdigit() for character in text)


_READERS = {
    "claims": _claims, "facts": _facts, "more": _facts, "defences": _defences, "evidence": _evidence,
    "source": _evidence, "purpose": _evidence, "witness": _witness,
}  # fmt: skip


def identity_in(text: str, client: Client, asked: Sequence[Owner]) -> dict[Owner, dict[str, str]]:
    """Fields of both sides that an answer states.

    Args:
        text: of the client, in half-width forms.
        client: which side it is.
        asked: whose identity the question asked for; without any, only what is said outright counts.
    """
    found: dict[Owner, dict[str, str]] = {"own": {}, "other": {}}
    other = re.compile(_OTHER_WORDS[client])
    last: Owner = asked[0] if asked else "own"
    for part in _parts(text, client):
        owner: Owner = last
        if len(set(asked)) != 1 or other.search(part[:12]):
            owner = "other" if other.search(part[:12]) else "own" if re.search(r"我|本人", part[:12]) else last
        last = owner
        for name, value in _fields(part, bool(asked)).items():
            found[owner].setdefault(name, value)
    return found


def _parts(text: str, client: Client) -> list[str]:
    """Sentences, cut again where the other side begins."""
    begins = r"(?=(?:对方|被告|原告)(?:叫|全称|名称|是|姓名|性别|住|的))"
    pieces = [piece for sentence in re.split(r"[。！？!?；;\n]", text) for piece in re.split(begins, sentence)]
    return [
        re.sub(r"^(?:[\s，,]|呃|嗯|唉|这个[，,]|好的[，,])+", "", piece).strip() for piece in pieces if piece.strip()
    ]


def _fields(part: str, asked: bool) -> dict[str, str]:
    said: dict[str, str] = {}
    if not asked and not re.search(r"叫|全称|姓名|出生|住在|住所地|法定代表人|联系方式", part):
        return said
    for name, pattern in _FIELDS:
        match = pattern.search(part) if name not in said else None
        value = match[match.lastgroup or 0] if match else ""
        if value and not _UNKNOWN.search(value):
            said[name] = plain_date(parse_date(value)) or value if name == "birth_date" else value.strip()
            if name == "representative" and match and match["head"] == "负责人":
                said["head"] = "负责人"
    return said
