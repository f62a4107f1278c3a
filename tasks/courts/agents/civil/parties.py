"""The lawyers of a civil trial by rules: each answers what the court asks, in order, from what its own side holds.

A party without counsel speaks for itself in the same seat. Nothing is said unasked, nothing is invented: texts are
quoted as the case file has them, a question that the material does not answer is left to be checked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from store.text.numerals import int_to_chinese
from tasks.courts.agents import own_words
from tasks.courts.agents.civil.asks import asked_of, speech, without_vocative
from tasks.courts.agents.civil.case import NAME, OTHER
from tasks.courts.agents.civil.pleadings import Claim, claims_in, position, sums
from tasks.courts.agents.own_words import gist, matter, meeting, nearest, parts_of, told, unsaid
from tasks.courts.agents.trial.exhibits import ASPECTS, Offer
from tasks.courts.agents.trial.party import Asked, Party, seat
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.replies import items_named
from tasks.courts.procedure.turns import SIDE_OF, Item, Side
from tasks.courts.scores.bigrams import bigrams, recall, sentences
from tasks.courts.scores.slots import yuan

_ALL = re.compile(r"一并|一次性|分组|全部|所有|集中|合并")
_FACTS_ONLY = re.compile(r"事实|理由")
_CLAIMS = re.compile(r"诉讼请求|诉请|请求")
_WHOLE = re.compile(r"起诉状|诉状")
_INNER = str.maketrans("“”", "‘’")
_CONTACT = re.compile(r"电话|联系方式|送达地址")
_PERSON = (("gender", "{}"), ("ethnicity", "{}"), ("birth_date", "{}出生"), ("occupation", "{}"), ("address", "住{}"))
_COMPANY = (("address", "住所地{}"), ("representative", "法定代表人{}"), ("representative_title", "{}"))
POSITIONS: Mapping[str, str] = {"admit": "没有异议", "partly": "部分认可", "deny": "不同意"}
_YIELDS = re.compile(r"调解|和解|商量|愿意(?:还|付|赔|退|按)")
"""What a side would give to settle has no place in the debate."""
_LEADS = re.compile(
    r"^\s*(?:[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[）)]|第[一二三四五六七八九十][，、]"
    r"|关于争议焦点[一二三四五六七八九十]+，|针对[^“”]{2,6}“[^”]*”，)"
)
_SET = re.compile(r"[：:]$|^综上")
"""Words that open and close a speech and make no point."""
_ADDRESS = re.compile(r"^(?:尊敬的)?(?:各位)?(?:法官|审判长|审判员|法院|法庭|合议庭)(?:同志)?[：:，,]")
"""An answer or a complaint that opens like a letter: whom it addresses is no part of what is pleaded."""
_FILED = re.compile(r"诉至|起诉|提起诉讼|诉请")
_ISSUE = re.compile(r"(?:^|(?<=[：:；;。\n]))\s*(?:[一二三四五六七八九]|[0-9])[、.．]\s*([^；;。\n]{4,120})")


class Reply(Party):
    """The reply of a side to what was asked last."""

    offering, viewing, debates = "exhibit", "cross", ("debate", "mutual")

    def __init__(self, view: CourtView) -> None:
        super().__init__(view)
        held = view.held
        self._side: Side = SIDE_OF[view.role]
        self._other: str = f"{OTHER[self._side]}_lawyer"
        pleaded: dict[str, Any] = {
            name: _ADDRESS.sub("", held[name].strip()) for name in ("answer", "complaint") if name in held
        }
        self._held: Mapping[str, Any] = {**held, **pleaded}
        parties = (one for one in held.get("parties", ()) if one["side"] == self._side)
        self._party: Mapping[str, Any] = next(parties, {})
        self._id = self._party.get("id", "")
        self._me = NAME[self._side]
        self._counsel: Mapping[str, Any] = self._party.get("counsel") or {}
        self._company = self._party.get("kind") == "company"
        self._we = "我方" if self._counsel or self._company else "我"
        self._defences: Sequence[Mapping[str, Any]] = held.get("defences", ())

    def asks(self, text: str, role: str) -> Sequence[Asked]:
        """What words of the court ask of the side for which a role speaks."""
        return asked_of(text, SIDE_OF[role])

    def say(self, key: str, **values: object) -> str:
        """A short reply of this side."""
        words: str = speech()["replies"][key][self._side]
        return words.format(me=self._me, we=self._we)

    def text(self) -> str:
        """What is said."""
        turn = self.asked
        if turn is None:
            return self.say("not_me")
        if turn.speaker != "judge":
            return self._answers(turn.text)
        asked = self.asks(turn.text, self.view.role)
        if not asked:
            return self.say("not_me" if self.asks(turn.text, self._other) else "hear")
        questions = "".join(one.words for one in asked if one.kind == "question")
        said = (self._answers(questions) if one.kind == "question" else self.answer(one) for one in asked)
        return "\n".join(dict.fromkeys(said))

    # --- opening and pleadings --------------------------------------------------------------------------------------

    def _to_identity(self) -> str:
        """Name and particulars, and who appears with which authority."""
        party = self._party
        said = [f"{self._me}{party.get('name', '')}", *told(party, _COMPANY if self._company else _PERSON)]
        said += [party["contact"]] if _CONTACT.search(self.words) and party.get("contact") else []
        return "，".join(said) + "。" + self._appears()

    def _appears(self) -> str:
        if not self._counsel:
            return f"由{'法定代表人' if self._company else '本人'}到庭，没有委托诉讼代理人。"
        firm = f"，{self._counsel['firm']}律师" if self._counsel.get("firm") else ""
        told = self._counsel.get("authority", "")
        name = self._counsel.get("name") or "到庭"
        return f"委托诉讼代理人{name}{firm}，代理权限{f'为{told}' if told else '以授权委托书为准'}。"

    def _to_other_identity(self) -> str:
        """That the side has nothing against those who appear for the other; of powers where the court asked for
        them."""
        said = self.say("other_identity")
        return said if "代理" in self.words else said.replace("和代理权限", "")

    def _to_claim(self) -> str:
        if self._side == "defendant":
            return self.say("not_mine_claim")
        claims = [_with_parts(one) for one in self._held.get("claims", ())]
        listed = "；".join(f"{int_to_chinese(place)}、{text}" for place, text in enumerate(claims, 1))
        story = self.view.held.get("complaint", "").strip()
        asks, tells = _CLAIMS.search(self.words), _FACTS_ONLY.search(self.words)
        both = bool(_WHOLE.search(self.words)) or bool(asks and tells) or not (asks or tells)
        parts = []
        if listed and (both or asks):
            parts.append(f"诉讼请求：{listed}。")
        if story and (both or tells):
            parts.append(f"事实和理由：{story}")
        return "\n".join(parts) or "诉讼请求以起诉状为准。"

    def _to_answer(self) -> str:
        """The answer, claim by claim where it says which claims it meets; then what the points leave out."""
        if self._side == "plaintiff":
            return self.say("not_mine_answer")
        whole = self._held.get("answer", "").strip()
        if not any(one.get("answers") for one in self._defences):
            plain = "；".join(one.get("text", "") for one in self._defences)
            return f"答辩意见：{whole or plain or '请求依法判决。'}"
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
            said.append(f"{label}{self._me}{position}，{listed if len(texts) > 1 else texts[0]}。")
        known = bigrams("".join(one.get("text", "") for one in self._defences))
        more = [part.strip() for part in sentences(whole) if recall(bigrams(part), known) < 0.4]
        kept = [_LEADS.sub("", part) for part in more if len(part) > 8]
        return "答辩意见如下：\n" + "\n".join(said) + (f"\n另外说明：{''.join(kept)}" if kept else "")

    # --- exhibits ---------------------------------------------------------------------------------------------------

    def _to_exhibit(self) -> str:
        left = self.left_to_show()
        if not left:
            some, done = ("其他", "证据出示完毕，") if self.own_exhibits else ("", "")
            return f"{self._me}{done}没有{some}证据向法庭出示。"
        now = left if self.view.profile == "law" and _ALL.search(self.words) else left[:1]
        later = {number for number, _ in left[len(now) :]}
        said = [self._said(number, item, later) for number, item in now]
        if len(now) == len(left):
            said.append(f"{self._me}的证据出示完毕。")
        return "\n".join(said)

    def _said(self, number: int, one: Mapping[str, Any], later: set[int]) -> str:
        """One exhibit with name, source, words and purpose; parts that would name an exhibit that comes later are
        left out."""
        title = one.get("title", "")
        parts = [f"证据{int_to_chinese(number)}：{title}"]
        if one.get("kind"):
            parts.append(one["kind"])
        if (witness := one.get("witness", {}).get("name")) and witness not in title:
            parts.append(f"证人{witness}")
        if one.get("source"):
            parts.append(f"来源：{one['source']}")
        excerpt = one.get("excerpt", "").translate(_INNER)
        if excerpt and not excerpt.startswith(title):
            parts.append(f"载明：“{excerpt}”")
        purpose = re.sub(r"^(?:用以|拟)?证明", "", one.get("purpose", ""))
        parts.append(f"拟证明{purpose or f'{self._me}主张的事实'}")
        items = [Item(each["id"], self._side, each["title"], at) for at, each in enumerate(self.own_exhibits, 1)]
        for kept in (parts, [part for part in parts if not part.startswith("载明")], parts[:1]):
            text = "，".join(part.rstrip("。") for part in kept) + "。"
            if not later & {item.number for item in items_named(text, items)}:
                break
        return text

    def _to_cross(self) -> str:
        offers = self.asked_about(self._other)
        return "\n".join(map(self._view_on, offers)) or self.say("no_exhibit_yet")

    def _view_on(self, offer: Offer) -> str:
        name = offer.name if len(offer.title) <= 40 else f"证据{int_to_chinese(offer.number)}"
        against = self.held_against(offer)
        if not against:
            return f"对{name}的真实性、合法性、关联性均无异议。"
        if whole := against.get("text"):
            return f"对{name}的质证意见：{whole.rstrip('。；')}。"
        said = [f"对{word}有异议，{against[one].rstrip('。；')}" for one, word in ASPECTS if one in against]
        free = "、".join(word for one, word in ASPECTS[:3] if one not in against)
        return f"对{name}的质证意见：" + "；".join([*([f"对{free}没有异议"] if free else []), *said]) + "。"

    # --- questions and debate ---------------------------------------------------------------------------------------

    def _answers(self, question: str) -> str:
        """The answer to each question of fact: the sentence of the own material that covers it, or that it is not
        known."""
        asked = [part for part in sentences(without_vocative(question)) if matter(part)][:4]
        said = [f"{text}。" for part in asked for text in own_words.answer(part, self._pool())]
        return "".join(dict.fromkeys(said)) or f"这个情况{self._we}不清楚。"

    def _pool(self) -> list[str]:
        """What this side may tell, facts first; sentence by sentence."""
        held = self._held
        texts = [fact.get("text", "") for fact in held.get("facts", ())]
        texts += [*held.get("statements", {}).values(), *(one.get("text", "") for one in self._defences)]
        texts += [held.get("answer", ""), held.get("complaint", ""), *self._grounds(), *self._proofs()]
        return [_LEADS.sub("", part) for part in parts_of(texts)]

    def _to_debate(self) -> str:
        """What is said on each issue that the court has put; without issues its first arguments.

        A point that answers certain claims is said on the issues of these, not on others.
        """
        claims = self._claims_heard()
        told: dict[str, str] = {}
        for place, issue in enumerate(self._issues(), 1):
            asked = max(claims, key=lambda claim: recall(bigrams(issue), bigrams(claim.brief)), default=None)
            meant = self._meant(asked.number if asked else 0)
            left = [one for one in self._arguments() if one not in told]
            mine = [one for one in left if meant.get(one)]
            for text in nearest(issue, mine) or mine[:1] or nearest(issue, [one for one in left if one not in meant]):
                told[text] = f"关于争议焦点{int_to_chinese(place)}，{text}。"
        said = list(told.values()) or [f"{text}。" for text in self._arguments()[:3]]
        stated = parts_of(self._held.get("statements", {}).values())
        own = "".join(f"{part}。" for part in stated if not _YIELDS.search(part))
        end = "请求法院支持原告的诉讼请求" if self._side == "plaintiff" else "请求法院采纳被告的答辩意见，依法判决"
        return "发表辩论意见如下：\n" + "\n".join([*said, *filter(None, [own]), f"综上，{end}。"])

    def _claims_heard(self) -> list[Claim]:
        pleaded = [turn.text for turn in self.view.record if SIDE_OF.get(turn.speaker) == "plaintiff"]
        return next((found for text in pleaded if "诉讼请求" in text and (found := claims_in(text))), [])

    def _meant(self, number: int) -> dict[str, bool]:
        """Sentence of the points that answer certain claims -> whether this claim is among them."""
        return {
            part: number in numbers
            for one in self._defences
            if number and (numbers := _numbers(one))
            for part in parts_of([one.get("text", "")])
        }

    def _to_mutual(self) -> str:
        """What this side has against points of the other that it has just heard, and has not said yet."""
        debated = self.debated()
        heard = [_LEADS.sub("", part) for part in parts_of(debated.get(self._other, ()))]
        contested = [part for part in heard if position(part) != "admit" and not _SET.search(part)]
        mine = "\n".join(debated.get(self.view.role, ()))
        fresh = [one for one in unsaid(parts_of(self._arguments()), mine) if position(one) != "admit"]
        other = NAME[OTHER[self._side]]
        told = [f"针对{other}所称“{gist(point)}”，{text}。" for point, text in meeting(contested, fresh)]
        return f"{self._me}补充以下辩论意见：\n" + "\n".join(told) if told else "没有新的辩论意见。"

    def _issues(self) -> list[str]:
        for turn in reversed(self.view.record):
            text = turn.text if turn.speaker == "judge" else ""
            if "焦点" in text and (found := _ISSUE.findall(text[text.find("焦点") :])):
                return found[:8]
        return []

    def _arguments(self) -> list[str]:
        if self._side == "defendant" and self._defences:
            told = parts_of(one.get("text", "") for one in self._defences)
            return [*(part for part in told if not part.endswith("没有异议")), *self._grounds()]
        told = parts_of([self._held.get("complaint", "") or self._held.get("answer", "")])
        return [*self._grounds(), *self._proofs(), *(part for part in told if not _FILED.search(part))]

    def _proofs(self) -> list[str]:
        return self.proofs(f"{self._me}提交的")

    def _grounds(self) -> list[str]:
        """What this side says against the exhibits of the other: its answer to the strongest point of the other."""
        told = (one for item in self.others_exhibits for one in item.get("objections", ()))
        grounds = (str(one.get(aspect) or "") for one in told for aspect in ("weight", "truth", "relevance", "text"))
        return [text.rstrip("。") for text in grounds if len(text) > 8]

    # --- mediation and end ------------------------------------------------------------------------------------------

    def _to_final(self) -> str:
        if self._side == "plaintiff":
            return "坚持诉讼请求，请求法院支持原告的全部诉讼请求。"
        if any(one.get("position") in ("admit", "partly") for one in self._defences):
            return "坚持答辩意见，对原告没有事实和法律依据的诉讼请求，请求法院依法驳回。"
        return "坚持答辩意见，请求法院依法驳回原告的诉讼请求。"

    def _stance(self) -> Mapping[str, Any]:
        """On which terms the side settles; {} where it does not."""
        stance: Mapping[str, Any] = self._held.get("mediation", {}).get(self._id, {})
        return stance if stance.get("stance") == "accept_if" else {}

    def _to_mediate(self) -> str:
        """Whether the side settles; on which terms, it says when it is asked again: counsel do not open with the
        limit."""
        stance = self._stance()
        if not stance:
            return "不同意调解，请求法庭依法判决。"
        court = (turn for turn in self.view.record if turn.speaker == "judge" and self.view.role in turn.to)
        asked = ({one.kind for one in self.asks(turn.text, self.view.role)} for turn in court)
        if sum(bool(kinds & {"mediate", "proposal"}) for kinds in asked) < 2:
            return f"{self._asked_client()}同意调解，可以由双方协商，希望对方适当让步。"
        terms, amount = stance.get("terms", "").rstrip("。"), stance.get("amount")
        said = [f"{self._asked_client()}同意在法庭主持下调解"]
        if terms:
            said.append(f"条件是：{terms}")
        if amount is not None and not any(abs(one - amount) < 0.01 for one in sums(terms)):
            limit = "不低于" if self._side == "plaintiff" else "不超过"
            said.append(f"由被告支付的数额{limit}{yuan(amount)}")
        return "，".join(said) + "。"

    def _asked_client(self) -> str:
        return f"经与{self._me}沟通，{self._me}" if self._counsel.get("authority") == "一般授权" else self._we

    def _to_proposal(self) -> str:
        """Whether a proposed settlement is accepted: by its sum, or where the side named none, by its terms."""
        stance, said = self._stance(), self.asked.text if self.asked else ""
        if not stance:
            return "不同意该方案，请求法庭依法判决。"
        named, limit = sums(said), stance.get("amount")
        if limit is not None and named:
            fits = max(named) >= limit if self._side == "plaintiff" else max(named) <= limit
        else:
            fits = not stance.get("terms") or recall(bigrams(stance["terms"]), bigrams(said)) >= 0.6
        return f"{self._asked_client()}同意该调解方案。" if fits else "不同意该方案，双方差距较大，请求法庭依法判决。"


CivilLawyer = seat(Reply)
"""Speaks for the plaintiff or the defendant, as the role of the view says."""


def _numbers(point: Mapping[str, Any]) -> tuple[int, ...]:
    """The numbers of the claims that a point of the answer meets."""
    found = (re.search(r"\d+$", claim) for claim in point.get("answers", ()))
    return tuple(int(match[0]) for match in found if match)


def _with_parts(claim: Mapping[str, Any]) -> str:
    """The words of a claim, with the heads of its sum."""
    text = claim["text"].rstrip("。；;")
    heads = "、".join(f"{part['text']}{yuan(part['amount'])}" for part in claim.get("parts", ()))
    return f"{text}，其中{heads}" if heads else text
