"""Makes the model in the box: `make model`. Trains, converts, measures, writes its card and the table and plot of the docs.

    python packaging/train/make.py [FOLDER] [--steps N --decay N] [--n TASKS] [--skip-training]

FOLDER (build/tiny) keeps the checkpoint, so that an interrupted training goes on. `--n 0` measures nothing. The file and its card go to
models/tiny; the figures in docs/tiny-model.json are those of the file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import batches
import convert
import curve
import evaluate
import pages
from rollouts import SEED, Maker, Split, Task, paths, shipped
from train import DECAY, STEPS, train

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "models" / "tiny"
FIGURES = ROOT / "docs" / "tiny-model.json"
KINDS: dict[str, tuple[str, ...]] = {
    "上市公司的信息": ("get_company_info",),
    "工商登记的信息": ("get_company_register",),
    "信用代码属于哪家公司": ("get_company_register_name",),
    "母公司及持股": ("get_sub_company_info",),
    "有哪些子公司（至多六家）": ("get_sub_company_info_list",),
    "案件的当事人、律所、案由": ("get_legal_document",),
    "公司涉诉案件（至多六件）": ("get_legal_document_company_list",),
    "法院的信息": ("get_court_info",),
    "法院的代字、级别": ("get_court_code",),
    "律师事务所的信息": ("get_lawfirm_info",),
    "律师事务所的业务量和执业记录": ("get_lawfirm_log",),
    "地址在哪个省、市、区县": ("get_address_info",),
    "行政处罚": ("get_administrative_case",),
    "公司受过的处罚（至多六次）": ("get_administrative_case_company_list",),
    "审理某案的法院": ("get_court_code", "get_court_info"),
    "母公司的工商登记": ("get_sub_company_info", "get_company_register"),
    "案件当事人的工商登记": ("get_legal_document", "get_company_register"),
    "案件代理律所的信息": ("get_legal_document", "get_lawfirm_info"),
    "信用代码所指公司的母公司": ("get_company_register_name", "get_sub_company_info"),
    "审理某案的法院在哪个区县": ("get_court_code", "get_court_info", "get_address_info"),
    "案件当事人的母公司的信息": ("get_legal_document", "get_sub_company_info", "get_company_info"),
    "案件当事人住所地所在区县": ("get_legal_document", "get_company_register", "get_address_info"),
}  # fmt: skip
"""Kinds of questions that the card lists -> the tools that answer them."""
TRIED = 4
"""Questions of a kind that the model is asked; the shortest that it solves is the example."""


def candidates() -> dict[str, list[Task]]:
    """Questions of each kind over the shipped pack."""
    rng = Random("kinds")
    maker = Maker(shipped(), rng, Split(SEED))
    found: dict[str, list[Task]] = {}
    for kind, tools in KINDS.items():
        ways = [one for one in paths(len(tools), SEED, False) if one.tools == tools]
        drawn = (maker.along(rng.choice(ways)) for _ in range(20 * TRIED)) if ways else ()
        found[kind] = list(islice(filter(None, drawn), TRIED))
    return found


def kinds(model: Path, place: Path) -> Iterator[tuple[str, str]]:
    """The kinds that the model knows, each with a question that it has solved."""
    asked = {f"{kind}-{n}": task for kind, tasks in candidates().items() for n, task in enumerate(tasks)}
    place.mkdir(parents=True, exist_ok=True)
    with evaluate.home(place):
        path, out = place / "kinds.jsonl", place / "kinds.run"
        out.unlink(missing_ok=True)
        numbered = dict(enumerate(asked))
        lines = (json.dumps({"id": f"k{n}", **asked[name]}, ensure_ascii=False) for n, name in numbered.items())
        path.write_text("\n".join(lines), encoding="utf-8")
        if not (place / "packs" / "sample").exists():
            evaluate.command("data", "build", "sample")
        evaluate.run("react", str(model.resolve()), path, "sample", out)
        solved = evaluate.solved(out)
    for kind in KINDS:
        right = [
            asked[name]["question"]
            for n, name in numbered.items()
            if name.rpartition("-")[0] == kind and f"k{n}" in solved
        ]
        if right:
            yield kind, min(right, key=len)


def card(
    model: Path, digest: str, known: Sequence[tuple[str, str]], training: dict[str, Any], figures: dict[str, Any]
) -> str:
    """The card as TOML."""

    def text(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    lines = [
        "# The model that comes with Moot. Written by packaging/train/make.py; see docs/tiny-model.md.",
        f"name = {text(convert.NAME)}", f"sha256 = {text(digest)}", f"bytes = {model.stat().st_size}",
        'form = "compact"', f"context = {batches.LENGTH}", "", "[training]",
        *(f"{name} = {text(value)}" for name, value in training.items()), "",
        "[success]", "# share of tasks with all keys in the answer (strict), by hops; through llama.cpp and moot run",
        *(f"{text(cell)} = {text(by)}" for cell, by in figures.items()),
    ]  # fmt: skip
    for kind, example in known:
        lines += ["", "[[kinds]]", f"name = {text(kind)}", f"example = {text(example)}"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "tiny")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--decay", type=int, default=DECAY)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--agents", default="react,rules,echo,gold")
    parser.add_argument("--skip-training", action="store_true", help="take the checkpoint as it is")
    given = parser.parse_args()
    if not given.skip_training:
        train(given.folder, given.steps, given.decay)
    weights, shape, words, done = convert.trained(given.folder)
    OUT.mkdir(exist_ok=True)
    model = OUT / f"{convert.NAME}.gguf"
    digest = convert.write(model, weights, shape, words)
    agents = [a for a in given.agents.split(",") if a]
    found = evaluate.evaluate(model, given.n, agents, place=given.folder / "measured") if given.n else []
    points = json.loads((given.folder / "curve.json").read_text(encoding="utf-8"))
    training = {
        "seed": SEED, "steps": int(done["step"]), "cpu_minutes": round(done["cpu"] / 60, 1),
        "clock_minutes": round(done["seconds"] / 60, 1), "tokens": int(done["tokens"]), "own_tokens": int(done["own"]),
        "parameters": int(sum(value.size for value in weights.values())), "jurisdictions": 2 * (int(done["chunk"]) - 1),
        "wordings_sha256": hashlib.sha256((given.folder / "wordings.toml").read_bytes()).hexdigest(), "quantised": "Q8_0",
    }  # fmt: skip
    success: dict[str, dict[str, float]] = {}
    for row in found:
        if row["agent"] == convert.NAME:
            success.setdefault(row["cell"], {})[row["group"]] = round(row["success"], 3)
    figures = {cell: [f"{group} {share:.3f}" for group, share in by.items()] for cell, by in success.items()}
    (OUT / "card.toml").write_text(
        card(model, digest, list(kinds(model, (given.folder / "measured").resolve())), training, figures),
        encoding="utf-8",
    )
    if found:
        FIGURES.write_text(
            json.dumps({"training": training, "table": found, "curve": points}, ensure_ascii=False, indent=1) + "\n",
            encoding="utf-8",
        )
        curve.write(FIGURES)
        pages.write(FIGURES)
        print(evaluate.table(found))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{model}: {model.stat().st_size} bytes, sha256 {digest}; peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
