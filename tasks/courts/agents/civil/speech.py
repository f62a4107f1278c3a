"""What a party of a civil trial can say of itself: who it is, its answer, its facts, its debate, its terms of
settlement.

Built from the fields that the side holds (see the visibility table); texts are quoted as the case file has them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from store.text.dates import plain_date
from store.text.numerals import int_to_chinese
from tasks.courts.agents import own_words
from tasks.courts.agents.civil.asks import without_vocative
from tasks.courts.agents.civil.heard import Claim, position
from tasks.courts.agents.civil.sums import sums
from tasks.courts.agents.own_words import matter, meeting, nearest, parts_of, unsaid
from tasks.courts.agents.quoting import gist
from tasks.courts.procedure.turns import Side
from tasks.courts.scores.bigrams import bigrams, recall, sentences
from tasks.courts.scores.slots import yuan

ME: Mapping[str, str] = {"plaintiff": "原告", "defendant": "被告"}
POSITIONS: Mapping[str, str] = {"admit": "没有异议", "partly": "部分认可", "deny": "不同意"}
_YIELDS = re.compile(r"调解|和解|商量|愿意(?:还|付|赔|退|按)")
"""What a side would give to settle has no place in the debate."""
_LEADS = re.compile(
    r"^\s*(?:[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[）)]|第[一二三四五六七八九十][，、]|关于争议焦点[一二三四五六七八九十]+，|针对[^“”]{2,6}“[^”]*”，)"
)
_SET = re.compile(r"[：:]$|^综上")
"""Words that open and close a speech and make no point."""
_ADDRESS = re.compile(r"^(?:尊敬的)?(?:各位)?(?:法官|审判长|审判员|法院|法庭|合议庭)(?:同志)?[：:，,]")
"""An answer or a complaint that opens like a letter: whom it addresses is no part of what is pleaded."""
_FILED = re.compile(r"诉至|起诉|提起诉讼|诉请")
_ISSUE = re.compile(r"(?:^|(?<=[：:；;。\n]))\s*(?:[一二三四五六七八九]|[0-9])[、.．]\s*([^；;。\n]{4,120})")


def _numbers(point: Mapping[str, Any]) -> tuple[int, ...]:
    """The numbers of the claims that a point of the answer meets."""
    found = (re.search(r"\d+$", claim) for claim in point.get("answers", ()))
    return tuple(int(match[0]) for match in found if match)


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
            if born := plain_date(str(party.get("birth_date", ""))):
                said.append(f"{born}出生")
            said += [party["occupation"]] if party.get("occupation") else []
            said += [f"住{party['address']}"] if party.get("address") else []
        said += [party["contact"]] if contact and party.get("contact") else []
        return "，".join(said) + "。" + self._appears()

    def _appears(self) -> str:
        if not self.counsel:
            who = "法定代表人" if self._party.get("kind") == "company" else "本人"
            return f"由{who}到庭，没有委托诉讼代理人。"
        firm = f"，{self.counsel['firm']}律师" if self.counsel.get("firm") else ""
        told = self.counsel.get("authority", "")
        name = self.counsel.get("name") or "到庭"
        return f"委托诉讼代理人{name}{firm}，代理权限{f'为{told}' if told else '以授权委托书为准'}。"

    def defence(self) -> str:
        """The answer, claim by claim where it says which claims it meets; then what the points leave out."""
        whole = self._held.get("answer", "").strip()
        pointed = [one for one in self._defences if one.get("answers")]
        if not pointed:
            return (
                f"答辩意见：{whole or '；'.join(one.get('text', '') for one in self._defences) or '请求依法判决。'}"
            )
        said = []
        together: dict[tuple[int, ...], list[Mapping[str, Any]]] = {}
        for one in self._defences:
            together.setdefault(_numbers(one), []).append(one)
        for numbers, points in together.items():
            texts = [point.get("text", "").rstrip("。") for point in points]
            if not numbers:
                said += [f"{text}。" for text in texts]
                continue
            label = f"关于第{'、'.join(int_to_chinese(number) for number in numbers)}项诉讼请求，"
            taken = {point.get("position", "deny") for point in points}
            position = POSITIONS[taken.pop() if len(taken) == 1 else "partly"]
            listed = "；".join(f"其{int_to_chinese(place)}，{text}" for place, text in enumerate(texts, 1))
            said.append(f"{label}{self.me}{position}，{listed if len(texts) > 1 else texts[0]}。")
        known = bigrams("".join(one.get("text", "") for one in self._defences))
        more = [part.strip() for part in sentences(whole) if recall(bigrams(part), known) < 0.4]
        kept = [_LEADS.sub("", part) for part in more if len(part) > 8]
        return "答辩意见如下：\n" + "\n".join(said) + (f"\n另外说明：{''.join(kept)}" if kept else "")

    # --- questions and debate -----------------------------------------------------------------------------------------

    def answer(self, question: str) -> str:
        """The answer to each question of fact: the sentence of the own material that covers it, or that it is not
        known."""
        asked = [part for part in sentences(without_vocative(question)) if matter(part)][:4]
        told = [f"{text}。" for part in asked for text in own_words.answer(part, self._pool())]
        return "".join(dict.fromkeys(told)) or f"这个情况{self.we}不清楚。"

    def _pool(self) -> list[str]:
        """What this side may tell, facts first; sentence by sentence."""
        held = self._held
        texts = [fact.get("text", "") for fact in held.get("facts", ())]
        texts += [*held.get("statements", {}).values(), *(one.get("text", "") for one in self._defences)]
        texts += [held.get("answer", ""), held.get("complaint", ""), *self._objected()]
        texts += self._proofs()
        return [_LEADS.sub("", part) for part in parts_of(texts)]

    def debate(self, court: Sequence[str], claims: Sequence[Claim] = ()) -> str:
        """What is said on each issue that the court has put; without issues its first arguments.

        A point that answers certain claims is said on the issues of these, not on others.
        """
        told: dict[str, str] = {}
        for place, issue in enumerate(self._issues(court), 1):
            asked = max(claims, key=lambda claim: recall(bigrams(issue), bigrams(claim.brief)), default=None)
            meant = self._meant(asked.number if asked else 0)
            left = [one for one in self._arguments() if one not in told]
            mine = [one for one in left if meant.get(one)]
            for text in nearest(issue, mine) or mine[:1] or nearest(issue, [one for one in left if one not in meant]):
                told[text] = f"关于争议焦点{int_to_chinese(place)}，{text}。"
        said = list(told.values()) or [f"{text}。" for text in self._arguments()[:3]]
        own = [f"{part}。" for part in self._stated() if not _YIELDS.search(part)]
        said += ["".join(own)] if own else []
        end = "请求法院支持原告的诉讼请求" if self._side == "plaintiff" else "请求法院采纳被告的答辩意见，依法判决"
        return "发表辩论意见如下：\n" + "\n".join([*said, f"综上，{end}。"])

    def _meant(self, number: int) -> dict[str, bool]:
        """Sentence of the points that answer certain claims -> whether this claim is among them."""
        return {
            part: number in numbers
            for one in self._defences
            if number and (numbers := _numbers(one))
            for part in parts_of([one.get("text", "")])
        }

    def mutual(self, points: Sequence[str], said: str) -> str:
        """What this side has against points of the other that it has just heard, and has not said yet."""
        other = ME["defendant" if self._side == "plaintiff" else "plaintiff"]
        heard = [_LEADS.sub("", part) for part in parts_of(points)]
        contested = [part for part in heard if position(part) != "admit" and not _SET.search(part)]
        fresh = [one for one in unsaid(parts_of(self._arguments()), said) if position(one) != "admit"]
        told = [f"针对{other}所称“{gist(point)}”，{text}。" for point, text in meeting(contested, fresh)]
        return f"{self.me}补充以下辩论意见：\n" + "\n".join(told) if told else "没有新的辩论意见。"

    def _issues(self, court: Sequence[str]) -> list[str]:
        for text in reversed(court):
            if "焦点" in text and (found := _ISSUE.findall(text[text.find("焦点") :])):
                return found[:8]
        return []

    def _stated(self) -> list[str]:
        return parts_of(self._held.get("statements", {}).values())

    def _arguments(self) -> list[str]:
        if self._side == "defendant" and self._defences:
            told = parts_of(one.get("text", "") for one in self._defences)
            return [*(part for part in told if not part.endswith("没有异议")), *self._objected()]
        told = parts_of([self._held.get("complaint", "") or self._held.get("answer", "")])
        return [*self._objected(), *self._proofs(), *(part for part in told if not _FILED.search(part))]

    def _proofs(self) -> list[str]:
        """What the own exhibits show."""
        return [
            f"{self.me}提交的{one['title']}能够{one['purpose'].rstrip('。')}"
            for one in self._held.get("evidence", ())
            if one["owner"] == self.id and one.get("purpose", "").startswith("证明")
        ]

    def _objected(self) -> list[str]:
        """What this side says against the exhibits of the other: its answer to the strongest point of the other."""
        told = (
            one
            for item in self._held.get("evidence", ())
            if item["owner"] != self.id
            for one in item.get("objections", ())
            if one.get("by") == self.id
        )
        aspects = ("weight", "truth", "relevance", "text")
        grounds = (str(one.get(aspect) or "") for one in told for aspect in aspects)
        return [text.rstrip("。") for text in grounds if len(text) > 8]

    # --- mediation ----------------------------------------------------------------------------------------------------

    def _stance(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._held.get("mediation", {}).get(self.id, {})
        return found

    def mediation(self, *, again: bool = True) -> str:
        """Whether the side settles; on which terms, it says when it is asked `again`: counsel do not open with the
        limit."""
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
        return f"经与{self.me}沟通，{self.me}" if self.counsel.get("authority") == "一般授权" else self.we

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
