"""The papers of a stored episode, as files: reads the run and its task file, writes whole files, writes nothing
over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from store.files import written_whole
from store.journal import Journal
from tasks.benchmark import benchmark
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.papers.forms import WRITERS
from tasks.courts.papers.made import PAPERS, Held, seated
from tasks.courts.papers.paper import FICTIONAL, Paper
from tasks.errors import RecordMismatch, UsageError
from tasks.run.engines import run_path
from tasks.run.header import header_of, is_fictional, unchanged
from tasks.run.plan import stored_task_file
from tasks.run.reading import episode_of


def papers_of(name: str | Path, episode: str) -> dict[str, Paper]:
    """All papers that an episode holds, its own first.

    Raises:
        UsageError: it is no episode of a court.
        RecordMismatch: its task file is not the one that was played.
    """
    with Journal.open(run_path(name)) as journal:
        header = header_of(journal)
        if header["spec"]["benchmark"] != "courts":
            raise UsageError(
                "only episodes of the courts are written as court papers", "Use `moot report` for a run."
            )
        row, records = episode_of(journal, episode)
    tasks = stored_task_file(header)
    with unchanged(tasks) as digest:
        questions = benchmark("courts").load(tasks)
    if digest != header["tasks"]["sha256"]:
        raise RecordMismatch(f"task file {tasks} changed while it was read", "Try again when nobody writes it.")
    question = next((one for one in questions if one.id == row.task_id), None)
    if not isinstance(question, CourtQuestion):
        raise RecordMismatch(f"task {row.task_id} is not in {tasks}", "Name the task file that was played.")
    events = [record.event for record in records]
    held = Held(question.case, events)
    who = held.name("agent")
    source = f"评测记录：{header['run']}，{episode}。{who}席位：{seated(events)}。"
    fictional = question.fictional or is_fictional(header)
    made = {kind: make(held) for kind, (_, make) in PAPERS.items()}
    return {
        kind: replace(paper, source=source, marks=(*paper.marks, FICTIONAL) if fictional else paper.marks)
        for kind, paper in made.items()
        if paper is not None
    }


def chosen(papers: Mapping[str, Paper], document: str | None, episode: str) -> Paper:
    """The paper of this name, or the first; `UsageError` where the episode holds none such."""
    wanted = document or next(iter(papers), "transcript")
    if wanted not in papers:
        raise UsageError(
            f"episode {episode} holds no {wanted} ({PAPERS[wanted][0]})",
            f"It holds: {', '.join(papers)}." if papers else "Nothing was said in it.",
        )
    return papers[wanted]


def write_paper(paper: Paper, form: str, out: Path, *, parents: bool = False) -> str | None:
    """Write a paper as docx, pdf or html; nothing is written over. Returns the name of the font file
    that was embedded, '' where a font is only named, None where the form takes what the reader has.

    Raises:
        UsageError: the library for this form is not installed, or no font has a sign of the paper.
        StoreError: the file cannot be written, or there is one.
    """
    content, font = WRITERS[form](paper)
    with written_whole(out, new=True, parents=parents, binary=True) as file:
        file.write(content)
    return font
