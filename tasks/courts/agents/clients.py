"""The people who seek advice, by rules: somebody with questions of law (KQ, LC), a party that needs a document (CD,
DD).

They say nothing but what they hold, in the manner of their traits, by the markers that `scores.consistency` counts.
The controller owns the order of topics. A party tells its lawyer what a question asks for, and where it asks for
nothing known, what it has not told yet: claims or answer, then the story, then the exhibits. Lists come in portions;
who is not conscientious says days and sums roughly at first. Deterministic: words are chosen by case and turn.

Who asks them, by rules, is here too: the trainee who answers questions of law from statutes that can be looked up, or
not at all, and who interviews a party for a document. Rules draft nothing: the interviewer asks for everything that a
document needs and hands in the empty form, which is the floor of the scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from store.errors import DamagedData, StoreError
from store.search.law_search import SearchSettings
from store.text.numerals import int_to_chinese, to_decimal
from tasks.courts.agents.own_words import fact, field_words, with_parts
from tasks.courts.environment import TopicCue
from tasks.courts.play.episode import CLOSING
from tasks.courts.play.view import CourtRules, CourtView
from tasks.courts.scores.bigrams import sentences
from tasks.courts.scores.drafted import Kind, floor_document, with_end_mark
from tasks.courts.simulated.talks import IDENTITY, WHOLE, Client, RequestedSlot, wanted
from tasks.episode.seats import Say

# --- manner ---------------------------------------------------------------------------------------------------------

REMARKS: tuple[str, ...] = (
    "要是哪儿没说清楚，您随时打断我。", "您慢慢来，我不赶时间。", "能想起来的我都说了。", "我说话啰嗦，您多担待。",
    "听人说多问一句总没有坏处。", "这事我也不知道该听谁的。", "我一说起来就收不住，您别见怪。",
)  # fmt: skip
_THANKS = ("麻烦您了。", "谢谢您。", "辛苦您了。")
_FILLED = ("呃，", "嗯，", "唉，")
_QUOTED = re.compile(r"(“[^”]{0,200}”)")
_LOW, _HIGH = 2, 4


def pick(choices: Sequence[str], view: CourtView, salt: str = "") -> str:
    """One of several, fixed by case, turn and salt."""
    return choices[int(sha256(f"{view.case_id}/{view.turn}/{salt}".encode()).hexdigest()[:8], 16) % len(choices)]


def pick_unused(choices: Sequence[str], view: CourtView) -> str:
    """The same, of what was not said before; '' where all was."""
    said = "\n".join(turn.text for turn in view.own).replace("你", "您")
    left = [choice for choice in choices if choice.strip("。，") not in said]
    return pick(left, view) if left else ""


def styled(parts: Sequence[str], view: CourtView, *, thanks: bool = True) -> str:
    """The sentences of an utterance in the manner of its speaker; thanks: whether they fit here at all."""
    traits, odd = view.traits, view.turn % 2
    told = [part for part in parts if part.strip()]
    if traits.get("extraversion") == "low":
        told = _run_together(told)
    elif traits.get("extraversion") == "high" and not odd and len(sentences("".join(told))) <= _HIGH:
        told = [*told, pick_unused(REMARKS, view)]
    if traits.get("agreeableness") == "high" and thanks and odd:
        brief = traits.get("extraversion") == "low"
        told = [f"好的，{told[0]}", *told[1:]] if brief and told else [*told[:-1], pick(_THANKS, view), *told[-1:]]
    text = "".join(told)
    if traits.get("stability") == "low" and (odd or not any(turn.text.startswith(_FILLED) for turn in view.own)):
        text = pick(_FILLED, view, "filler") + text
    return addressing(text, view)


def addressing(text: str, view: CourtView) -> str:
    """The lawyer addressed in one way throughout; what others are quoted with stays."""
    word = "你" if view.traits.get("agreeableness") == "low" else "您"
    parts = _QUOTED.split(text)
    return "".join(part if part.startswith("“") else re.sub("您|你(?!们)", word, part) for part in parts)


def _run_together(told: Sequence[str]) -> list[str]:
    """At most two sentences: what comes before the last is run together."""
    parts = [sentence for part in told for sentence in sentences(part)]
    if len(parts) <= _LOW:
        return parts
    return ["，".join(part.strip().rstrip("。；！，") for part in parts[:-1]) + "。", parts[-1]]


# --- a story as a client tells it -----------------------------------------------------------------------------------

_FORMULA = re.compile(
    r"(?:，|^)?(?:故|为此|现|遂|特|为维护(?:原告|自身|自己)?的?合法权益)?，?(?:依法)?(?:诉至(?:贵院|法院|人民法院)"
    r"|(?:向(?:贵院|法院))?提起(?:民事)?诉讼)"
)
# A numeral is bounded and begins where none goes on: linear on any text.
_SUM = re.compile(r"(?:人民币)?(?<![\d,.])(?P<n>\d[\d,]{0,20}(?:\.\d{1,4})?)(?P<unit>[百千万亿]?)元")
_DAY = re.compile(r"(?P<month>\d{1,4}年\d{1,2}月)\d{1,2}日|(?P<short>(?<![\d年])\d{1,2}月)\d{1,2}日")
_SIZES = ("几块", "几十块", "几百块", "几千", "几万", "几十万", "几百万")
_UNITS = {"": 1, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}


def narrative(text: str) -> list[str]:
    """The sentences of a story without the formula that ends a complaint."""
    parts = [
        part.strip().lstrip("，,；") for part in re.findall(r"[^。！？\n]+[。！？]?", _FORMULA.sub("", text.strip()))
    ]
    return [part for part in parts if len(part.strip("。，；")) > 3]


def vague(text: str) -> str:
    """The same with days cut to months and sums to their size."""
    rough = _SUM.sub(_size, text)
    return _DAY.sub(lambda match: f"{match['month'] or match['short']}份", rough)


def _size(match: re.Match[str]) -> str:
    digits = len(str(int(float(to_decimal(match["n"]) or 0) * _UNITS[match["unit"]])))
    return _SIZES[digits - 1].removesuffix("块") if digits <= len(_SIZES) else "一大笔"


def bare(text: str) -> str:
    """A text without blanks and punctuation, by which it is known again."""
    return re.sub(r"[\s，。；、！？,.;!?“”]", "", text)


class _ClientAccount:
    """What a client has told, and how the next of it is told."""

    def __init__(self, view: CourtView, exactly: str = "") -> None:
        """exactly: words of a question in which days and sums are named and not made vague."""
        self.view = view
        self._said = bare("\n".join(turn.text for turn in view.own))
        self._careless = view.traits.get("conscientiousness") == "low"
        self._numbers = set(re.findall(r"\d{2,}", exactly))

    def told(self, item: str) -> bool:
        """Whether it was said before, exactly or roughly."""
        return bare(item) in self._said or bare(vague(item)) in self._said

    def times(self, item: str) -> int:
        """How often it was said exactly."""
        return self._said.count(bare(item))

    def rough(self, item: str) -> str:
        """Roughly at the first time of somebody who is not conscientious."""
        named = self._numbers & set(re.findall(r"\d{2,}", item))
        return vague(item) if self._careless and not named and not self.told(item) else item

    def next(self, items: Sequence[str], size: int, exact: bool = False) -> list[str]:
        """The next portion: what was said only roughly where exactness is asked for or all was said, else what was
        not said yet."""
        rough = [item for item in items if self.told(item) and bare(item) not in self._said]
        if rough and (exact or all(map(self.told, items))):
            return rough[: 2 * size]
        return [item for item in items if not self.told(item)][:size]


# --- questions of law -----------------------------------------------------------------------------------------------

_LEADS = ("", "我想问，", "", "我想请教，", "再请问您，", "")
_AGAIN = ("我没太听明白，", "我还是不大懂，", "您能不能说得再明白一点，")
_UNDERSTOOD = ("是这样啊。我先前还不知道。", "我记下了。这下心里有数了。", "原来如此。这我可没想到。")
_ASKED_BACK = re.compile(r"[?？]\s*$|吗[。！]?$|请您先|先确认一下")
_MOST = 3
"""Sentences of the story in one turn."""


class AskingClient(CourtRules):
    """Puts the topic that the controller gives; in LC tells the background bit by bit."""

    def _speak(self, view: CourtView) -> Say:
        topic = view.topic or TopicCue("close")
        client = view.held.get("client", {})
        if topic.kind == "theme":
            who = str(client.get("occupation", ""))
            theme = str(view.held.get("theme", "")).rstrip("。？?")
            ask = f"我想了解这方面的事：{theme}。" if theme else "我有几个法律问题想问。"
            return Say(_putting([f"您好，我是{who}。" if who else "您好。"], ask, view), view.there)
        if topic.kind == "close":
            thanks = "就问到这儿" if view.traits.get("agreeableness") == "low" else "谢谢您"
            return Say(f"我都明白了，{thanks}。{CLOSING}。", view.there)
        parts = narrative(str(client.get("background", ""))) if view.env == "LC" else []
        told = _background(view, parts, topic) if parts else []
        if topic.kind == "ask":
            lead = pick(_LEADS, view) if len(view.own) > 1 else ""
        else:
            lead = "" if view.asked and _ASKED_BACK.search(view.asked.text) else pick_unused(_AGAIN, view)
        return Say(_putting(told, f"{lead}{_wording(topic, view)}", view), view.there)


def _putting(told: Sequence[str], question: str, view: CourtView) -> str:
    """What is told in the manner of its speaker, then the question; who likes to talk says that the answer was
    understood."""
    if not told and len(view.own) > 1 and view.traits.get("extraversion") == "high":
        told = [pick(_UNDERSTOOD, view)]
    return styled(told, view, thanks=len(view.own) > 1) + addressing(question, view)


def _wording(topic: TopicCue, view: CourtView) -> str:
    """The question as it stands, other words for it when it has to be put again."""
    said = "\n".join(turn.text for turn in view.own)
    again = [text for text in topic.aliases if text not in said]
    text = topic.question if topic.kind == "ask" or not topic.aliases else pick(again or topic.aliases, view, "alias")
    return text if text.endswith(("？", "?", "。")) else f"{text}？"


def _background(view: CourtView, parts: Sequence[str], topic: TopicCue) -> list[str]:
    """The next part of the story, in the order of events, at most half of all at once. What the trainee asked back
    for comes first, if the story has it."""
    telling = _ClientAccount(view, topic.question)
    left = [part for part in parts if not telling.told(part)]
    asked = view.asked.text if view.asked and not topic.first else ""
    back = bool(_ASKED_BACK.search(asked))
    if back and (answer := fact(asked, parts)):
        return [telling.rough(answer)]
    if topic.kind == "follow_up" and not back:
        return []
    order = [str(one.get("id", "")) for one in view.held.get("topics", ())]
    ahead = len(order) - order.index(topic.id) if topic.id in order else 1
    most = max(1, min(_MOST, len(parts) // 2))
    told = left[: min(-(-len(left) // max(1, ahead)), most)]
    return [telling.rough(part) for part in told]


# --- a party that needs a document ----------------------------------------------------------------------------------

_PORTION = {"low": 3, "medium": 4, "high": 5}
_EXACT = re.compile(r"准确|具体|确切|精确|到底|说准|核实|哪一天|几月几日|是多少")
_FIELDS: Mapping[str, tuple[str, str]] = {
    "name": ("姓名", "叫{}"), "gender": ("性别", "{}"), "ethnicity": ("民族", "{}"),
    "birth_date": ("出生日期", "{}出生"), "address": ("住址", "住在{}"), "contact": ("联系方式", "联系方式是{}"),
    "occupation": ("职业", "职业是{}"), "workplace": ("工作单位", "工作单位是{}"),
    "representative": ("法定代表人", "法定代表人是{}"), "representative_title": ("法定代表人的职务", "职务是{}"),
    "education": ("文化程度", "文化程度是{}"), "birthplace": ("出生地", "出生地是{}"),
}  # fmt: skip
"""Field of a party -> what it is called, and how it is said."""
_OF_PERSON = frozenset(("gender", "ethnicity", "birth_date", "education", "birthplace", "occupation"))
_OF_COMPANY = frozenset(("representative", "representative_title"))
_WHOLE = {
    "person": ("name", "gender", "ethnicity", "birth_date", "address"),
    "company": ("name", "address", "representative"),
}
_NOT_HIS = {
    "court": "法院的事我不懂，您看着定。", "docket": "案号我不清楚。", "guidance": "怎么写我不懂，您是律师，您来定。",
}  # fmt: skip
"""What is asked for -> what somebody says to whom it is no business of his."""
_NONE = {"evidence": "手里没有什么证据。", "purpose": "手里没有什么证据。", "witness": "没有证人。"}
_JUDGED = re.compile(r"^(?:请求)?(?:依法)?判令")
_ALL_TOLD = "没有别的了，该说的都说了。"


class InformingClient(CourtRules):
    """Answers the lawyer who drafts a complaint or a defence."""

    def _speak(self, view: CourtView) -> Say:
        return Say(styled(_Party(view).answers(view.asked.text if view.asked else ""), view), view.there)


class _Party:
    """A client at its turn, with its lists: claims or answer, story, exhibits."""

    def __init__(self, view: CourtView) -> None:
        held: Mapping[str, Any] = view.held
        self._client: Client = "plaintiff" if view.role == "plaintiff" else "defendant"
        self._other: Client = "defendant" if self._client == "plaintiff" else "plaintiff"
        self._parties = {party.get("side"): party for party in held.get("parties", ())}
        self._telling, self._view = _ClientAccount(view), view
        self._size = _PORTION.get(view.traits.get("extraversion", "medium"), 4)
        self._me = "我们公司" if self._parties.get(self._client, {}).get("kind") == "company" else "我"
        pleaded = str(held.get("complaint" if self._client == "plaintiff" else "answer", ""))
        facts = [str(one.get("text", "")) for one in held.get("facts", ())]
        claims = [_JUDGED.sub("", with_parts(one)) for one in held.get("claims", ())]
        points = [str(one.get("text", "")) for one in held.get("defences", ())]
        exhibits = [one for one in held.get("evidence", ()) if one.get("title")]
        self._lists = {
            "claims": [
                one.rstrip("。；")
                for one in self._spoken(claims if self._client == "plaintiff" else points or narrative(pleaded))
            ],
            "facts": self._spoken((narrative(pleaded) if self._client == "plaintiff" else []) or facts),
            "evidence": self._spoken(map(_exhibit, exhibits)),
            "witness": self._spoken(_exhibit(one) for one in exhibits if one.get("witness", {}).get("name")),
            "purpose": self._spoken(f"{one['title']}，{one['purpose']}" for one in exhibits if one.get("purpose")),
        }
        self._heads = {"claims": "我的要求" if self._client == "plaintiff" else "我的意见", "evidence": "手里的材料"}

    def answers(self, question: str) -> list[str]:
        """The sentences that answer an utterance of the lawyer, in the order of its questions."""
        wants = wanted(question, self._client)
        parts = [self._identity(owner, wants) for owner in ("own", "other")]
        for name in dict.fromkeys(_LIST_OF.get(want.slot, "") for want in wants if not want.owner):
            parts.append(self._listed(name, question) if name else "")
        parts += [_NOT_HIS.get(want.slot, "") for want in wants]
        # What was told twice is not told again: two who wait for each other would go on so for ever.
        fresh = dict.fromkeys(part for part in parts if part and self._telling.times(part) < 2)
        return list(fresh) or [self._unasked(question)]

    def _unasked(self, question: str) -> str:
        """The fact that an utterance is about, at most twice, else what is owed: a draft names facts, too."""
        pool = [item for items in self._lists.values() for item in items if self._telling.times(item) < 2]
        if said := fact(question, pool):
            return self._telling.rough(said)
        return self._owed(question)

    def _owed(self, question: str) -> str:
        """The next that is still to be told, whatever was asked."""
        owed = (name for name in ("claims", "facts", "evidence") if self._telling.next(self._lists[name], 1))
        return next((self._listed(name, question) for name in owed), _ALL_TOLD)

    def _listed(self, name: str, question: str) -> str:
        items = self._lists[name]
        portion = self._telling.next(items, self._size, bool(_EXACT.search(question)))
        if not portion:
            return self._owed(question) if items else _NONE.get(name, "还没有想好。")
        left = [item for item in items if not self._telling.told(item) and item not in portion]
        if name == "facts":
            return "".join([*map(self._telling.rough, portion), *([] if left else ["大致就是这样。"])])
        said = "；".join(
            f"{int_to_chinese(items.index(item) + 1)}是{item if name == 'evidence' else self._telling.rough(item)}"
            for item in portion
        )
        said = said.replace("；", "，") if self._view.traits.get("extraversion") == "low" else said
        head = f"{self._heads[name]}有这些，" if items[0] in portion and name in self._heads else ""
        return f"{head}{said}{'。' if left else '，就是这些。'}"

    def _identity(self, owner: str, wants: Sequence[RequestedSlot]) -> str:
        """What is asked of one side's data; what is not on file is not known, or not told of oneself."""
        party = self._parties.get(self._client if owner == "own" else self._other, {})
        kind, who = str(party.get("kind", "person")), self._me if owner == "own" else "对方"
        slots = [want.slot for want in wants if want.owner == owner]
        slots = list(dict.fromkeys(one for slot in slots for one in (_WHOLE[kind] if slot == WHOLE else (slot,))))
        foreign = _OF_COMPANY if kind == "person" else _OF_PERSON
        fitting = [slot for slot in slots if slot in IDENTITY and slot not in foreign]
        if slots and not fitting:
            return f"{who}是{'个人' if kind == 'person' else '单位'}，没有这一项。"
        said = field_words(party, [(slot, _FIELDS[slot][1]) for slot in fitting])
        missing = "、".join(_FIELDS[slot][0] for slot in fitting if not party.get(slot))
        gap = f"{missing}{'不方便透露' if owner == 'own' else '我不清楚'}" if missing else ""
        return f"{who}{'，'.join(filter(None, [*said, gap]))}。" if fitting else ""

    def _spoken(self, texts: Iterator[str] | Sequence[str]) -> list[str]:
        """Passages of the case file in the words of the client."""
        words = {"plaintiff": "原告", "defendant": "被告"}
        names = ((self._client, self._me), (self._other, "对方"))
        found = []
        for text in texts:
            said = re.sub("原、被告|原被告|原告、?与?和?被告双方", f"{self._me}和对方", text)
            for side, word in names:
                said = re.sub(rf"{words[side]}(?:本人|公司|方)?", word, said)
                if len(name := str(self._parties.get(side, {}).get("name", ""))) > 1:
                    said = said.replace(name, word)
                said = said.replace(word + word, word)
            found.append(said)
        return [one for one in found if one]


_LIST_OF = {
    "claims": "claims", "defences": "claims", "sums": "claims", "facts": "facts", "more": "facts",
    "evidence": "evidence", "source": "evidence", "witness": "witness", "purpose": "purpose",
}  # fmt: skip
"""What is asked for -> the list that holds it."""


def _exhibit(one: Mapping[str, Any]) -> str:
    witness = one.get("witness", {})
    where = f"，住在{witness['address']}" if witness.get("address") else ""
    who = f"，证人是{witness['name']}{where}" if witness.get("name") else ""
    source = f"，来源是{one['source']}" if one.get("source") else ""
    return f"{one['title']}{source}{who}"


# --- who asks them --------------------------------------------------------------------------------------------------

QUOTED = 120
"""Characters of an article that are quoted."""
_ASKED = re.compile(r"[?？]|吗|呢|怎么|如何|什么|哪|多少|多久|是否|能否|请问")
_BACK = "您好，请把事情的经过或者想了解的情况说一说，您最想解决的是哪个问题？"
_NOTHING = (
    "这个问题我手头没有查到可以直接引用的条文，说错了会误导您，我向带教律师请示后再答复您。"
    "您也可以拨打12348公共法律服务热线。"
)
_NOTHING_EITHER = "这个问题也没有查到可以引用的条文，不能答复您。"
_FOUND = (
    "我查到的规定是《{law}》{article}：“{text}”。这一条是否适用于您的情况，要由律师结合具体事实判断，"
    "我不能随口下结论。"
)
QUESTIONS: dict[Kind, tuple[str, ...]] = {
    "CD": ("请您介绍一下双方的基本情况。", "您有什么诉讼请求？", "请把事情的经过说一说。", "您手里有哪些证据？"),
    "DD": ("请您介绍一下双方的基本情况。", "对方的请求您怎么看？", "请把事情的经过说一说。", "您手里有哪些证据？"),
}
"""What a document needs, asked openly."""


class Trainee(CourtRules):
    """Answers what was asked last."""

    def _speak(self, view: CourtView) -> Say:
        questions = [turn.text for turn in view.record if turn.speaker == "client"]
        asked = bool(questions) and bool(_ASKED.search(questions[-1]))
        if not asked and not any(turn.text == _BACK for turn in view.own):
            return Say(_BACK)
        nothing = _NOTHING_EITHER if any(turn.text == _NOTHING for turn in view.own) else _NOTHING
        return Say((self._found(questions[-1], view) if asked else "") or nothing)

    def _found(self, question: str, view: CourtView) -> str:
        """The first article that the statutes give; '' for none."""
        if self.search is None:
            return ""
        try:
            hits = self.search.search(question, SearchSettings(k=1, at=view.day)).hits
        except DamagedData:
            raise
        except StoreError:
            return ""
        first = next((hit for hit in hits if hit.article.text), None)
        if first is None:
            return ""
        text = (first.article.text or "").translate(str.maketrans("“”\n", "‘’ "))
        return _FOUND.format(law=first.version.law, article=first.article.number.chinese, text=text[:QUOTED])


class Interviewer(CourtRules):
    """Asks what a document needs, one thing a turn, then hands in the empty form."""

    def _speak(self, view: CourtView) -> Say:
        kind: Kind = "DD" if view.role == "defendant_lawyer" else "CD"
        questions = QUESTIONS[kind]
        if view.turn > len(questions) or view.turn >= view.limit:
            return Say(with_end_mark(floor_document(kind)), view.there)
        return Say(questions[view.turn - 1], view.there)
