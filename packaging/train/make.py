"""Makes the model in the box: `make model`. Trains, converts, measures, writes its card and the table of its page.

    python packaging/train/make.py [FOLDER] [--steps N --decay N] [--n TASKS] [--real TASKS PACK]
        [--agents react,rules,echo,gold] [--skip-training]

FOLDER (build/tiny) keeps the checkpoint, so that an interrupted training goes on. `--n 0` measures nothing. The file
and its card go to models/tiny, the table into both pages docs/tiny-model*.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import batches
import convert
import evaluate
from rollouts import SEED
from train import DECAY, STEPS, train

from moot import open_run

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "models" / "tiny"
CELLS = {
    "known wordings": "新法域，训练过的措辞",
    "held-out wordings": "新法域，留出的措辞",
    "held-out paths": "新法域，留出的路径",
    "single rows, known wordings": "新法域，训练过的措辞，只取单行",
    "lists and counts, known wordings": "新法域，列名单与计数",
    "entities that do not exist": "不存在的对象（应答“未查到”）",
    "shipped pack, known wordings": "随附数据包，训练过的措辞",
    "shipped pack, wordings of the constructor": "随附数据包，构造器的措辞",
    "shipped pack, held-out wordings": "随附数据包，留出的措辞",
    "tasks that come with the pack": "随附数据包自带的题目",
    "real questions": "真实题目",
}
AGENTS = {"rules": "规则", "echo": "复述", "gold": "参照"}
HOPS = ("1-hop", "2-hop", "3-hop", "all")
HEADS = {
    "tiny-model.md": "题目 | 谁做 | 1 跳 | 2 跳 | 3 跳 | 全部 | 全部的 95% 区间 | 每格 n",
    "tiny-model.en.md": "tasks | agent | 1 hop | 2 hops | 3 hops | all | 95 % of all | n a cell",
}
"""Page of the docs -> the head of its table."""


def table(rows: Sequence[dict[str, Any]], page: str) -> str:
    """Success of each cell and agent by hops, in the language of a page."""
    lines = [HEADS[page], "|".join(["---"] * 8)]
    for cell, agent in dict.fromkeys((row["cell"], row["agent"]) for row in rows):
        by = {row["group"]: row for row in rows if (row["cell"], row["agent"]) == (cell, agent)}
        shares = " | ".join(f"{by[group]['success']:.2f}" if group in by else "–" for group in HOPS)
        low, high = by["all"]["interval"]
        n = " / ".join(str(by[group]["n"]) for group in HOPS[:3] if group in by)
        named = (cell, agent) if ".en." in page else (CELLS[cell], AGENTS.get(agent, agent))
        lines.append(f"{named[0]} | {named[1]} | {shares} | {low:.2f}–{high:.2f} | {n}")
    return "\n".join(f"| {line} |" if "---" not in line else f"|{line}|" for line in lines)


def write_pages(rows: Sequence[dict[str, Any]]) -> None:
    """Put the table between its marks in both pages."""
    for page in HEADS:
        path = ROOT / "docs" / page
        before, _, rest = path.read_text(encoding="utf-8").partition("<!-- success -->\n")
        _, end, after = rest.partition("\n<!-- end -->")
        path.write_text(f"{before}<!-- success -->\n{table(rows, page)}{end}{after}", encoding="utf-8")


def kinds(model: Path, place: Path) -> Iterator[tuple[str, str, list[str]]]:
    """The kinds of questions that the model knows, each with one that it has answered rightly, and the keys of its
    answer."""
    listed = tomllib.loads(Path(__file__).with_name("examples.toml").read_text(encoding="utf-8"))["kinds"]
    asked = [(kind["name"], one["question"], one["keys"]) for kind in listed for one in kind["asked"]]
    place.mkdir(parents=True, exist_ok=True)
    with evaluate.home(place):
        path, out = place / "kinds.json", place / "kinds.run"
        out.unlink(missing_ok=True)
        lines = [{"id": f"k{n}", "asked": True, "question": question} for n, (_, question, _) in enumerate(asked)]
        path.write_text(json.dumps(lines, ensure_ascii=False), encoding="utf-8")
        if not (place / "packs" / "sample").exists():
            evaluate.command("data", "build", "sample")
        evaluate.run("react", str(model.resolve()), path, "sample", out)
        told = {one.task: one.answer for one in open_run(out).episodes}
    right = [one for n, one in enumerate(asked) if all(key in told[f"k{n}"] for key in one[2])]
    for name in dict.fromkeys(name for name, _, _ in right):
        yield next(one for one in right if one[0] == name)


def card(
    model: Path,
    digest: str,
    known: Sequence[tuple[str, str, list[str]]],
    training: dict[str, Any],
    figures: dict[str, Any],
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
    for kind, example, keys in known:
        lines += ["", "[[kinds]]", f"name = {text(kind)}", f"example = {text(example)}", f"keys = {text(keys)}"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "tiny")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--decay", type=int, default=DECAY)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--agents", default="react,rules,echo,gold")
    parser.add_argument(
        "--real", nargs=2, default=(), metavar=("TASKS", "PACK"), help="questions of yours, measured too"
    )
    parser.add_argument("--skip-training", action="store_true", help="take the checkpoint as it is")
    given = parser.parse_args()
    if not given.skip_training:
        train(given.folder, given.steps, given.decay)
    weights, shape, words, done = convert.trained(given.folder)
    OUT.mkdir(exist_ok=True)
    model = OUT / f"{convert.NAME}.gguf"
    digest = convert.write(model, weights, shape, words)
    agents = [a for a in given.agents.split(",") if a]
    found = evaluate.evaluate(model, given.n, agents, given.real, given.folder / "measured") if given.n else []
    training = {
        "seed": SEED, "steps": int(done["step"]), "cpu_minutes": round(done["cpu"] / 60, 1),
        "clock_minutes": round(done["seconds"] / 60, 1), "tokens": int(done["tokens"]),
        "own_tokens": int(done["own"]),
        "parameters": int(sum(value.size for value in weights.values())),
        "jurisdictions": 2 * (int(done["chunk"]) - 1),
        "wordings_sha256": hashlib.sha256((given.folder / "wordings.toml").read_bytes()).hexdigest(),
        "quantised": "Q8_0",
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
        write_pages(found)
        print(table(found, "tiny-model.en.md"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{model}: {model.stat().st_size} bytes, sha256 {digest}; peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
