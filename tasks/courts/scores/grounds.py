"""What a strict score rests on, as rows behind its evidence: metrics, what, whether it is there, turn, words. `moot
show`, the score pane and the JSON of an episode list them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from store.text.citation import nested_titles
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase
from tasks.courts.environment import environment
from tasks.courts.procedure.model import FATAL, ProfileName, fault_name, profile
from tasks.courts.scores.drafted import LABELS, kind_of_case, strict_document
from tasks.courts.scores.laws import Why, articles_of
from tasks.courts.scores.rulings import Judgment, judgment_of
from tasks.courts.scores.transcript import CourtTranscript
from tasks.scoring.result import Score

Row = dict[str, Any]
"""metrics: names; what: a point, an article, a duty …; found: whether it is as it should be, None where that is no
yes or no; turn: None where it is in no turn; quote: words of the record."""

_DOUBTS: Mapping[Why, tuple[str, str]] = {
    "no_article": ("LAW_FAKE", "该法没有这一条"),
    "not_in_force": ("LAW_OLD", "本案有关日期不是有效条文"),
    "not_listed": ("LAW_UNK", "该法或该版本不在索引"),
}
_TERM = ("VER", "SEN", "SEN_d")
_OPEN = ("NBIN", "NBIN_all", "NBIN_proxy", "NBIN_all_proxy", "COV")
_DUTY: tuple[str, ...] = ("PFS", "STA", "ACT", "ORD")
_BY_GRADER = frozenset({"JUD", "REA"})
_QUOTED = 120


def rests(case: Case, transcript: CourtTranscript, score: Score) -> list[Row]:
    """The rows of the strict score of topics, documents or judgment; none for an environment that scores itself."""
    seen = list(score.evidence)
    if isinstance(case, AdviceCase):
        made = _topics(case, seen)
    elif isinstance(case, CivilCase) and kind_of_case(case) and seen:
        made = _document(case, transcript, seen[0])
    elif isinstance(case, CivilCase | CriminalCase) and environment(case.env).trial and seen:
        made = _judgment(case, transcript, seen[0])
    else:
        return []
    there = {name for name, value in score.value.items() if value is not None}
    found = [one for one in (_of(one, there) for one in made) if one["metrics"]]
    graded = sorted(there & _BY_GRADER - {name for one in found for name in one["metrics"]})
    return found + [_row((name,), "评分员的评分，理由见其评分记录", None) for name in graded]


def of_procedure(seen: Iterable[Mapping[str, Any]], name: ProfileName, case: CivilCase | CriminalCase) -> list[Row]:
    """The rows of the strict PFS, from its evidence."""
    acts = profile(name, "CI" if isinstance(case, CivilCase) else "CR").acts
    made = []
    for one in seen:
        key = str(one.get("act") or one.get("unmet") or "").partition("/")[0]
        title = acts[key].name if key in acts else key
        if "unmet" in one:
            made.append(_row(_DUTY, f"未得有效回应：{title}", None, one.get("turn")))
            continue
        if "violation" not in one:
            made.append(_row(_DUTY, title, True, one.get("turn"), str(one.get("quote") or "")))
            continue
        code = str(one["violation"])
        clear = bool(one.get("clear", True))
        metrics = ("PFS", "UNI") if code in FATAL and clear else _DUTY
        told = "：".join(
            part for part in (fault_name(code, clear=clear), title, str(one.get("detail") or "")) if part
        )
        made.append(_row(metrics, told, False, one.get("turn")))
    if not any("UNI" in one["metrics"] for one in made):
        made.append(_row(("UNI",), "没有破坏庭审统一性的瑕疵", True))
    return made


def _row(metrics: Sequence[str], what: str, found: bool | None, turn: int | None = None, quote: str = "") -> Row:
    return {"metrics": list(metrics), "what": what, "found": found, "turn": turn, "quote": quote[:_QUOTED]}


def _of(row: Row, there: set[str]) -> Row:
    return {**row, "metrics": [name for name in row["metrics"] if name in there]}


def _topics(case: AdviceCase, seen: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    asked = {topic.id: topic.question for topic in case.topics}
    for one in seen:
        metrics = ("BIN", "BIN_all", "COV") if one["type"] == "binary" else _OPEN
        score, quotes, turns = one["score"], one.get("quotes") or [""], one.get("at") or [None]
        yield _row(metrics, asked.get(one["topic"], one["topic"]), _yes(score), turns[0], quotes[0])


def _yes(score: float | None) -> bool | None:
    return None if score is None or 0 < score < 1 else bool(score)


def _document(case: CivilCase, transcript: CourtTranscript, seen: Mapping[str, Any]) -> Iterator[Row]:
    document = strict_document(case, transcript.own)
    if document is None:
        yield _row(("FOR", "Label", "Seq", "DOC", "DOC_proxy", *_parts(seen, case)), "没有写成文书", False)
        return
    turns = _turns(case, transcript)
    turn = turns[document.message] if document.message < len(turns) else None
    for label in LABELS[document.kind]:
        words = document.sections.get(label.key, "")
        yield _row(("FOR", "Label"), label.published, label.key in seen["labels"], turn, words)
    yield _row(("FOR", "Seq"), "各部分按规定的次序", bool(seen["ordered"]), turn)
    for part in _parts(seen, case):
        if part in seen:
            lacks = [one if isinstance(one, str) else one["text"] for one in seen[part]["missing"]]
            told = f"缺{'、'.join(lacks)}" if lacks else "要素齐全"
            yield _row((part, f"{part}_proxy", "DOC", "DOC_proxy"), told, not lacks, turn)


def _parts(seen: Mapping[str, Any], case: Case) -> tuple[str, ...]:
    names = environment(case.env).metrics["strict"]
    return tuple(name for name in names if name not in ("FOR", "Label", "Seq", "DOC", "DOC_proxy")) if seen else ()


def _turns(case: Case, transcript: CourtTranscript) -> list[int]:
    """The numbers of the turns of the tested seat, as `transcript.own` has their words."""
    tested = environment(case.env).tested
    return [turn.number for turn in transcript.record if turn.speaker == tested and turn.number > 0]


def _judgment(case: CivilCase | CriminalCase, transcript: CourtTranscript, seen: Mapping[str, Any]) -> Iterator[Row]:
    judgment = judgment_of(transcript.own)
    if judgment is None:
        yield _row(environment(case.env).metrics["strict"], "没有作出判决", False)
        return
    places = [place for place, text in enumerate(transcript.own) if text and text in judgment.text]
    turns = _turns(case, transcript)
    turn = turns[places[-1]] if places and places[-1] < len(turns) else None
    for row in (*_laws(case, seen["laws"]), *_reasons(seen["points"]), *_ruled(case, judgment, seen)):
        yield {**row, "turn": turn}


def _laws(case: CivilCase | CriminalCase, seen: Mapping[str, Any]) -> Iterator[Row]:
    for article in articles_of(case.gold.laws):
        cited = article.chinese not in seen["missing"]
        shown = nested_titles(article.chinese)
        yield _row(("LAW", "LAW_F1", "LAW_P") if cited else ("LAW", "LAW_F1"), shown, cited)
    for extra in seen["extra"]:
        yield _row(("LAW_P", "LAW_F1"), f"{nested_titles(str(extra))}：参照裁判没有适用", False)
    doubted = {one["why"] for one in seen["fake"]}
    for one in seen["fake"]:
        metric, told = _DOUBTS[one["why"]]
        yield _row((metric,), f"{nested_titles(str(one['article']))}：{told}", False)
    clean = [metric for why, (metric, _) in _DOUBTS.items() if why not in doubted]
    yield _row((*clean, "LAW_P"), f"引用法条 {len(seen['cited'])} 条", True)


def _reasons(seen: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    for one in seen:
        denied = f"（与要点相反：{'、'.join(one['against'])}）" if one["against"] else ""
        yield _row(("REA_points",), one["text"] + denied, one["made"], None, one["quote"])


def _ruled(case: CivilCase | CriminalCase, judgment: Judgment, seen: Mapping[str, Any]) -> Iterator[Row]:
    said = "；".join(judgment.rulings)
    if isinstance(case, CriminalCase):
        charged, imposed = seen["charges"], seen["sentence"]
        wanted = "、".join(case.gold.charges) or "无罪"
        yield _row(("CRI",), f"罪名：{wanted}", not charged["extra"] and not charged["missing"], None, said)
        gold, given = case.gold.sentence, imposed["said"] or {}
        terms = f"{_term(given)}；参照：{_term(gold.model_dump(mode='json'))}"
        yield _row((*_TERM, "LIFE"), f"刑罚：{terms}", imposed["kind"] and _same(given, gold.months), None, said)
        fines = (given.get("fine", 0), gold.fine)
        yield _row(
            ("VER", "FINE", "FINE_d"),
            f"罚金：{fines[0]:g} 元；参照：{fines[1]:g} 元",
            fines[0] == fines[1],
            None,
            said,
        )
        suspended = f"{_probation(given)}；参照：{_probation(gold.model_dump(mode='json'))}"
        yield _row(("PROB", *_TERM), f"缓刑：{suspended}", imposed["suspended"], None, said)
    for claim, one in zip(getattr(case, "claims", ()), seen.get("claims", ()), strict=False):
        yield _row(("JUD_claims",), f"{one['claim']}：{claim.text}", one["holds"], None, one["words"] or said)


def _same(given: Mapping[str, Any], months: int) -> bool:
    return bool(given.get("months", 0) == months)


def _probation(sentence: Mapping[str, Any]) -> str:
    """12 个月; 未宣告 where a term is to be served."""
    if not sentence:
        return "没有读到"
    months = sentence.get("probation_months", 0)
    return f"{months} 个月" if months else "未宣告"


def _term(sentence: Mapping[str, Any]) -> str:
    """有期徒刑 8 个月，缓刑 12 个月; 没有读到 where there is none."""
    if not sentence:
        return "没有读到"
    months, probation = sentence.get("months", 0), sentence.get("probation_months", 0)
    kind = str(sentence["kind"])
    return kind + (f" {months} 个月" if months else "") + (f"，缓刑 {probation} 个月" if probation else "")
