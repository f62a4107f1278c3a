"""Search over statutes: p50 and p95 a question, beside a Python scan, as the pack grows.

Both contenders get the same questions in the same run, each in a process of its own, so that its memory is its own.
The packs are copies of one pack: every copy of an article begins at another place of its text. Contenders:

  moot     LawSearch: analysis, filters, all channels, fusion, hits
  scan     a Python scan over all rows: the same filters and channels, computed row by row from the texts

Goal at 10 times the rows: at least 10 times faster than scan. Times are milliseconds, memory MiB.

    python tests/bench/bench_search.py [--pack NAME_OR_PATH] [--sizes 1,10] [--full] [--questions 40]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
DATA = ROOT.parent / "shared" / "data" / "legalsearch_r1"
SLOW = 9
"""Questions that the scan gets of those of the search; the ratio is over these alone."""


def rows(pack: Any) -> Iterator[tuple[Any, ...]]:
    """id, law, first day, last day, number, sub, words of a row, from the database."""
    last = 0
    sql = (
        "SELECT a.id, l.name, v.valid_from, coalesce(v.valid_to, '9999-12-31'), a.number, a.sub,"
        " l.short || ' ' || a.part || ' ' || a.chapter || ' ' || a.section || ' ' || a.title || ' ' || "
        "coalesce(a.text, '')"
        " FROM articles a JOIN law_versions v ON v.id = a.version JOIN laws l ON l.id = v.law WHERE a.id > ? ORDER "
        "BY a.id LIMIT 20000"
    )
    while batch := pack.reader.all(sql, (last,)):
        yield from batch
        last = batch[-1][0]


# The packs.


def grow(source: str, times: int, name: str) -> dict[str, float]:
    """Build a pack with every law of the source `times` times; seconds by part."""
    from store.builder import PackBuilder
    from store.pack import Pack
    from store.statutes.book import StatuteBook
    from store.statutes.names import aliases_of

    parts: dict[str, float] = {}
    clock = [time.perf_counter(), "rows"]

    def turn(part: str) -> None:
        now = time.perf_counter()
        parts[clock[1]] = parts.get(clock[1], 0.0) + now - clock[0]
        clock[:] = [now, part]

    builder = PackBuilder(name, jurisdiction="XX", source="bench", licence="", coverage="complete", as_of="")
    with Pack.open(source) as pack:
        book = StatuteBook(pack)
        for law in book.laws():
            versions = [(version, book.articles(law.name, version.label)) for version in book.versions(law.name)]
            for copy in range(times):
                title = law.name if not copy else f"第{copy}区{law.short}"
                builder.add_law(replace(law, name=title, short=title if copy else law.short), aliases_of(title))
                for version, articles in versions:
                    label = version.label.replace(law.name, title)
                    moved = [replace(one, law=title, label=label, text=shifted(one.text, copy)) for one in articles]
                    builder.add_version(replace(version, law=title, label=label), moved)
    builder.finish(lambda phase, done, of: turn(phase) if phase != clock[1] else None)
    turn("")
    return parts


def shifted(text: str | None, copy: int) -> str | None:
    """The text from another place on, its beginning at its end."""
    if not text or not copy:
        return text
    place = 7 * copy % len(text)
    return text[place:] + text[:place]


def questions(source: str, count: int) -> list[str]:
    """Questions on articles of the pack: by law, number and day; by words and day; by words alone."""
    from store.pack import Pack

    with Pack.open(source) as pack:
        having = [row for row in rows(pack) if len(row[6]) > 120 and row[2]]
    random.seed(7)
    asked = []
    for place, row in enumerate(random.sample(having, min(count, len(having)))):
        _, law, first, _, number, sub, text = row
        year, month, day = first.split("-")
        start = random.randrange(20, len(text) - 60)
        words = text[start : start + 24].replace("\n", "")
        article = f"第{number}条" + (f"之{sub}" if sub else "")
        asked.append(
            (f"请写出{year}年{int(month)}月{int(day)}日有效的《{law}》{article}",
                f"{year}年{int(month)}月，{words}怎么处理", f"{words}，应当怎么办")[place % 3]
        )  # fmt: skip
    return asked


# The contenders: each makes a function from a question to rows, best first.


def moot(path: str) -> Callable[[str], Sequence[int]]:
    """Ours."""
    from store.pack import Pack
    from store.search.law_search import LawSearch

    search = LawSearch(Pack.open(path))
    search.search("热身")
    return lambda text: [hit.id for hit in search.search(text).hits]


def scan(path: str) -> Callable[[str], Sequence[int]]:
    """The same filters and channels row by row, in Python; indexes are not used, word weights are known
    beforehand."""
    from store.pack import Pack
    from store.search.documents import CONSTANT, FUSION, fuse
    from store.search.law_search import LawSearch
    from store.search.terms import matter
    from store.text.segment import words

    pack = Pack.open(path)
    search = LawSearch(pack)
    held = list(rows(pack))
    mean = statistics.fmean(len(row[6]) for row in held)
    weights: dict[str, float] = {}

    def weight(term: str) -> float:
        if term not in weights:
            holding = sum(term in row[6] for row in held)
            weights[term] = math.log1p((len(held) - holding + 0.5) / (holding + 0.5))
        return weights[term]

    def ask(text: str) -> Sequence[int]:
        query = search.analyse(text)
        terms = {word: weight(word) for word in words(text) if word not in matter().stop_words}
        pairs = {text[place : place + 2]: weight(text[place : place + 2]) for place in range(len(text) - 1)}
        spans = [(span.first.isoformat(), span.last.isoformat()) for span in query.spans]
        numbers = {(number.number, number.sub) for number in query.numbers}
        scored: dict[str, list[tuple[float, int]]] = {"exact": [], "keyword": [], "bm25": []}
        for row, law, first, last, number, sub, words_of in held:
            if spans and not any((first or "") <= end and last >= start for start, end in spans):
                continue
            if query.laws and law not in query.laws:
                continue
            if numbers and (number, sub) not in numbers:
                continue
            if numbers and query.laws:
                scored["exact"].append((0.0, row))
            norm = 1.2 * (0.25 + 0.75 * len(words_of) / mean)
            for name, wanted in (("bm25", terms), ("keyword", pairs)):
                score = 0.0
                for term, heavy in wanted.items():
                    if often := words_of.count(term):
                        score += heavy * often * 2.2 / (often + norm)
                if score:
                    scored[name].append((-score, row))
        ranked = {name: [row for _, row in sorted(found)[:100]] for name, found in scored.items()}
        return [row for row, _ in fuse(ranked, FUSION, CONSTANT)[:10]]

    return ask


CONTENDERS = {"moot": moot, "scan": scan}


def measure(name: str, path: str, asked: Sequence[str]) -> dict[str, Any]:
    """Milliseconds of each question, seconds until ready, memory at the peak."""
    began = time.perf_counter()
    ask = CONTENDERS[name](path)
    ready = time.perf_counter() - began
    if name == "scan":
        # Word weights belong to an index that is ready.
        for text in asked:
            ask(text)
    spent = []
    for text in asked:
        started = time.perf_counter()
        ask(text)
        spent.append(1000 * (time.perf_counter() - started))
    return {"ms": spent, "ready": ready, "peak": peak()}


def peak() -> float:
    """Most memory this process had, MiB. Linux tells it for the program; elsewhere what it was started from may
    count."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)


def in_process(*arguments: str, give: Any = None) -> Any:
    """Run one step of this file in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, *arguments], input=json.dumps(give), text=True, capture_output=True, check=False,
        encoding="utf-8"
    )  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    for line in done.stderr.splitlines():
        print(f"    {line}")
    return json.loads(done.stdout.splitlines()[-1])


def p(values: Sequence[float], share: float) -> float:
    """A percentile by nearest rank."""
    return sorted(values)[min(len(values) - 1, math.ceil(share * len(values)) - 1)]


def base_pack(home: Path, wanted: str | None) -> str:
    """The pack that is copied: the one named, else the development data where they are, else the sample."""
    from click.testing import CliRunner

    from app.cli.data import data

    if wanted:
        return wanted
    made = ["import", "legalsearch", str(DATA), "--name", "base"] if DATA.is_dir() else ["build", "sample"]
    done = CliRunner().invoke(data, made)
    if done.exit_code:
        sys.exit(done.output)
    return str(home / "packs" / ("base" if DATA.is_dir() else "sample"))


def run(options: argparse.Namespace, home: Path) -> int:
    """Print the table; 0 where the goal is met."""
    source = base_pack(home, options.pack)
    asked = questions(source, options.questions)
    sizes = [int(size) for size in options.sizes.split(",")] + ([100] if options.full else [])
    p50: dict[tuple[str, int], float] = {}
    missed = False
    for size in dict.fromkeys(sizes):
        parts = in_process("_grow", give=[source, size, f"times{size}"])
        path = home / "packs" / f"times{size}"
        articles = json.loads((path / "manifest.json").read_text(encoding="utf-8"))["counts"]["statutes"]
        stored = sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / 2**20
        told = ", ".join(f"{part} {seconds:.1f}" for part, seconds in parts["parts"].items() if seconds >= 0.05)
        print(
            f"{size}x: {articles} articles, {stored:.0f} MiB, built in {sum(parts['parts'].values()):.1f} s "
            f"({told}), peak {parts['peak']:.0f} MiB"
        )
        slow: dict[str, float] = {}
        for name in CONTENDERS:
            given = asked[:SLOW] if name == "scan" else asked
            found = in_process("_ask", give=[name, str(path), given])
            p50[name, size] = p(found["ms"], 0.5)
            slow[name] = p(found["ms"][:SLOW], 0.5)
            print(
                f"  {name:6} p50 {p50[name, size]:9.2f}  p95 {p(found['ms'], 0.95):9.2f}  n {len(given):3}  ready "
                f"in {found['ready']:6.1f} s  peak {found['peak']:6.0f}")  # fmt: skip
        ratio = slow["scan"] / slow["moot"]
        print(f"  times faster than scan {ratio:.1f}", flush=True)
        missed = missed or (size == 10 and ratio < 10)
    for low, high in zip(sizes, sizes[1:], strict=False):
        grown = {name: math.log(p50[name, high] / p50[name, low]) / math.log(high / low) for name in CONTENDERS}
        print(
            f"growth {low}x to {high}x, exponent: "
            + ", ".join(f"{name} {value:.2f}" for name, value in grown.items())
        )
    if missed:
        print("below the goal of 10 times the scan at 10x")
    return 1 if missed else 0


def main() -> int:
    """One step for a process of its own, or all of them."""
    if sys.argv[1:2] == ["_grow"]:
        parts = grow(*json.load(sys.stdin))
        print(json.dumps({"parts": parts, "peak": peak()}))
        return 0
    if sys.argv[1:2] == ["_ask"]:
        print(json.dumps(measure(*json.load(sys.stdin))))
        return 0
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--pack", help="the pack that is copied")
    reader.add_argument("--sizes", default="1,10")
    reader.add_argument("--full", action="store_true", help="100 times the rows as well")
    reader.add_argument("--questions", type=int, default=40)
    options, _ = reader.parse_known_args()
    if options.pack and not Path(options.pack).exists():
        from store import manifest as manifests

        options.pack = str(manifests.locate(options.pack))
    with tempfile.TemporaryDirectory() as home:
        os.environ["MOOT_HOME"] = home
        return run(options, Path(home))


if __name__ == "__main__":
    sys.exit(main())
