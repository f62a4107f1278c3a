"""Builds the pack `sample` from its data files, read as those of a user are; the same files give the same content.

data/tables      rows of the database tables, JSON lines, drawn once by a program
data/statutes    laws by version in the layout of `law-json`: `corpus` also becomes LegalArticle, `further` does not
data/web         saved pages in Markdown; `states` and `wrong` at their top say for tests what a page has right
data/tasks       tasks as the pack holds them
data/courts      authored cases, fictional people and facts under real law, one TOML file a dispute or case: twelve
                 each of civil disputes (a complaint, a defence and a trial), criminal cases, questions, consultations
data/knowledge.toml, data/cases.toml    texts of LegalKnowledge and LegalCases
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, TypeVar

from store.builder import PackBuilder
from store.importers import Progress, silent
from store.importers.law.jsonfile import read_laws
from store.importers.law.writing import StatedLaw
from store.importers.reading import records
from store.importers.web.pages import front_matter, read_markdown
from store.schema import TABLES
from store.tables import beside
from tasks.courts.casefile.case import AdviceCase, Case, CriminalCase, Dispute
from tasks.courts.casefile.loading import case_records as _records
from tasks.courts.casefile.loading import load_dispute, read_case
from tasks.sample import FICTION_LABEL, JURISDICTION, PACK_NAME

_T = TypeVar("_T", AdviceCase, CriminalCase)


def civil_disputes() -> list[Dispute]:
    """The disputes in the order of their files."""
    return list(_disputes())


def criminal_cases() -> list[CriminalCase]:
    """The criminal cases in the order of their files."""
    return list(_cases("criminal", CriminalCase))


def knowledge_cases() -> list[AdviceCase]:
    """Questions of knowledge (KQ) in the order of their files."""
    return list(_cases("knowledge", AdviceCase))


def consultation_cases() -> list[AdviceCase]:
    """Consultations (LC) in the order of their files."""
    return list(_cases("consultation", AdviceCase))


def court_cases() -> list[Case]:
    """All cases, by environment: KQ, LC, CD, DD, CI, CR."""
    triples = [dispute.cases() for dispute in civil_disputes()]
    civil = [triple[place] for place in range(3) for triple in triples]
    return [*knowledge_cases(), *consultation_cases(), *civil, *criminal_cases()]


@cache
def _disputes() -> tuple[Dispute, ...]:
    with as_file(_folder() / "disputes") as folder:
        return tuple(load_dispute(path) for path in sorted(folder.glob("*.toml")))


@cache
def _cases(name: str, kind: type[_T]) -> tuple[_T, ...]:
    with as_file(_folder() / name) as folder:
        found = [read_case(where, fields) for where, fields in _records(folder)]
    return tuple(case for case in found if isinstance(case, kind))


def _folder() -> Traversable:
    return files(__package__) / "data" / "courts"


AS_OF = "2024-12-31"
SOURCE = "written for Moot; fictional (虚构数据)"
LICENCE = "MIT"
_PROVENANCE: Final = "authored"
_BREAK = "\\n"
"""Paragraphs of an article in LegalArticle are parted by upstream's literal backslash-n."""


def build_sample(name: str = PACK_NAME, progress: Progress = silent) -> Path:
    """Builds the pack and moves it into the packs folder; gives its path.

    Raises:
        BadInput: a data file that was edited is not what it should be; file and place are named.
    """
    with (
        as_file(files(__package__) / "data") as data,
        PackBuilder(
            name, jurisdiction=JURISDICTION, source=SOURCE, licence=LICENCE, coverage="complete", as_of=AS_OF
        ) as builder,
    ):
        for table in TABLES:
            for row in rows(table):
                builder.add_row(table, row, _PROVENANCE)
            progress(table, 0, None)
        corpus, further = list(_laws(data / "statutes/corpus")), list(_laws(data / "statutes/further"))
        texts = {"LegalKnowledge": _knowledge(), "LegalArticle": _articles(corpus), "LegalCases": _guiding_cases()}
        for document, found in texts.items():
            for text in found:
                builder.add_document(document, text, _PROVENANCE)
            progress(document, 0, None)
        for law in (*corpus, *further):
            _add_law(builder, law)
        progress("statutes", 0, None)
        for path in sorted((data / "web").glob("*.md")):
            _add_page(builder, path)
        for path in sorted((data / "tasks").glob("*.jsonl")):
            builder.add_tasks(path.stem, (json.dumps(task, ensure_ascii=False) for _, task in records(path)))
        builder.add_tasks("courts", (json.dumps(case.fields(), ensure_ascii=False) for case in court_cases()))
        progress("index", 0, None)
        return builder.finish()


def rows(table: str) -> Iterator[dict[str, Any]]:
    """The rows of a database table in their order."""
    with as_file(files(__package__) / "data/tables" / f"{table}.jsonl.gz") as path:
        yield from (row for _, row in records(path, table))


def _knowledge() -> Iterator[str]:
    """A heading, then a short explanation, as the fictional jurisdiction has it."""
    for topic in beside(__package__, "data/knowledge")["topic"]:
        yield from (f"{topic['title']} {entry}" for entry in topic["entries"])


def _guiding_cases() -> Iterator[str]:
    """In the order in which courts publish them, with real newlines."""
    for case in beside(__package__, "data/cases")["case"]:
        yield (
            f"{case['title']}\n\n——{case['point']}\n\n【基本案情】\n\n{case['facts']}\n\n"
            f"【裁判结果】\n\n{case['result']}\n\n【裁判理由】\n\n{case['reason']}\n"
        )


def _articles(laws: list[StatedLaw]) -> Iterator[str]:
    """The newest version of each law as the corpus has it: 法名第X条：…."""
    for law in laws:
        for article in law.versions[-1][1]:
            yield f"{article.law}{article.number.chinese}：{(article.text or '').replace(chr(10), _BREAK)}"


def _laws(folder: Path) -> Iterator[StatedLaw]:
    for path in sorted(folder.glob("*.json")):
        yield from read_laws(path, path.name)


def _add_law(builder: PackBuilder, stated: StatedLaw) -> None:
    builder.add_law(replace(stated.law, provenance=_PROVENANCE), stated.aliases)
    for version, articles in stated.versions:
        builder.add_version(version, [replace(article, text_source=FICTION_LABEL) for article in articles])
    for link in stated.links:
        builder.add_link(link)


def _add_page(builder: PackBuilder, path: Path) -> None:
    content = path.read_bytes()
    page, kind = read_markdown(content, path.name), front_matter(content.decode())[0]["kind"]
    builder.add_page(page.url or "", page.title, page.day, page.text, _PROVENANCE, f"虚构网页：{kind}")
