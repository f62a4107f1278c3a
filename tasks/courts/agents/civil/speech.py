"""What a party of a civil trial can say of itself: who it is, its answer, its facts, its debate, its terms of settlement.

Built from the fields that the side holds (see the visibility table); texts are quoted as the case file has them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.courts.agents.civil.asks import speech, without_vocative
from tasks.courts.agents.civil.heard import numeral
from tasks.courts.agents.civil.sums import sums, yuan
from tasks.courts.procedure.turns import Side
from tasks.courts.scores.bigrams import bigrams, recall, sentences

ME: Mapping[str, str] = {"plaintiff": "原告", "defendant": "被告"}
LIKE = 0.3
"""Share of a question that a sentence must hold to answer it."""
POSITIONS: Mapping[str, str] = {"admit": "没有异议", "partly": "部分认可", "deny": "不同意"}
_IDLE = re.compile(
    r"[？?。！，,；;：:、]|什么时候|什么|何时|多少|怎么|如何|是否|有没有|有无|为什么|为何|哪些|哪|吗|呢|请问|请|说明|回答|原告|被告|你方|你们?|数额|依据|怎样|确定|请求|主张|具体情况|关于|对于|当时|法庭|一下|的|了|是|在|有|就|钱"
)
_QUOTED = re.compile(r"“([^“”]{4,200})”")
_YIELDS = re.compile(r"调解|和解|商量|愿意(?:还|付|赔|退|按)")
"""What a side would give to settle has no place in the debate."""
_COUNT = re.compile(r"多少|几|数额|金额")
_SUM = re.compile(r"[0-9]万?元")
_PUT = re.compile(
    r"应否|能否|是否系?|有无|如何|原告要求|有无依据|能否成立|被告关于|的意见|应否支持|被告|原告|支付|[“”，。其]"
)
_LEADS = re.compile(
    r"^\s*(?:[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[）)]|第[一二三四五六七八九十][，、])"
)
_ADDRESS = re.compile(r"^(?:尊敬的)?(?:各位)?(?:法官|审判长|审判员|法院|法庭|合议庭)(?:同志)?[：:，,]")
"""An answer or a complaint that opens like a letter: whom it addresses is no part of what is pleaded."""
_FILED = re.compile(r"诉至|起诉|提起诉讼|诉请")
_ISSUE = re.compile(r"(?:^|(?<=[：:；;。\n]))\s*(?:[一二三四五六七八九]|[0-9])[、.．]\s*([^；;。\n]{4,120})")


def _like(asked: str, text: str) -> float:
    """The share of a question that a text holds; of a question of a sign or two, by signs."""
    if len(asked) > 2:
        return recall(bigrams(asked), bigrams(text))
    return sum(sign in text for sign in asked) / len(asked) if asked else 0.0


def _best(about: frozenset[str], texts: Sequence[str]) -> tuple[float, str]:
    """The text that holds most of some pairs of signs, with its share."""
    scored = ((recall(about, bigrams(text)), text.strip()) for text in texts)
    return max(scored, key=lambda pair: pair[0], default=(0.0, ""))

_SLIPS = re.compile(r"转账|汇款|付款|还款|收据|收条|回单|凭证|流水")
_UNWRITTEN = re.compile(r"书面|凭据")
"""What a side that has shown slips of payment does not say of itself."""


class Speaker:
    """A side of a case, by what it holds."""

    def __init__(self, held: Mapping[str, Any], side: Side) -> None:
        told = {name: _ADDRESS.sub("", held[name].strip()) for name in ("answer", "complaint") if name in held}
        self._held: Mapping[str, Any] = {**held, **told}
        self._side = side
        self._party: Mapping[str, Any] = next((one for one in held.get("parties", ()) if one["side"] == side), {})
        self.id = self._party.get("id", "")
        self.me = ME[side]
        self.counsel: Mapping[str, Any] = self._party.get("counsel") or {}
        self.we = "我方" if self.counsel or self._party.get("kind") == "company" else "我"
        self._defences: Sequence[Mapping[str, Any]] = held.get("defences", ())

    @property
    def admits_something(self) -> bool:
        """Whether the answer admits a claim, if only in part."""
        return any(one.get("position") in ("admit", "partly") for one in self._defences)

    def identity(self, *, contact: bool = False) -> str:
        """Name and particulars, and who appears with which authority."""
        party = self._party
        said = [f"{self.me}{party.get('name', '')}"]
        if party.get("kind") == "company":
            said += [f"住所地{party['address']}"] if party.get("address") else []
            if party.get("representative"):
                title = party.get("representative_title", "")
                said.append(f"法定代表人{party['representative']}" + (f"，{title}" if title else ""))
        else:
            said += [party[name] for name in ("gender", "ethnicity") if party.get(name)]
            if born := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", str(party.get("birth_date", ""))):
                said.append(f"{born[1]}年{int(born[2])}月{int(born[3])}日出生")
            said += [party["occupation"]] if party.get("occupation") else []
            said += [f"住{party['address']}"] if party.get("address") else []
        said += [party["contact"]] if contact and party.get("contact") else []
        return "，".join(said) + "。" + self._appears()

    def _appears(self) -> str:
        if not self.counsel.get("name"):
            who = "法定代表人" if self._party.get("kind") == "company" else "本人"
            return f"由{who}到庭，没有委托诉讼代理人。"
        firm = f"，{self.counsel['firm']}律师" if self.counsel.get("firm") else ""
        authority = self.counsel.get("authority") or "以授权委托书为准"
        return f"委托诉讼代理人{self.counsel['name']}{firm}，代理权限为{authority}。"

    def defence(self) -> str:
        """The answer, claim by claim where it says which claims it meets; then what the points leave out."""
        whole = self._held.get("answer", "").strip()
        pointed = [one for one in self._defences if one.get("answers")]
        if not pointed:
            return (
                f"答辩意见：{whole or '；'.join(one.get('text', '') for one in self._defences) or '请求依法判决。'}"
            )
        said = []
        together: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
        for one in self._defences:
            found = (re.search(r"\d+$", claim) for claim in one.get("answers", ()))
            together.setdefault(tuple(match[0] for match in found if match), []).append(one)
        for numbers, points in together.items():
            texts = [point.get("text", "").rstrip("。") for point in points]
            if not numbers:
                said += [f"{text}。" for text in texts]
                continue
            label = f"关于第{'、'.join(numeral(int(number)) for number in numbers)}项诉讼请求，"
            taken = {point.get("position", "deny") for point in points}
            position = POSITIONS[taken.pop() if len(taken) == 1 else "partly"]
            listed = "；".join(f"其{numeral(place)}，{text}" for place, text in enumerate(texts, 1))
            said.append(f"{label}{self.me}{position}，{listed if len(texts) > 1 else texts[0]}。")
        known = bigrams("".join(one.get("text", "") for one in self._defences))
        more = [part.strip() for part in sentences(whole) if recall(bigrams(part), known) < 0.4]
        kept = [_LEADS.sub("", part) for part in more if len(part) > 8]
        return "答辩意见如下：\n" + "\n".join(said) + (f"\n另外说明：{''.join(kept)}" if kept else "")

    # --- questions and debate -----------------------------------------------------------------------------------------

    def answer(self, question: str, said: str = "") -> str:
        """The answer to a question of fact: the sentence of the material that holds most of it, or that it is not known."""
        asked = [
            part for part in re.findall(r"[^？?。；;\n]+[？?。；;]?", without_vocative(question)) if len(part) > 3
        ]
        found: dict[str, None] = {}
        for part in asked[:4]:
            like, text = self._nearest(part)
            if like >= LIKE:
                found[text] = None
        if replied := self._on_own_exhibit(question):
            return replied
        if put := _QUOTED.search(question):
            pairs = bigrams(put[1])
            fresh = [text for text in self._pleaded() if recall(bigrams(text), pairs) < 0.7]
            like, text = _best(pairs, fresh)
            if like >= LIKE / 2:
                found = {text: None}
            elif self._side == "plaintiff":
                found = {}
        if told := self._of_the_matter(question):
            found = {told: None}
        if not found:
            return self._nothing(question)
        return "".join(f"{text.rstrip('。；;')}。" for text in found)

    def _of_the_matter(self, question: str) -> str:
        """The sentence of the own material that tells of a matter by other words than it is asked; '' where none does."""
        told = [one["told"] for one in speech()["matters"] if re.search(one["asked"], question)]
        dated = sorted(self._pool(), key=lambda text: not re.search(r"[0-9]月", text))
        return next((text.strip() for words in told for text in dated if re.search(words, text)), "")

    def _on_own_exhibit(self, question: str) -> str:
        """What a side says when asked what else bears out an exhibit of its own that is denied."""
        own = [one for one in self._held.get("evidence", ()) if one["owner"] == self.id]
        asked = next((one for one in own if len(one.get("title", "")) > 2 and one["title"] in question), None)
        if asked is None or not re.search(r"印证|为什么|什么时候|原件|由谁", question):
            return ""
        about = bigrams(asked.get("purpose", ""))
        told = [
            text
            for text in self._pool()
            if text.strip("。") not in asked.get("purpose", "") and not text.startswith("证明")
        ]
        like, text = _best(about, told)
        others = [one for one in own if one is not asked and recall(about, bigrams(one.get("excerpt", ""))) >= LIKE]
        said = [f"{text.rstrip('。；;')}"] if like >= LIKE * 0.8 else []
        said += [f"可以与{others[0]['title']}相互印证"] if others else []
        return "，".join(said) + "。" if said else self._nothing(question)

    def _nothing(self, question: str) -> str:
        """That nothing in writing bears on a question, in one of several ways."""
        ways: Sequence[str] = speech()["nothing"]["plain" if self.counsel else "self"]
        if _SLIPS.search("".join(one.get("title", "") for one in self._held.get("evidence", ()) if one["owner"] == self.id)):
            ways = [one for one in ways if not _UNWRITTEN.search(one)] or ways
        return ways[sum(map(ord, question)) % len(ways)].format(me=self.me, we=self.we)

    def _nearest(self, question: str) -> tuple[float, str]:
        asked = _IDLE.sub("", question)
        pool = [text for text in self._pool() if text.strip()]
        scored = [
            (_like(asked, text) + 0.2 * (bool(_COUNT.search(question)) and bool(_SUM.search(text))), text)
            for text in pool
        ]
        like, text = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
        return like, text.strip()

    def _pleaded(self) -> list[str]:
        """What this side has pleaded and wants to prove: its own case, not what both sides know."""
        own = [one for one in self._held.get("evidence", ()) if one["owner"] == self.id]
        texts = [self._held.get("complaint" if self._side == "plaintiff" else "answer", "")]
        proves = [(one.get("title", ""), one.get("purpose", "")) for one in own]
        texts += [f"{self.me}提交的{title}能够{says}" for title, says in proves if says.startswith("证明")]
        parts = (_LEADS.sub("", part) for text in texts for part in sentences(text))
        return [part for part in dict.fromkeys(parts) if not _FILED.search(part)]

    def _pool(self) -> list[str]:
        """What this side may tell, facts first; sentence by sentence."""
        held = self._held
        texts = [fact.get("text", "") for fact in held.get("facts", ())]
        texts += [*held.get("statements", {}).values()]
        texts += [one.get("text", "") for one in self._defences]
        texts += [held.get("answer", ""), held.get("complaint", "")]
        own = [one for one in held.get("evidence", ()) if one["owner"] == self.id]
        texts += [one.get("purpose", "") for one in own if one.get("purpose") != "未载明"]
        found = [_LEADS.sub("", part) for text in texts for part in sentences(text)]
        return list(dict.fromkeys(found))

    def debate(self, court: Sequence[str], claims: int) -> str:
        """What is said on each issue that the court has put, then what the side adds of its own."""
        told: dict[str, int] = {}
        said = []
        put = self._issues(court)
        if not put:
            told = dict.fromkeys(self._arguments()[:3], 0)
            said += [f"{text.rstrip('。；;')}。" for text in told]
        referred = False
        for place, issue in enumerate(put, 1):
            about = bigrams(_PUT.sub("", issue)) or bigrams(issue)
            like, text = _best(about, self._arguments())
            if like < LIKE / 2:
                continue
            if text in told:
                like, other = _best(about, [one for one in (*self._arguments(), *self._pleaded()) if one not in told])
                if like < LIKE / 4 and referred:
                    continue
                referred = referred or like < LIKE / 4
                text = other if like >= LIKE / 4 else f"与第{numeral(told[text])}点的理由一致"
            said.append(f"关于争议焦点{numeral(place)}，{text.rstrip('。；;')}。")
            told[text] = place
        for text in self._held.get("statements", {}).values():
            kept = "".join(part for part in sentences(text) if not _YIELDS.search(part)).strip()
            if text not in told and kept:
                said.append(kept)
        end = (
            "综上，请求法院支持原告的诉讼请求。"
            if self._side == "plaintiff"
            else "综上，请求法院采纳被告的答辩意见，依法判决。"
        )
        return "发表辩论意见如下：\n" + "\n".join([*said, end])

    def _issues(self, court: Sequence[str]) -> list[str]:
        for text in reversed(court):
            if "焦点" in text and (found := _ISSUE.findall(text[text.find("焦点") :])):
                return found[:8]
        return []

    def _arguments(self) -> list[str]:
        held = self._held
        if self._side == "defendant" and self._defences:
            told = [part for one in self._defences for part in re.split(r"[；;]", one.get("text", ""))]
            return [*(part for part in told if part and not part.endswith("没有异议")), *self._objected()]
        own = [one for one in held.get("evidence", ()) if one["owner"] == self.id]
        proofs = [
            f"{self.me}提交的{one['title']}能够{one['purpose']}"
            for one in own
            if one.get("purpose", "").startswith("证明")
        ]
        told = [part.strip() for part in sentences(held.get("complaint", "") or held.get("answer", ""))]
        strong = [*self._objected(), *proofs]
        return (
            strong
            if self._side == "plaintiff" and strong
            else [*strong, *(part for part in told if not _FILED.search(part))]
        )

    def _objected(self) -> list[str]:
        """What this side says against the exhibits of the other: its answer to the strongest point of the other."""
        return [
            text
            for one in self._held.get("evidence", ())
            if one["owner"] != self.id
            for objection in one.get("objections", ())
            if objection.get("by") == self.id
            for aspect in ("weight", "truth", "relevance")
            if (text := str(objection.get(aspect) or "")) and len(text) > 8
        ]

    # --- mediation ----------------------------------------------------------------------------------------------------

    def _stance(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._held.get("mediation", {}).get(self.id, {})
        return found

    def mediation(self, *, again: bool = True) -> str:
        """Whether the side settles; on which terms, it says when it is asked `again`: counsel do not open with the limit."""
        stance = self._stance()
        terms, amount = stance.get("terms", "").rstrip("。"), stance.get("amount")
        if stance.get("stance") != "accept_if":
            return "不同意调解，请求法庭依法判决。"
        if not again:
            return f"{self._asked_client()}同意调解，可以由双方协商，希望对方适当让步。"
        said = [f"{self._asked_client()}同意在法庭主持下调解"]
        if terms:
            said.append(f"条件是：{terms}")
        if amount is not None and not any(abs(one.yuan - amount) < 0.01 for one in sums(terms)):
            limit = "不低于" if self._side == "plaintiff" else "不超过"
            said.append(f"由被告支付的数额{limit}{yuan(amount)}")
        return "，".join(said) + "。"

    def _asked_client(self) -> str:
        return f"经与{self.me}本人沟通，{self.me}" if self.counsel.get("authority") == "一般授权" else self.we

    def proposal(self, words: str) -> str:
        """Whether a proposed settlement is accepted: by its sum, or where the side named none, by its terms."""
        stance = self._stance()
        if stance.get("stance") != "accept_if":
            return "不同意该方案，请求法庭依法判决。"
        named, limit = [one.yuan for one in sums(words)], stance.get("amount")
        if limit is not None and named:
            fits = max(named) >= limit if self._side == "plaintiff" else max(named) <= limit
        else:
            fits = not stance.get("terms") or recall(bigrams(stance["terms"]), bigrams(words)) >= 0.6
        return f"{self._asked_client()}同意该调解方案。" if fits else "不同意该方案，双方差距较大，请求法庭依法判决。"
