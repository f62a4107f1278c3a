"""Why an attempt at LegalSearch failed: which article the answer rests on, and what became of it.

The articles are those that the gold card names: its `basis`, what a recital asks for, what the right options, the
annexed articles or the reference consultation cite. Hits of the record carry their days in force and the mark of the
version for the case. A task whose gold names no article (most published exams) leaves only the answer to be judged,
and what the rules do not see there is called `other`. Likeness is plain ROUGE-L from 0 to 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from store.journal import ScoreRow
from store.statutes.model import ArticleNumber
from store.statutes.names import key_of_name
from store.text.charges import charges
from tasks.benchmark import EvidenceItem
from tasks.episode.state import State
from tasks.legalsearch.agents.briefing import TOOLS
from tasks.legalsearch.answers import letters, strict_answer, term
from tasks.legalsearch.coverage import LIKENESS, plain
from tasks.legalsearch.measures import Verdict as Graded
from tasks.legalsearch.measures import cited, strict_score
from tasks.legalsearch.published import LAR_PASS, recital, rouge_l
from tasks.legalsearch.questions import LawQuestion
from tasks.scoring.failures import (
    AttemptRecord,
    Detector,
    Diagnosis,
    Finding,
    ObservedCall,
    StepQuote,
    last_step,
    verdict,
)

APPLIES = (
    "error", "context_full", "outside_pack", "format", "argument_error", "wrong_tool", "loop", "limit",
    "wrong_version", "missing_hop", "wrong_number", "retrieved_unused", "other",
)  # fmt: skip
NO_TEXT = ("no_text", "gap", "unknown_law")
"""Notes of a query, or the states at their end, that say the pack lacks something."""
GRADERS = ("grader", "human")

Article = tuple[str, str]
"""A law without 中华人民共和国 and brackets, and the key of a number (133-1)."""


def failure_of(question: LawQuestion, state: State, rows: Sequence[ScoreRow]) -> Diagnosis:
    """Why an attempt failed. Solved is full marks by the strict rule, of a recital the published 0.95; a consultation
    waits for its grader."""
    if state.stopped is None:
        return Diagnosis("unfinished")
    attempt = LawAttempt(question, state, rows)
    outcome = state.stopped.outcome
    if outcome not in ("error", "cancelled") and attempt.read:
        score = strict_score(question, attempt.res, _graded(rows))
        if score is None:
            return Diagnosis("ungraded")
        if score >= (LAR_PASS if question.kind.form == "article" else 1.0):
            return Diagnosis("solved")
    return verdict(attempt, DETECTORS, why="unknown" if attempt.articles else "no_basis")


def _graded(rows: Sequence[ScoreRow]) -> Graded | None:
    for row in reversed(rows):
        value = row.value
        if (
            row.scorer in GRADERS
            and isinstance(value, Mapping)
            and None not in (value.get("answer"), value.get("basis"))
        ):
            return Graded(bool(value["answer"]), bool(value["basis"]))
    return None


@dataclass(frozen=True, slots=True)
class RecordedHit:
    """A hit of the record; days are ISO texts, '' where they are open; text None: not in the pack."""

    step: int
    article: Article
    label: str
    text: str | None
    first: str
    last: str
    mark: str

    def applies(self, day: str) -> bool:
        """Whether the version was in force on a day; where the day is not known, whether its mark lets it apply."""
        return self.mark != "not" if not day else self.first <= day and (not self.last or day <= self.last)

    @property
    def place(self) -> StepQuote:
        """The hit in a line."""
        return StepQuote.of(self.step, self.label, self.article[1], f"{self.first}–{self.last}", self.text)


def _article(law: str, number: str) -> Article:
    return key_of_name(law), number


def _dicts(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def hits_of(calls: Sequence[ObservedCall]) -> list[RecordedHit]:
    """The hits of all queries in order; what has not the shape of one is left out."""
    found = []
    for call in calls:
        for query in _dicts(call.value):
            for hit in _dicts(query.get("hits")):
                law, number, text = str(hit.get("law", "")), str(hit.get("number", "")), hit.get("text")
                title = f"【{hit['title']}】" if hit.get("title") else ""
                days = [str(hit.get(name) or "") for name in ("valid_from", "valid_to")]
                found.append(
                    RecordedHit(
                        call.step, _article(law, number), str(hit.get("label", law)),
                        f"{title}{text}" if isinstance(text, str) else None, days[0], days[1],
                        str(hit.get("mark", "")),
                    )
                )  # fmt: skip
    return found


class LawAttempt(AttemptRecord):
    """An attempt with the articles that its answer rests on, and what was retrieved."""

    def __init__(self, question: LawQuestion, state: State, rows: Sequence[ScoreRow]) -> None:
        super().__init__(state)
        self.question, self.rows = question, rows
        self.hits = hits_of(self.calls)

    @cached_property
    def read(self) -> str:
        """The answer without its reasoning."""
        return strict_answer(self.res)

    @cached_property
    def articles(self) -> dict[Article, str]:
        """The articles that the answer rests on, with the day for each ('': not told)."""
        gold, question = self.question.gold, self.question
        if gold.basis:
            return {_article(law, number): day for law, number, day in gold.basis}
        form, kind = question.kind.form, question.kind.id
        text = ""
        if form == "article" or kind == "ptp" or gold.day:
            text = question.text.partition("选项")[0]
        elif form == "consultation":
            text = gold.answer
        elif kind == "lap":
            text = "；".join(question.options.get(letter, "") for letter in gold.answer)
        return dict.fromkeys(cited(text), gold.day)

    def of_articles(self) -> list[tuple[RecordedHit, bool]]:
        """The hits that are versions of these articles, and whether each was in force."""
        return [(hit, hit.applies(self.articles[hit.article])) for hit in self.hits if hit.article in self.articles]

    @cached_property
    def lacking(self) -> list[Article]:
        """Articles of which no version in force was retrieved with its text."""
        there = {hit.article for hit, applies in self.of_articles() if applies and hit.text is not None}
        return [article for article in self.articles if article not in there]

    @cached_property
    def complete(self) -> bool:  # type: ignore[override]
        """Whether all articles were retrieved as they were in force."""
        return bool(self.articles) and not self.lacking


def evidence_of(question: LawQuestion, state: State) -> list[EvidenceItem]:
    """The articles that an answer needs, each with whether it was retrieved as it was in force, then all else that
    was retrieved."""
    attempt = LawAttempt(question, state, ())
    needed, hits = attempt.articles, {(hit.article, hit.first): hit for hit in reversed(attempt.hits)}
    never = [article for article in attempt.lacking if article not in {hit.article for hit in attempt.hits}]
    made = [EvidenceItem(f"{law}{_numbered(number)}", False) for law, number in never]
    for hit in reversed(hits.values()):
        found = hit.applies(needed[hit.article]) if hit.article in needed else None
        what = f"{hit.label}{_numbered(hit.article[1])}　{hit.first}—{hit.last}"
        made.append(EvidenceItem(what, found, hit.step, hit.text or ""))
    return sorted(made, key=lambda one: one.found is None)


def _numbered(key: str) -> str:
    """第一百三十三条之一 of 133-1; what is no key as it stands."""
    return ArticleNumber(*map(int, key.split("-"))).chinese if re.fullmatch(r"[0-9]{1,4}(-[0-9]{1,3})?", key) else key


def _format(attempt: LawAttempt) -> Iterator[Finding]:
    """Answers that are no letters, no term, no charge."""
    readable = READABLE.get(attempt.question.kind.form)
    if attempt.read and readable and not readable(attempt.question, attempt.read):
        yield Finding("format", "unreadable", (attempt.said,))


READABLE: Mapping[str, Callable[[LawQuestion, str], bool]] = {
    "letters": lambda question, read: letters(read, question.options) is not None,
    "months": lambda _, read: term(read) is not None,
    "charges": lambda _, read: bool(charges(read)),
}
"""Form of an answer -> whether it can be read."""


def _calls(attempt: LawAttempt) -> Iterator[Finding]:
    """Calls that were refused: a tool that is not there, or arguments of another shape."""
    for call in attempt.calls:
        if call.status == "call_error":
            later = any(other.ok and other.step > call.step for other in attempt.calls)
            left = not attempt.complete and not later
            if call.tool in TOOLS:
                yield Finding("argument_error", "shape", (call.place,), left)
            else:
                yield Finding("wrong_tool", "no_such_tool", (call.place,), left)


def _outside(attempt: LawAttempt) -> Iterator[Finding]:
    for hit, applies in attempt.of_articles():
        if applies and hit.text is None and hit.article in attempt.lacking:
            yield Finding("outside_pack", "article", (hit.place,))
    laws = {law for law, _ in attempt.lacking}
    for call in attempt.calls:
        for query in _dicts(call.value):
            notes = [note for note in query.get("notes") or () if isinstance(note, str)]
            for note in notes:
                code, *parts = note.split(":")
                if {code, *parts[-1:]} & set(NO_TEXT) and any(_article(part, "")[0] in laws for part in parts):
                    yield Finding("outside_pack", "article", (StepQuote.of(call.step, note),))


def _versions(attempt: LawAttempt) -> Iterator[Finding]:
    """An answer in the words of a version that was not in force, or only such a version retrieved."""
    applying = [hit for hit in attempt.hits if hit.text and hit.applies(attempt.articles.get(hit.article, ""))]
    others = [hit for hit in attempt.hits if hit.text and hit not in applying]
    if attempt.question.kind.form == "article":
        yield from _recited(attempt, others)
    for letter in _chosen(attempt):
        words = _words(attempt.question.options.get(letter, ""))
        from_others = [hit for hit in others if words and words in _words(hit.text or "")]
        if from_others and not any(words in _words(hit.text or "") for hit in applying):
            yield Finding("wrong_version", "chosen_version", (attempt.said, from_others[0].place))
    found = {hit.article: hit for hit, _ in attempt.of_articles() if hit.text}
    for article in attempt.lacking:
        if article in found:
            yield Finding("wrong_version", "found_version", (found[article].place,))


def _recited(attempt: LawAttempt, others: Sequence[RecordedHit]) -> Iterator[Finding]:
    """A recital that is more like a version of another day than like the gold."""
    said = plain(attempt.read)
    right = rouge_l(said, plain(attempt.question.gold.answer), 1.0)
    likest = max(
        ((rouge_l(said, plain(hit.text or ""), 1.0), hit.first, hit) for hit in others),
        default=None,
        key=lambda one: one[:2],
    )
    if likest and likest[0] >= LIKENESS and likest[0] > right:
        yield Finding("wrong_version", "cited_version", (attempt.said, likest[2].place))
        return
    for row in reversed(attempt.rows):
        value = row.value if isinstance(row.value, Mapping) else {}
        if row.scorer == "wrong_version":
            if value.get("wrong_version"):
                told = next(iter(_dicts(list(row.evidence) if isinstance(row.evidence, list | tuple) else [])), {})
                places = (attempt.said, StepQuote.of(0, told.get("version", "")))
                yield Finding("wrong_version", "cited_version", places)
            return


def _chosen(attempt: LawAttempt) -> list[str]:
    if attempt.question.kind.form != "letters":
        return []
    found = letters(attempt.read, attempt.question.options) or frozenset()
    return sorted(found - set(attempt.question.gold.answer))


def _words(text: str) -> str:
    """Words of the law without white space and the stop at their end."""
    return recital(text).rstrip("。；;.")


def _hops(attempt: LawAttempt) -> Iterator[Finding]:
    """Articles that were never retrieved, in no version."""
    there = {hit.article for hit in attempt.hits}
    lacking = [article for article in attempt.lacking if article not in there]
    if lacking:
        step = attempt.calls[-1].step if attempt.calls else last_step(attempt.state)
        places = tuple(StepQuote.of(step, f"《{law}》", number) for law, number in lacking[:3])
        yield Finding("missing_hop", "never_seen", (*places, *(call.place for call in attempt.calls[-1:])))


def _answer(attempt: LawAttempt) -> Iterator[Finding]:
    """A readable answer that does not follow what was retrieved."""
    if not attempt.read:
        return
    form = attempt.question.kind.form
    if form == "months" and term(attempt.read) is not None and attempt.complete:
        gold = attempt.question.gold.answer
        yield Finding("wrong_number", "number", (attempt.said, StepQuote.of(0, "≠", gold)))
    used = cited(attempt.read) if form == "consultation" else frozenset()
    for hit, applies in attempt.of_articles():
        if applies and hit.text is not None and hit.article not in used:
            yield Finding("retrieved_unused", "unfollowed", (attempt.said, hit.place), attempt.complete)
            return


DETECTORS: tuple[Detector[LawAttempt], ...] = (
    _format, _calls, _outside, _versions, _hops, _answer,
)  # fmt: skip
