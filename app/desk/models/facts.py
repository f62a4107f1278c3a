"""What is known of a model, as lines: what it is, what it needs against what is free, where it lies, what its header
says."""

from __future__ import annotations

from app.desk.episode.renderers import Line, one
from app.desk.models.listing import ModelLine, billions, size_words
from app.desk.widgets.text_pane import TextPane
from app.strings import t
from app.strings.sentences import said
from app.terminal import pad
from models.llama import shipped
from models.llama.header import Header

LABEL = 10
"""Cells of the names of facts."""
Fact = tuple[str, str, str]
"""Name of a fact, what it is, its role."""


def fact_lines(line: ModelLine, free: int) -> list[Line]:
    """All that is known of a model, and what it needs against what is free; what matters most comes first."""
    gap: Line = ((" ", "dim"),)
    first = [*_faults(line), *_nature(line)]
    blocks = [_shipped(line), _named(first), memory_lines(line, free), _named(_details(line))]
    lines: list[Line] = [((one(line.name), "question"),)]
    for block in blocks:
        lines += [*block, gap] if block else []
    return lines[:-1]


def _named(facts: list[Fact]) -> list[Line]:
    return [((pad(t(f"models.fact.{name}"), LABEL), "dim"), (text, role)) for name, text, role in facts]


def _faults(line: ModelLine) -> list[Fact]:
    return [("fault", one(said(line.fault)), "bad")] if line.fault else []


def _shipped(line: ModelLine) -> list[Line]:
    """What the model that comes with Moot is for, and what it can be asked."""
    about = shipped.card() if line.entry.shipped else None
    if about is None:
        return []
    asked: list[Line] = [((f"· {one(kind.example)}", "text"),) for kind in about.kinds]
    return [((t("models.shipped", context=about.context), "mark"),), *asked]


def _nature(line: ModelLine) -> list[Fact]:
    """What the model is and what it can."""
    entry, header = line.entry, line.header
    facts = [
        ("model", f"{one(entry.architecture)} · {billions(entry.parameters)} · {one(entry.quantisation)}", "text")
    ]
    if header is not None:
        facts.append(
            ("context", t("models.context", trained=f"{header.context:,}", used=f"{line.context:,}"), "text")
        )
    if entry.is_embedding:
        facts.append(("template", t("models.embedding"), "warn"))
    elif entry.has_template:
        facts.append(("template", t("models.template"), "text"))
    else:
        facts.append(("template", t("models.no_template"), "warn"))
    return [*facts, ("past", t("models.recurrent"), "warn")] if entry.recurrent else facts


def _details(line: ModelLine) -> list[Fact]:
    """Where the file is, its shape and its sum."""
    entry, header = line.entry, line.header
    facts = [
        ("file", one(line.file.name), "text"),
        ("folder", one(str(line.file.parent)), "dim"),
        ("kept", t("models.copied" if entry.copied else "models.in_place"), "dim"),
    ]
    if header is not None:
        shape = {"layers": header.layers, "heads": header.heads, "kv": header.heads_kv}
        facts.append(("shape", t("models.shape", **shape, wide=f"{header.embedding:,}"), "dim"))
        facts.append(("vocabulary", f"{header.vocabulary:,} · {one(header.tokenizer)}", "dim"))
    facts.append(("size", f"{size_words(entry.size)} · {entry.size:,}", "dim"))
    return [*facts, ("sha256", " ".join(entry.sha256[at : at + 16] for at in range(0, 64, 16)), "dim")]


def memory_lines(line: ModelLine, free: int) -> list[Line]:
    """What the model needs for 1, 4 and 8 sequences, against what is free."""
    if line.header is None:
        return []
    shown: list[Line] = [((t("models.memory", context=f"{line.context:,}"), "label"),)]
    for slots, need in line.needs:
        fits = not free or need.total <= free
        mark = "" if not free else " ✔" if fits else " ✘"
        parts = t(
            "models.memory.parts",
            weights=size_words(need.weights),
            cache=size_words(need.cache),
            work=size_words(need.work),
        )
        shown.append(
            (
                (pad(t("models.memory.slots", n=slots), LABEL), "dim"),
                (
                    f"{pad(size_words(need.total), 7, 'right')}{mark}",
                    "good" if fits and free else "bad" if free else "text",
                ),
                (f"  {parts}", "dim"),
            )
        )
    shown.append(
        (
            (pad(t("models.memory.free"), LABEL), "dim"),
            (pad(size_words(free), 7, "right") if free else t("models.free.unknown"), "text"),
        )
    )
    return shown


def header_lines(header: Header) -> list[Line]:
    """The scalars of the header and the chat template, as they stand in the file."""
    lines: list[Line] = [((" ", "dim"),), ((t("models.check.metadata"), "label"),)]
    for key, value in header.metadata.items():
        lines.append(((f"{one(str(key))}  ", "dim"), (one(str(value)), "text")))
    if header.template:
        lines += [((" ", "dim"),), ((t("models.check.template"), "label"),)]
        lines += [((one(row), "text"),) for row in header.template.split("\n")]
    return lines


class FactsPane(TextPane, can_focus=True):
    """Facts to scroll through."""
