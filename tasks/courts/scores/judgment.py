"""The scores of a judgment: LAW, CRI, VER, JUD and REA of one trial, as published (compat) and as we defend them
(strict).

Pure functions of what the judge said and of the gold. All values are shares from 0 to 1, VER and its parts SEN and
FINE are distances: 0 is best. None is "not scored" and never 0: JUD and REA of compat need a grader, which has its
own seat; without one the strict proxies stand alone (JUD_claims, REA_points). The compat VER is a matter of a whole
run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tasks.agents.prompts import fill
from tasks.courts.casefile.case import CivilCase, CriminalCase
from tasks.courts.casefile.law import Laws
from tasks.courts.casefile.people import LawRef
from tasks.courts.scores import laws, reasons, rulings, sentence
from tasks.courts.scores.documents import LONGEST, graded
from tasks.scoring.result import Grading

JUDGMENT_PROMPT = "grader-judgment/1"
REASONS_PROMPT = "grader-reasons/1"
FORMULA: Mapping[str, str] = {
    "CI": "本院认为，原告的诉讼请求缺乏事实和法律依据，不予支持。判决如下：\n驳回原告的全部诉讼请求。",
    "CR": "本院认为，公诉机关指控的罪名成立。判决如下：\n被告人犯盗窃罪，判处有期徒刑一年，并处罚金人民币一千元。",
}
"""The floor: a judgment that reads nothing and cites nothing."""
_FORMULAS = {env: rulings.read_judgment(text).reason for env, text in FORMULA.items()}
Trial = CivilCase | CriminalCase


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one judgment.

    failed: why the published code gives 0 for everything; compat, strict: metric -> value; distances: of a criminal
    judgment, which a run scales, None when it failed; evidence: what the values rest on, as JSON data.
    """

    failed: rulings.Failure | None
    compat: Mapping[str, float | None]
    strict: Mapping[str, float | None]
    distances: sentence.PublishedDistances | None = None
    evidence: Mapping[str, object] = field(default_factory=dict)


def score(case: Trial, said: Sequence[str], *, turns: int | None = None, book: Laws | None = None) -> Scores:
    """The scores of what a judge said in a trial.

    Args:
        case: CI or CR with its gold.
        said: the judge's utterances in order, reasoning left out.
        turns: number of the last turn of the record; None: not checked.
        book: a statute book to ask beside the shipped index of laws.
    """
    env = _env(case)
    failed = rulings.failure(env, said, rulings.LEAST_TURNS if turns is None else turns)
    text = rulings.published_judgment(said) or ""
    found = rulings.judgment_of(said)
    compat = _compat(case, text, failed)
    strict, evidence = _strict(case, found, book)
    distances = None
    if isinstance(case, CriminalCase) and failed is None:
        distances = sentence.published_distances(rulings.published_rulings(text), "".join(case.gold.judgment))
    return Scores(failed, compat, strict, distances, evidence)


def gold_text(case: Trial) -> str:
    """The gold as a judge would say it: reasons, articles, rulings. The ceiling; the `gold` reference reads it."""
    cited = _cited(case.gold.laws)
    reason = case.gold.reason.strip().rstrip("。")
    basis = f"依照{cited}的规定，" if cited else ""
    return f"本院认为，{reason}。综上，{basis}判决如下：\n" + "\n".join(case.gold.judgment)


def gradings(case: Trial, said: Sequence[str]) -> tuple[Grading, ...]:
    """What a grader is asked about a judgment: REA, and JUD of a civil one; nothing where there is no judgment."""
    found = rulings.judgment_of(said)
    if found is None:
        return ()
    asked = []
    if isinstance(case, CivilCase) and case.gold.judgment:
        wanted = "\n".join(f"{place}. {claim.text}" for place, claim in enumerate(case.claims, 1))
        gold = rulings.read_judgment(gold_text(case)).rulings
        text = fill(
            JUDGMENT_PROMPT, claims=wanted, gold="\n".join(gold), given="\n".join(found.rulings)[:LONGEST]
        )  # fmt: skip
        asked.append(graded(JUDGMENT_PROMPT, text, "JUD"))
    if case.gold.reason:
        kind = "民事" if isinstance(case, CivilCase) else "刑事"
        points = "\n".join(f"{place}. {point}" for place, point in enumerate(case.gold.reason_points, 1)) or "（无）"
        text = fill(
            REASONS_PROMPT, kind=kind, gold=case.gold.reason, points=points, given=found.reason[:LONGEST]
        )  # fmt: skip
        asked.append(graded(REASONS_PROMPT, text, "REA"))
    return tuple(asked)


def _env(case: Trial) -> Literal["CI", "CR"]:
    return "CI" if isinstance(case, CivilCase) else "CR"


def _compat(case: Trial, text: str, failed: rulings.Failure | None) -> dict[str, float | None]:
    """A failed trial has 0 in everything, the graded scores included."""
    if failed is not None:
        return dict.fromkeys(("LAW", "JUD" if _env(case) == "CI" else "CRI", "REA"), 0.0)
    entries = list(case.gold.as_cited) or [ref.chinese for ref in case.gold.laws]
    found: dict[str, float | None] = {"LAW": laws.published_laws(entries, text)}
    if isinstance(case, CriminalCase):
        reason, ordered = rulings.published_reason(text), rulings.published_rulings(text)
        found["CRI"] = sentence.published_charge(reason, ordered, case.gold.judgment)
    else:
        found["JUD"] = None
    return found | {"REA": None}


def _strict(
    case: Trial, found: rulings.Judgment | None, book: Laws | None
) -> tuple[dict[str, float | None], dict[str, object]]:
    text = found.text if found else ""
    neutral = "\n".join((case.gold.reason, *case.gold.judgment))
    law = laws.score_laws(text, case.gold.laws, case.dates.for_law, neutral=neutral, book=book)
    points = reasons.score_reasons(
        found.reason if found else "", case.gold.reason_points, case.gold.reason, _FORMULAS[_env(case)]
    )
    values: dict[str, float | None] = {
        "LAW": law.recall, "LAW_P": law.precision, "LAW_F1": law.f1, "LAW_FAKE": law.doubtful("no_article"),
        "LAW_OLD": law.doubtful("not_in_force"), "LAW_UNK": law.doubtful("not_listed"),
        "REA_points": points.value,
    }  # fmt: skip
    evidence: dict[str, object] = {
        "judgment": found is not None,
        "laws": {
            "cited": [article.chinese for article in law.cited],
            "missing": [article.chinese for article in law.missing],
            "extra": [article.chinese for article in law.extra],
            "fake": [{"article": one.article.chinese, "why": one.why} for one in law.doubts],
            "without_law": list(law.unnamed),
        },
        "points": [
            {
                "text": point.text,
                "share": round(point.share, 4),
                "made": point.made,
                "quote": point.quote,
                "against": list(point.against),
            }
            for point in points.points
        ],
    }
    ordered = found.rulings if found else ()
    if isinstance(case, CriminalCase):
        crimes = sentence.score_charges(ordered, case.gold.charges)
        verdict = sentence.compare(case.gold.sentence, sentence.read_sentence(ordered))
        values |= {
            "CRI": crimes.value, "VER": verdict.ver, "SEN": verdict.sen, "FINE": verdict.fine,
            "SEN_d": verdict.sen_d, "FINE_d": verdict.fine_d,
            "PROB": None if verdict.probation is None else float(verdict.probation),
            "LIFE": None if verdict.supreme is None else float(verdict.supreme),
        }  # fmt: skip
        evidence["charges"] = {
            "said": list(crimes.said), "extra": list(crimes.extra), "missing": list(crimes.missing),
            "acquitted": crimes.acquitted,
        }  # fmt: skip
        evidence["sentence"] = {
            "said": verdict.said.model_dump(mode="json", exclude_defaults=True) if verdict.said else None,
            "kind": verdict.kind, "suspended": verdict.suspended,
        }  # fmt: skip
    else:
        values["JUD_claims"], matches = rulings.score_claims(case, ordered)
        evidence["claims"] = [
            {
                "claim": match.read.claim, "said": match.read.outcome, "amount": match.read.amount,
                "gold": match.gold, "gold_amount": match.gold_amount, "holds": match.holds,
                "words": match.read.words,
            }
            for match in matches
        ]  # fmt: skip
    return values, evidence


def _cited(refs: Sequence[LawRef]) -> str:
    """A list of articles as judgments write it: each law once, its articles joined by 、."""
    grouped: dict[str, list[str]] = {}
    for ref in refs:
        grouped.setdefault(ref.law, []).append(ref.chinese.removeprefix(f"《{ref.law}》"))
    return "、".join(f"《{law}》{'、'.join(articles)}" for law, articles in grouped.items())
