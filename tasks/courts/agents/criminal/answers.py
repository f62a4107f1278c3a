"""What becomes of the pleas: each point of the defence with whether it is adopted and why (刑诉法解释第三百条).

A point is weighed by what it names: allegations and sums that were found or not, circumstances, the range, the request. What the
reasons have said before is referred to and not said again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.courts.agents.criminal.asking import filled
from tasks.courts.agents.criminal.circumstances import Circumstances, words
from tasks.courts.agents.criminal.facts import days, listed, sums
from tasks.courts.agents.criminal.sentence import Sentencing
from tasks.courts.agents.criminal.weighing import Weighing
from tasks.courts.scores.bigrams import bigrams, recall

NEAR = 0.3
"""Share of the character pairs of an allegation that a point holds which is about it."""
SHOWN = 0.2
"""Share of the character pairs of a point that the exhibits on a count hold which the point argues from."""
MOST = 6
_HEAD, _LEAST = 40, 8
_DISPUTES = re.compile(
    r"证据不足|不能(?:认定|成立|排除)|不(?:应|予)(?:当)?认定|不构成|不成立|无罪|没有被|没有非法|不是犯罪|不应作为犯罪|矛盾|没有其他证据|没有排除|推责|不能排除|坚持其辩解|慎重认定"
)
_CLOSING = re.compile(r"^(?:请求|综上|恳请|请法庭|建议法庭)")
_DECLINED = ("probation", "exempt", "lenient")
"""Wishes that get an answer of their own where they are not met."""
_EXCLUDE = re.compile(r"排除|不应采信|不(?:能|得|应)作为定案|不予采信|不能采用")
_RUN = r"(?=([\u4e00-\u9fff]{3}))"
_AGREES = re.compile(r"^[^。；]{0,50}(?:没有|无)异议")


class Answers:
    """The answers of a judgment to the pleas."""

    def __init__(self, weighing: Weighing, circumstances: Circumstances, sentencing: Sentencing) -> None:
        self.weighing, self.circumstances, self.sentencing = weighing, circumstances, sentencing

    def text(self) -> str:
        """All of them, in the order of the points."""
        said = [self._answer(point) for point in self._points()]
        return "".join(dict.fromkeys(part for part in said if part))

    def _points(self) -> Iterator[str]:
        """The points that plead something, without greeting and closing wishes that only repeat them."""
        points = self.weighing.contest.points
        for point in points[1:] if listed(self.weighing.contest.counsel) else points[:MOST]:
            kept = [part.strip() for part in re.split(r"(?<=。)", point) if part.strip()]
            kept = [part for part in kept if not _AGREES.search(part) or self._named(part)]
            if kept and not (len(kept) == 1 and _CLOSING.search(kept[0]) and not self._named(kept[0])):
                yield "".join(kept)

    def _answer(self, point: str) -> str:
        text = words()["answer"]
        if verdict := self._verdict(point):
            return filled(text["point"], {"head": _head(point), "verdict": verdict})
        return ""

    def _verdict(self, point: str) -> str:
        text = words()["answer"]
        if re.search(r"重新(?:认定|鉴定|评估)", point) and any(one.why == "replaced" for one in self.weighing.admitted):
            return str(text["adopted_before"])
        granted = self._granted(point)
        if granted is not None:
            return str(text["adopted_before" if granted else "refused_before"])
        named = self._named(point)
        if _DISPUTES.search(point) and self._upheld():
            taken = "、".join(name for name, found in named.items() if found)
            return filled(text["refused_but"], {"yes": taken}) if taken else str(text["refused_before"])
        yes, no = ([name for name, found in named.items() if found is wanted] for wanted in (True, False))
        if yes and no:
            return filled(text["part"], {"yes": "、".join(yes), "no": "、".join(no)})
        if yes or no:
            return str(text["adopted" if yes else "refused"])
        return str(text["weighed"]) if not _DISPUTES.search(point) else ""

    def _granted(self, point: str) -> bool | None:
        """Whether what a point disputes was not proved; None where it is about no finding."""
        for name in self.weighing.charges:
            if name not in self.weighing.convicted and (name in point or len(self.weighing.charges) == 1):
                return True
        for value, found in self.weighing.taken_off:
            if value in sums(point):
                return found.proven
        if _EXCLUDE.search(point):
            out = [one.exhibit for one in self.weighing.admitted if one.result == "不采信" and one.exhibit.owner == "procurator"]
            if any(_called(one.name) & set(re.findall(_RUN, point)) for one in out):
                return True
        pairs = bigrams(point)
        for count, finding in self.weighing.proved:
            if finding is not None and len(self.weighing.counts) > 1 and self._about(point, count.sums, count.days):
                return not finding.proven
        for allegation, found in self.weighing.allegations:
            if recall(allegation.pairs, pairs) >= NEAR:
                return not found.proven
        failed = [found for _, found in self.weighing.proved if found and not found.proven]
        shown = bigrams(" ".join(one.offer.body for found in failed for one in (*found.against, *found.shaken)))
        return True if failed and not self._named(point) and recall(pairs, shown) >= SHOWN else None

    @staticmethod
    def _about(point: str, named: frozenset[float], dated: frozenset[str]) -> bool:
        return bool(_DISPUTES.search(point)) and bool(named & set(sums(point)) or dated & set(days(point)))

    def _upheld(self) -> bool:
        """Whether a charge that is contested as a whole stands."""
        return any(self.weighing.contest.charge(name, self.weighing.charges) for name in self.weighing.convicted)

    def _named(self, point: str) -> dict[str, bool]:
        """What a point claims, by the table `claims`, and whether the court has found it."""
        found: dict[str, bool] = {}
        for row in words()["claims"]:
            if re.search(row["cue"], point) and not (row.get("not") and re.search(row["not"], point)):
                holds = self._holds(row["is"])
                if holds or row["is"] not in _DECLINED:
                    found[row["name"]] = holds
        return found

    def _holds(self, what: str) -> bool:
        sentencing = self.sentencing
        others = {
            "clean": self.circumstances.clean, "probation": bool(sentencing.whole.probation),
            "milder": any(one.applied.milder for one in sentencing.counts), "adopted": bool(sentencing.request) and not sentencing.refusal,
            "refused": bool(sentencing.refusal), "low": all(not one.tier.least for one in sentencing.counts),
            "fine": sentencing.whole.kind == "单处罚金", "exempt": sentencing.whole.kind == "免予刑事处罚",
            "lenient": any(one.lenient for one in self.circumstances.found),
            "lighter": any(one.weight < 0 for one in self.circumstances.found),
        }  # fmt: skip
        return others[what] if what in others else any(self.circumstances.has(one) for one in what.split("|"))


def _called(title: str) -> set[str]:
    """Runs of three characters by which a title is known: a name, a kind."""
    return set(re.findall(_RUN, title)) - {"的证言", "询问笔", "讯问笔", "问笔录"}


def _head(point: str) -> str:
    """The first words of a point, to the end of a clause; quotation marks within become single ones."""
    kept = ""
    for part in re.split(r"(?<=[，；：。])", point):
        if kept and (len(kept) + len(part) > _HEAD or (kept[-1] in "。；" and len(kept) > _LEAST)):
            break
        kept += part
    return kept.strip("，；：。").replace("“", "‘").replace("”", "’")
