"""Writing tasks over a pack: authored complaints whose law the pack holds, cast with companies, firms and courts of
its rows. A complaint whose citations the article retriever does not find is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tasks.legalagentbench.construct.generate import Generator, Task
from tasks.legalagentbench.construct.keys import missing
from tasks.sample.writing import LOOKED_UP, entries, people, writing_task

CASTS = 2


@dataclass(frozen=True, slots=True)
class Party:
    """A defendant: its name and its row of the register."""

    name: str
    register: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Counsel:
    """A law firm as a statement of defence names it."""

    name: str
    head: str
    phone: str


def writing_set(made: Generator, wanted: int) -> list[Task]:
    """So many writing tasks, two casts a complaint; fewer where the pack lacks law, companies or firms."""
    tasks: list[Task] = []
    for _ in range(CASTS):
        for entry in entries():
            if len(tasks) < wanted and (task := _cast(made, entry)) is not None:
                tasks.append(task)
                made.progress("writing", len(tasks), wanted)
    return tasks


def _cast(made: Generator, entry: dict[str, Any]) -> Task | None:
    rng = made.rng
    names = [value for (value,) in made._entities("CompanyRegister.公司名称")]
    firms = [value for (value,) in made._entities("LawfirmInfo.律师事务所名称")]
    courts = [
        value for (value,) in made._entities("CourtInfo.法院名称") if value.endswith(("区人民法院", "县人民法院"))
    ]
    defendants = _drawn(made, names, entry["defendants"])
    firm = next((c for name in rng.sample(firms, min(30, len(firms))) if (c := _counsel(made, name))), None)
    if len(defendants) < entry["defendants"] or firm is None or not courts:
        return None
    plaintiff = people(rng) if entry["plaintiff"] == "person" else _drawn(made, names, 1)[0].name
    task = writing_task(entry, plaintiff, defendants, firm, rng.choice(courts))
    given = [key for key in task["key"] if key in task["question"]]
    task["key"] = [key for key in task["key"] if key not in given]
    task["key_middle"] = [text for text in task["key_middle"] if text not in task["question"]]
    return task if _works(made, task, [c for group in entry["cite"] for c in group[1:]]) else None


def _drawn(made: Generator, names: Sequence[str], count: int) -> list[Party]:
    found: list[Party] = []
    for name in made.rng.sample(list(names), min(200, len(names))):
        rows = made.source.find("get_company_register", [name]) or []
        if len(found) < count and len(rows) == 1 and not any(missing(rows[0].get(column)) for column in LOOKED_UP):
            found.append(Party(name, dict(rows[0])))
    return found


def _counsel(made: Generator, name: str) -> Counsel | None:
    rows = made.source.find("get_lawfirm_info", [name]) or []
    if len(rows) != 1 or any(missing(rows[0].get(column)) for column in ("律师事务所负责人", "通讯电话")):
        return None
    return Counsel(name, str(rows[0]["律师事务所负责人"]), str(rows[0]["通讯电话"]))


def _works(made: Generator, task: Task, citations: Sequence[str]) -> bool:
    results = [made.toolbox.call(call["tool"], call["input"]) for call in task["path"]]
    texts = "\n".join(result.observation for result in results)
    if any(result.status != "ok" for result in results) or not all(citation in texts for citation in citations):
        made.fallen["the pack lacks the law of a writing task"] += 1
        return False
    return True
