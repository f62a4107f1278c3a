"""What a client of a lawyer answers to each thing it is asked for, out of the fields it holds and nothing else.

Lists (claims, defences, exhibits, the story) come in portions, the next when more is asked for. Somebody who is not
conscientious says days and sums roughly at first and exactly at the second question; nothing is ever withheld for
good.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from store.text.numerals import int_to_chinese
from tasks.courts.agents.clients.voices import bare, narrative, vague, voice_of
from tasks.courts.agents.own_words import told
from tasks.courts.play.views import CourtView
from tasks.courts.scores.bigrams import bigrams, recall
from tasks.courts.scores.slots import yuan
from tasks.courts.simulated.asking import IDENTITY, WHOLE, Client, Owner, Wanted, wanted

_PORTION = {"low": 3, "medium": 4, "high": 5}
"""Extraversion -> items of a list in one answer."""
_NEAR = 0.34
"""A sentence answers a question when it has so much of it."""
_LETTERS = 0.4
"""What single characters are worth beside pairs: 把钱借出去 and 借款 share no pair."""
_LITTLE = frozenset("是把将被去来过到在给我他她它这那有没和跟")
_EXACT = re.compile(r"准确|具体|确切|精确|到底|说准|核实|哪一天|几月几日|是多少")
_LABELS = {
    "name": "姓名", "gender": "性别", "ethnicity": "民族", "birth_date": "出生日期", "address": "住址",
    "contact": "联系方式",
    "occupation": "职业", "workplace": "工作单位", "representative": "法定代表人",
    "representative_title": "法定代表人的职务",
    "education": "文化程度", "birthplace": "出生地",
}  # fmt: skip
_LEADS = {
    "gender": "的性别是", "ethnicity": "是", "contact": "的", "occupation": "的", "workplace": "的",
    "representative": "的",
    "representative_title": "的法定代表人", "education": "的", "birthplace": "的",
}  # fmt: skip
"""How a sentence begins that tells this first: 我的职业是…"""
_FOREIGN: Mapping[str, frozenset[str]] = {
    "person": frozenset({"representative", "representative_title"}),
    "company": frozenset({"gender", "ethnicity", "birth_date", "education", "birthplace", "occupation"}),
}
_FORMS = {
    "name": "叫{}", "gender": "{}", "ethnicity": "{}", "birth_date": "{}出生", "address": "住在{}",
    "contact": "联系方式是{}",
    "occupation": "职业是{}", "workplace": "工作单位是{}", "representative": "法定代表人是{}",
    "representative_title": "职务是{}",
    "education": "文化程度是{}", "birthplace": "出生地是{}",
}  # fmt: skip
_FORMS_OF_COMPANY = {"name": "全称是{}", "address": "住所地在{}"}
_WHOLE = {
    "person": ("name", "gender", "ethnicity", "birth_date", "address"),
    "company": ("name", "address", "representative"),
}
_NOT_HIS: Mapping[tuple[str, str], Sequence[str]] = {
    ("court", "plaintiff"): ("该去哪个法院我不懂，您看着定。",),
    ("court", "defendant"): ("法院的事我不清楚，以起诉材料上写的为准。",),
    ("docket", ""): ("案号我不清楚。",), ("guidance", ""): ("怎么写我不懂，您是律师，您来定。",),
}  # fmt: skip
"""What is asked for, by whom -> what somebody says to whom it is no business of his."""
_QUESTION_WORDS = re.compile(
    r"请问|您|你|请|告诉|什么时候|哪一天|哪天|多少钱|多少|是否|有没有|是不是|怎么|什么|为什么|吗|呢|哪|的|了|说明"
    r"|说一下|一下|具体|准确|情况|当时"
)


class Teller:
    """A client at its turn."""

    def __init__(self, view: CourtView, client: Client) -> None:
        held: Mapping[str, Any] = view.held
        self.client, self._traits, self._held = client, view.traits, held
        self._parties = {party.get("side"): party for party in held.get("parties", ())}
        self._voice = voice_of(client, list(self._parties.values()))
        self._said = "\n".join(turn.text for turn in view.own)
        self._said_plain = bare(self._said)
        self._rough = self._traits.get("conscientiousness") == "low"
        self._portion = _PORTION[self._traits.get("extraversion", "medium")]
        spoken = self._voice.spoken
        facts = [spoken(_ended(str(fact.get("text", "")))) for fact in held.get("facts", ())]
        complaint = narrative(str(held.get("complaint", "")))
        self._tale = [spoken(part) for part in complaint] or facts  # a defendant knows single facts
        claims = (str(claim.get("text", "")) for claim in held.get("claims", ()))
        self._wishes = [spoken(re.sub(r"^(?:请求)?(?:依法)?判令", "", text)).rstrip("。；") for text in claims]
        points = [str(point.get("text", "")) for point in held.get("defences", ())]
        points = points or [
            re.sub(r"^[一二三四五六七八九十]+、", "", one) for one in narrative(str(held.get("answer", "")))
        ]
        self._points = [spoken(text).rstrip("。；") for text in points]
        self._exhibits = [one for one in held.get("evidence", ()) if one.get("title")]
        self._pool = [*self._tale, *facts, *self._wishes, *self._points, *map(self._exhibit, self._exhibits)]

    def answers(self, question: str) -> list[str]:
        """The sentences that answer an utterance of the lawyer, in the order of its questions."""
        wants = wanted(question, self.client)
        parts: list[str] = []
        for owner in ("own", "other"):
            slots = [want.slot for want in wants if want.owner == owner]
            if slots:
                parts.append(self._identity(owner, slots))
        named = {want.slot for want in wants}
        for want in wants:
            if want.slot == "source" and "evidence" in named:
                continue  # told with each exhibit
            if not want.owner and (handler := _HANDLERS.get(want.slot)):
                parts += handler(self, want, question)
            parts += _NOT_HIS.get((want.slot, self.client), _NOT_HIS.get((want.slot, ""), ()))
        return list(dict.fromkeys(part for part in parts if part)) or self._about(question)

    # --- who --------------------------------------------------------------------------------------------------------

    def _identity(self, owner: Owner, slots: Sequence[str]) -> str:
        other = "defendant" if self.client == "plaintiff" else "plaintiff"
        party = self._parties.get(self.client if owner == "own" else other, {})
        kind, who = str(party.get("kind", "person")), self._voice.me if owner == "own" else "对方"
        if WHOLE in slots:
            whole = _WHOLE[kind][: 3 if self._traits.get("extraversion") == "low" else 5]
            slots = [*whole, *(slot for slot in slots if slot != WHOLE and slot not in whole)]
        fitting = [slot for slot in dict.fromkeys(slots) if slot not in _FOREIGN[kind]]
        if not fitting:
            return f"{who}是{'个人' if kind == 'person' else '单位'}，没有这一项。"
        known = [slot for slot in fitting if party.get(slot)]
        missing = [_LABELS[slot] for slot in fitting if slot not in known and slot in IDENTITY]
        said = "，".join(self._piece(party, slot, kind) for slot in known)
        if missing:
            gap = f"{'、'.join(missing)}{'不方便透露' if owner == 'own' else '我不清楚'}"
            said = f"{said}，{gap}" if said else gap if owner == "own" else f"对方的{gap}"
        return f"{who}{_LEADS.get(known[0], '')}{said}。" if known else f"{said}。"

    def _piece(self, party: Mapping[str, Any], slot: str, kind: str) -> str:
        year = str(party[slot])[:4]
        if slot == "birth_date" and self._rough and not re.search(rf"(?<!\d){year}年", self._said):
            return f"{year}年出生的"
        if slot == "representative" and "负责人" in str(party.get("representative_title", "")):
            return f"负责人是{party[slot]}"
        form = _FORMS_OF_COMPANY.get(slot, _FORMS[slot]) if kind == "company" else _FORMS[slot]
        return "".join(told(party, [(slot, form)]))

    # --- what -------------------------------------------------------------------------------------------------------

    def _story(self, want: Wanted, question: str) -> list[str]:
        portion = self._next(self._tale, question, self._portion)
        if portion:
            left = [part for part in self._tale if not self._told(part) and part not in portion]
            return [*(self._rough_first(part) for part in portion), *([] if left else ["大致就是这样。"])]
        return [] if want.slot == "facts" and not want.more and not self._tale else ["没有别的了，该说的都说了。"]

    def _claims(self, want: Wanted, question: str) -> list[str]:
        if not self._wishes:
            return ["我就是不认可对方的要求。"] if self.client == "defendant" else ["还没有想好。"]
        return self._listed(self._wishes, question, "我的要求", want.more)

    def _defences(self, want: Wanted, question: str) -> list[str]:
        if not self._points:
            return self._claims(want, question)
        return self._listed(self._points, question, "我的意见", want.more)

    def _listed(self, items: Sequence[str], question: str, head: str, more: bool, *, rough: bool = True) -> list[str]:
        """A portion of a list; what is read from papers at hand is never rough."""
        portion = self._next(items, question, self._portion)
        if not portion:
            return ["没有别的了，就是刚才说的这些。"]
        places = [items.index(item) for item in portion]
        said = "；".join(
            f"{int_to_chinese(place + 1)}是{self._rough_first(item) if rough else item}"
            for place, item in zip(places, portion, strict=True)
        )
        if self._traits.get("extraversion") == "low":
            said = said.replace("；", "，")
        left = [item for item in items if not self._told(item) and item not in portion]
        opening = "" if more or places[0] else f"{head}有这些，"
        return [f"{opening}{said}{'。' if left else '，就是这些。'}"]

    def _sums(self, want: Wanted, question: str) -> list[str]:
        said = []
        for number, claim in enumerate(self._held.get("claims", ()), 1):
            heads = [
                f"{part['text']}{yuan(float(part['amount']))}"
                for part in claim.get("parts", ())
                if part.get("amount")
            ]
            if heads:
                said.append(f"第{int_to_chinese(number)}项里面，{self._voice.spoken('、'.join(heads))}")
            elif aside := re.findall(r"（([^（）]{4,80})）", str(claim.get("text", ""))):
                said.append(f"第{int_to_chinese(number)}项是{self._voice.spoken(aside[0])}")
        if not said:
            return ["金额就是前面说的那些，没有另外的算法。"]
        return ["，".join(said) + "。"]

    def _exhibit(self, one: Mapping[str, Any]) -> str:
        source = f"，来源是{self._voice.spoken(str(one['source']))}" if one.get("source") else ""
        name = one.get("witness", {}).get("name")
        return f"{one['title']}{source}{f'，证人是{name}' if name else ''}"

    def _evidence(self, want: Wanted, question: str) -> list[str]:
        if not self._exhibits:
            return ["手里没有什么证据。"]
        items = [self._exhibit(one) for one in self._exhibits]
        return self._listed(items, question, "手里的材料", want.more, rough=False)

    def _details(self, want: Wanted, question: str) -> list[str]:
        """Sources or purposes: of the exhibits that are named, else of all, in portions."""
        field, lead = ("source", "来源是") if want.slot == "source" else ("purpose", "")
        chosen = self._named(question) or self._exhibits
        items = [f"{one['title']}，{lead}{self._voice.spoken(str(one[field]))}" for one in chosen if one.get(field)]
        if not items:
            return ["没有什么证据。"] if not self._exhibits else ["这个我不清楚。"]
        return self._listed(items, question, "", True, rough=False)

    def _named(self, question: str) -> list[Mapping[str, Any]]:
        asked = bigrams(question)
        return [one for one in self._exhibits if recall(bigrams(str(one["title"])[:12]), asked) >= 0.6]

    def _witness(self, want: Wanted, question: str) -> list[str]:
        said = []
        for one in self._exhibits:
            witness = one.get("witness", {})
            if witness.get("name"):
                where = f"，住在{witness['address']}" if witness.get("address") else "，住址我不清楚"
                who = f"，{self._voice.spoken(str(witness['relation']))}" if witness.get("relation") else ""
                said.append(f"证人叫{witness['name']}{where}{who}。")
        return said or ["没有证人。"]

    def _about(self, question: str) -> list[str]:
        """The sentences that are nearest to a question about one thing."""
        if not re.search(r"[?？]|吗|呢|请|什么|哪|多少|怎么|几|谁", question):
            return ["您还要了解什么，直接问我。"]
        plain = bare(_QUESTION_WORDS.sub("", question))
        asked, letters = bigrams(plain), frozenset(plain) - _LITTLE
        likely = [
            (recall(asked, bigrams(part)) + _LETTERS * recall(letters, frozenset(part)), -at, part)
            for at, part in enumerate(self._pool)
        ]
        if re.search(r"什么时候|哪一?天|何时|日期|时间", question):
            likely = [(share + 0.15 * bool(re.search(r"\d月|\d年", part)), at, part) for share, at, part in likely]
        elif re.search(r"多少|金额|几块|价格|数额", question):
            likely = [(share + 0.15 * bool(re.search(r"\d元|万元", part)), at, part) for share, at, part in likely]
        share, _, best = max(likely, default=(0.0, 0, ""))
        return [_ended(self._rough_first(best))] if share >= _NEAR else ["这个我不清楚。"]

    # --- what was said before ---------------------------------------------------------------------------------------

    def _told(self, item: str) -> bool:
        """Whether it was said before, exactly or roughly."""
        return bare(item) in self._said_plain or bare(vague(item)) in self._said_plain

    def _next(self, items: Sequence[str], question: str, size: int) -> list[str]:
        """The next portion: what was said only roughly where exactness is asked for, else what was not said yet."""
        rough = [item for item in items if self._told(item) and bare(item) not in self._said_plain]
        if rough and (_EXACT.search(question) or all(self._told(item) for item in items)):
            return rough[: 2 * size]
        return [item for item in items if not self._told(item)][:size]

    def _rough_first(self, item: str) -> str:
        """Roughly at the first time of somebody who is not conscientious."""
        return vague(item) if self._rough and not self._told(item) else item


_HANDLERS: Mapping[str, Callable[[Teller, Wanted, str], list[str]]] = {
    "facts": Teller._story, "more": Teller._story, "claims": Teller._claims, "sums": Teller._sums,
    "defences": Teller._defences, "evidence": Teller._evidence, "source": Teller._details, "purpose": Teller._details,
    "witness": Teller._witness,
}  # fmt: skip


def _ended(text: str) -> str:
    return text if text.endswith(("。", "！", "？")) else f"{text}。"
