"""The sides of a civil trial by rules, each through counsel or for itself: texts are quoted as the case file has
them, nothing is invented."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from store.text.numerals import int_to_chinese
from tasks.courts.agents.own_words import field_words, parts_of, with_parts
from tasks.courts.agents.trial.side import PartySeat, seat
from tasks.courts.play.view import CourtView

_STORY, _WISHES = re.compile(r"事实|理由|起诉状|诉状"), re.compile(r"诉讼请求|诉请|请求|起诉状|诉状")
_CONTACT = re.compile(r"电话|联系方式|送达地址")
_PERSON = (("gender", "{}"), ("ethnicity", "{}"), ("birth_date", "{}出生"), ("occupation", "{}"), ("address", "住{}"))
_COMPANY = (("address", "住所地{}"), ("representative", "法定代表人{}"), ("representative_title", "{}"))
POSITIONS: Mapping[str, str] = {"admit": "没有异议", "partly": "部分认可", "deny": "不同意"}
_YIELDS = re.compile(r"调解|和解|商量|愿意(?:还|付|赔|退|按)")
"""What a side would give to settle has no place in the debate."""
_LEADS = re.compile(
    r"^\s*(?:[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[）)]|第[一二三四五六七八九十][，、])"
)
_ADDRESS = re.compile(r"^(?:尊敬的)?(?:各位)?(?:法官|审判长|审判员|法院|法庭|合议庭)(?:同志)?[：:，,]")
"""An answer or a complaint that opens like a letter: whom it addresses is no part of what is pleaded."""
_FILED = re.compile(r"诉至|起诉|提起诉讼|诉请")


class _CivilSide(PartySeat):
    """What both sides share."""

    def __init__(self, view: CourtView) -> None:
        super().__init__(view)
        parties = (one for one in view.held.get("parties", ()) if one["side"] == self.side)
        self.party: Mapping[str, Any] = next(parties, {})
        self.counsel: Mapping[str, Any] = self.party.get("counsel") or {}
        self.company = self.party.get("kind") == "company"

    def say(self, key: str, **values: object) -> str:
        """A phrase; {me} 原告 or 被告, {we} 我方, or 我 of a party that speaks for itself."""
        return super().say(key, me=self.me, we="我方" if self.counsel or self.company else "我", **values)

    def pleaded(self, name: str) -> str:
        """The complaint or the answer, without the words that address the court."""
        return _ADDRESS.sub("", str(self.held.get(name, "")).strip())

    def pool(self) -> list[str]:
        """Facts first, then statements, pleadings, objections and what exhibits show."""
        texts = [one.get("text", "") for one in (*self.held.get("facts", ()), *self.held.get("defences", ()))]
        texts += [*self.held.get("statements", {}).values(), self.pleaded("answer"), self.pleaded("complaint")]
        return [_LEADS.sub("", part) for part in parts_of([*texts, *self.objections(), *self.proofs(self.me)])]

    def stated(self, kind: str) -> bool:
        """Whether something owed was stated."""
        if kind == "exhibit":
            return not self.left_to_show()
        texts = {
            "claim": [one["text"] for one in self.held.get("claims", ())],
            "story": [self.pleaded("complaint")],
            "answer": [*(one.get("text", "") for one in self.held.get("defences", ())), self.pleaded("answer")],
        }
        return bool(self.answered(self.view.role, kind)) or (kind in texts and self.has_stated(texts[kind]))

    # --- opening ----------------------------------------------------------------------------------------------------

    def _to_identity(self) -> str:
        said = [f"{self.me}{self.party.get('name', '')}"]
        said += field_words(self.party, _COMPANY if self.company else _PERSON)
        said += [self.party["contact"]] if _CONTACT.search(self.words) and self.party.get("contact") else []
        if not self.counsel:
            return f"{'，'.join(said)}。由{'法定代表人' if self.company else '本人'}到庭，没有委托诉讼代理人。"
        firm = f"，{self.counsel['firm']}律师" if self.counsel.get("firm") else ""
        authority = self.counsel.get("authority", "")
        powers = f"为{authority}" if authority else "以授权委托书为准"
        name = self.counsel.get("name") or "到庭"
        return f"{'，'.join(said)}。委托诉讼代理人{name}{firm}，代理权限{powers}。"

    # --- debate and mediation ---------------------------------------------------------------------------------------

    def arguments(self) -> list[str]:
        """What this side argues with, sentence by sentence."""
        raise NotImplementedError

    def _to_debate(self) -> str:
        said = [f"{text}。" for text in self.arguments()[:5]]
        stated = parts_of(self.held.get("statements", {}).values())
        own = "".join(f"{part}。" for part in stated if not _YIELDS.search(part))
        return "发表辩论意见如下：\n" + "\n".join([*said, *filter(None, [own]), f"综上，{self.say('prayer')}"])

    def _to_mediate(self) -> str:
        stance = self.held.get("mediation", {}).get(self.party.get("id", ""), {})
        return self.say("mediate" if stance.get("stance") == "accept_if" else "mediate_no")


class Plaintiff(_CivilSide):
    """原告, or counsel."""

    other = "defendant_lawyer"
    owes = {
        "claim": "investigation",
        "story": "investigation",
        "exhibit": "investigation",
        "debate": "debate",
        "final": "debate",
    }

    def state(self, kind: str) -> str:
        """Claims without the story, which is owed next."""
        return self._claims() if kind == "claim" else super().state(kind)

    def _claims(self) -> str:
        claims = enumerate(map(with_parts, self.held.get("claims", ())), 1)
        listed = "；".join(f"{int_to_chinese(place)}、{text}" for place, text in claims)
        return f"诉讼请求：{listed}。" if listed else "诉讼请求以起诉状为准。"

    def _to_claim(self) -> str:
        """Claims and story as far as they are asked for: both where neither is named."""
        asks, tells = bool(_WISHES.search(self.words)), bool(_STORY.search(self.words))
        story = self.pleaded("complaint") and (tells or not asks)
        return "\n".join([*([self._claims()] if asks or not tells else []), *([self._to_story()] if story else [])])

    def _to_story(self) -> str:
        return f"事实和理由：{self.pleaded('complaint')}"

    def arguments(self) -> list[str]:
        """Objections, proofs, the complaint."""
        story = (part for part in parts_of([self.pleaded("complaint")]) if not _FILED.search(part))
        return [*self.objections(), *self.proofs(f"{self.me}提交的"), *story]


class Defendant(_CivilSide):
    """被告, or counsel."""

    other = "plaintiff_lawyer"
    owes = {"answer": "investigation", "exhibit": "investigation", "debate": "debate", "final": "debate"}

    def _to_answer(self) -> str:
        """The answer, claim by claim where it says which claims it meets."""
        points: Sequence[Mapping[str, Any]] = self.held.get("defences", ())
        whole = self.pleaded("answer")
        if not any(one.get("answers") for one in points):
            plain = "；".join(one.get("text", "") for one in points)
            return f"答辩意见：{whole or plain or '请求依法判决。'}"
        together: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
        for one in points:
            together.setdefault(_numbers(one), []).append(one)
        said = [self._point(numbers, group) for numbers, group in together.items()]
        return "答辩意见如下：\n" + "\n".join(said)

    def _point(self, numbers: Sequence[str], points: Sequence[Mapping[str, Any]]) -> str:
        texts = [point.get("text", "").rstrip("。") for point in points]
        if not numbers:
            return "\n".join(f"{text}。" for text in texts)
        taken = {point.get("position", "deny") for point in points}
        position = POSITIONS[taken.pop() if len(taken) == 1 else "partly"]
        listed = "；".join(f"其{int_to_chinese(place)}，{text}" for place, text in enumerate(texts, 1))
        return (
            f"关于第{'、'.join(numbers)}项诉讼请求，{self.me}{position}，{listed if len(texts) > 1 else texts[0]}。"
        )

    def arguments(self) -> list[str]:
        """The points of the answer that contest something, objections, proofs."""
        texts = [one.get("text", "") for one in self.held.get("defences", ())] or [self.pleaded("answer")]
        contested = (part for part in parts_of(texts) if not part.endswith("没有异议"))
        return [*contested, *self.objections(), *self.proofs(f"{self.me}提交的")]


def _numbers(point: Mapping[str, Any]) -> tuple[str, ...]:
    """The numbers of the claims that a point of the answer meets, in Chinese."""
    found = (re.search(r"\d+$", claim) for claim in point.get("answers", ()))
    return tuple(int_to_chinese(int(match[0])) for match in found if match)


CivilLawyer = seat(lambda view: (Plaintiff if view.role.startswith("plaintiff") else Defendant)(view))
"""Speaks for the plaintiff or the defendant, as the role of the view says."""
