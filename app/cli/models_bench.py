"""`moot models bench` and `moot models embed`: what a local model costs here, and vectors of texts. Results on
stdout."""

from __future__ import annotations

import io
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import click

from app.cli.data import Talk
from app.cli.tables import Data
from app.strings import t
from app.terminal import clean, json_text, pad
from store import places
from store.errors import BadInput
from store.files import read_whole, text_of, written_whole
from tasks.errors import UsageError

_WIDTHS = (22, 12, 12)
_MOST = 1 << 28
"""Bytes of the texts that are embedded at once."""
CLIENTS = ("chat_api", "stateless")
NOISY = 1.3
"""Highest ratio of the repeats over the lowest, above which the machine was not at rest."""


@click.command()
@click.argument("file")
@click.option(
    "--turns", type=click.IntRange(1, 200), default=None, help="Turns of the hearing. [default: 20, quick: 6]"
)
@click.option("--seats", type=click.IntRange(1, 6), default=3, show_default=True, help="Seats of the hearing.")
@click.option(
    "--repeats", type=click.IntRange(1, 99), default=None, help="Interleaved repeats. [default: 7, quick: 3]"
)
@click.option("--threads", type=click.IntRange(1, 256), default=None, help="Threads; default: cores less one.")
@click.option("--quick", is_flag=True, help="Shorter texts and fewer repeats: a look, not a measurement.")
@click.option("--json", "json_wanted", is_flag=True, help="Print JSON.")
def bench(
    file: str, turns: int | None, seats: int, repeats: int | None, threads: int | None, quick: bool, json_wanted: bool
) -> None:
    """Measure a model FILE (or a name of the library) beside plain llama.cpp in the same run.

    Only ratios say something; seconds depend on the machine and on what else it does. Leave it alone meanwhile.

    \b
    Example: moot models bench qwen.gguf --json
    \b
    JSON keys:
      engine         file, hash, build, context, threads
      sizes          what was measured
      prompt_tokens  a hearing of --seats seats and --turns turns: `new` are the
                     prompt tokens a seat had not seen, counted from the record;
                     `engine`, `chat_api` (llama-cpp-python) and `stateless`
                     give evaluated tokens, their `ratio` to `new`, milliseconds.
                     `append_only` is false where the template rewrites history
      prefill        reading: tokens a second of engine and plain loop, `ratio`
      decode         speaking, likewise
      parallel       n calls decoding together: `ratio` to the plain batched
                     loop, `relative` to one call of ours
      overhead       `share` of a turn that is no model work, through scheduler
                     and journal; `scheduler_share` is theirs alone
    Every ratio has median, low and high of the repeats. The speeds are kept
    for `moot run --dry-run`.
    """  # noqa: D301
    from models.llama import bench as parts
    from models.llama.library import resolve
    from tasks.run.overhead import overhead
    from tasks.run.speeds import keep

    given = {"turns": turns, "repeats": repeats, "threads": threads, "seats": seats}
    chosen = {name: value for name, value in given.items() if value is not None}
    wanted: dict[str, Any] = {**(parts.QUICK if quick else {}), **chosen}
    sizes = replace(parts.Sizes(), **wanted)
    library = places.models()
    path = resolve(file, library)
    header, context = parts.check(path, sizes)
    talk = Talk()

    def tell(phase: str, done: int, total: int) -> None:
        talk(t(f"bench.{phase}"), done, total)

    try:
        with (
            parts.pair(path, sizes, context=context, streams=sizes.seats, library=library) as both,
            _folder() as folder,
        ):
            found: Data = {
                "engine": parts.described(both.engine),
                "sizes": parts.sizes_data(sizes, context),
            }
            found["prompt_tokens"] = parts.prompt_tokens(both, header, sizes, tell)
            found |= parts.single(both, sizes, tell)
            found["overhead"] = overhead(
                both.engine, both.raw, folder, turns=sizes.turns, seats=sizes.seats, speech=sizes.speech,
                tell=lambda done: tell("overhead", done, sizes.turns),
            )  # fmt: skip
        found["parallel"] = parts.parallel(path, header, sizes, tell, library)
    finally:
        talk.close()
    keep(found)
    if json_wanted:
        click.echo(json_text(found))
        return
    for line in _table(found):
        click.echo(clean(line, multiline=False))


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder for the journal, where runs are kept: the same disk, so the same cost."""
    places.cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=places.cache(), prefix="bench-") as name:
        yield Path(name)


def _table(found: Data) -> list[str]:
    engine, prompts = found["engine"], found["prompt_tokens"]
    lines = [
        f"{engine['file']} · {engine['architecture']} · {engine['quantisation']} · "
        f"{t('bench.threads', n=engine['threads'])}",
        "",
        _row(t("bench.prompt_tokens"), t("bench.evaluated"), t("bench.per_new")),
    ]
    for name in ("engine", *CLIENTS):
        data = prompts[name]
        cells = (str(data["evaluated"]), f"{data['ratio']:.2f}") if "ratio" in data else ("–", "–")
        lines.append(_row(t(f"bench.{name}"), *cells))
    lines.append(t("bench.new", n=prompts["new"], turns=prompts["turns"], seats=prompts["seats"]))
    if not prompts["append_only"]:
        lines.append(t("bench.rewrites"))
    lines += [t("bench.failed", reason=prompts[name]["failed"]) for name in CLIENTS if "failed" in prompts[name]]
    lines += ["", _row(t("bench.speed"), t("bench.engine"), "llama.cpp") + "  " + t("bench.ratio")]
    for name in ("prefill", "decode"):
        lines.append(_speed_row(t(f"bench.{name}"), found[name]))
    for row in found["parallel"]:
        relative = t("bench.relative", x=f"{row['relative']['median']:.2f}") if row["n"] > 1 else ""
        lines.append(f"{_speed_row(t('bench.together', n=row['n']), row)}  {relative}".rstrip())
    ratios = [data["ratio"] for data in (found["prefill"], found["decode"], *found["parallel"])]
    if any(ratio["high"] > NOISY * ratio["low"] for ratio in ratios):
        lines.append(t("bench.noisy"))
    share, times = found["overhead"]["share"], found["overhead"]["milliseconds"]
    lines += ["", t("bench.overhead_line", share=f"{share['median']:.1%}", low=f"{share['low']:.1%}",
                    high=f"{share['high']:.1%}", ms=f"{times['scheduler']:.1f}")]  # fmt: skip
    return lines


def _row(label: str, *cells: str) -> str:
    return pad(label, _WIDTHS[0]) + "".join(
        pad(cell, width, align="right") for cell, width in zip(cells, _WIDTHS[1:], strict=True)
    )


def _speed_row(label: str, data: Data) -> str:
    ratio = data["ratio"]
    cells = f"{data['tokens_per_second']:.1f}", f"{data['raw_tokens_per_second']:.1f}"
    return f"{_row(label, *cells)}  {ratio['median']:.2f} ({ratio['low']:.2f}–{ratio['high']:.2f})"


@click.command()
@click.argument("file")
@click.option("--text", "texts", multiple=True, help="A text; may be given several times.")
@click.option("--input", "source", type=click.Path(path_type=Path), default=None,
    help="JSONL, one object with `text` a line; - is standard input.")  # fmt: skip
@click.option("--pooling", type=click.Choice(["none", "mean", "cls", "last"]), default=None,
    help="One vector a text, or none: one a token. Default: as the file says, else mean.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), default=None,
    help="FILE.jsonl or FILE.npy; default: JSONL on standard output.")  # fmt: skip
@click.option("--threads", type=click.IntRange(1, 256), default=None, help="Threads; default: cores less one.")
@click.option("--json", "json_wanted", is_flag=True,
    help="Print JSON: pooling, width, number of vectors; and the vectors unless --out.")  # fmt: skip
def embed(
    file: str, texts: tuple[str, ...], source: Path | None, pooling: str | None, out: Path | None,
    threads: int | None,
    json_wanted: bool,
) -> None:  # fmt: skip
    """Vectors of texts from a model FILE (or a name of the library).

    A line of the output is {"text", "vector"}, or {"text", "vectors"} with --pooling none. FILE.npy holds one row a
    text (a token with --pooling none, texts in order) as 32-bit floats.

    Example: moot models embed bge.gguf --text 合同解除 --json
    """
    from models.llama.engine import embed_file
    from models.llama.library import resolve

    if out is not None and out.suffix not in (".jsonl", ".npy"):
        raise UsageError(f"--out {out.name} is neither .jsonl nor .npy", "The ending says the form.")
    wanted = [*texts, *(_texts_of(source) if source is not None else [])]
    if not wanted:
        raise UsageError("There is no text to embed", "Give --text or --input.")
    blank = next((number for number, text in enumerate(wanted, 1) if not text.strip()), 0)
    if blank:
        raise UsageError(f"Text {blank} is empty", "There is nothing to embed in it; leave it out.")
    made = embed_file(resolve(file, places.models()), wanted, pooling, threads=threads or 0)
    vectors = made["vectors"]
    if out is not None:
        _write(out, wanted, vectors, made["pooling"])
    facts = {"pooling": made["pooling"], "width": made["width"], "vectors": _count(vectors, made["pooling"])}
    if json_wanted:
        click.echo(
            json_text(facts if out is not None else {**facts, "texts": _rows(wanted, vectors, made["pooling"])})
        )
    elif out is None:
        for row in _rows(wanted, vectors, made["pooling"]):
            click.echo(json_text(row))
    if out is not None and not json_wanted:
        click.echo(
            clean(t("bench.embedded", n=facts["vectors"], width=facts["width"], file=str(out)), multiline=False),
            err=True,
        )


def _texts_of(source: Path) -> list[str]:
    """The `text` of every line."""
    name = "standard input" if str(source) == "-" else str(source)
    raw = sys.stdin.buffer.read(_MOST + 1) if str(source) == "-" else read_whole(source, _MOST)
    if len(raw) > _MOST:
        raise BadInput(f"{name} is larger than {_MOST:,} bytes", "Is it the file that you mean?")
    lines = text_of(name, raw).split("\n")
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        text = row.get("text") if isinstance(row, dict) else row
        if not isinstance(text, str):
            raise BadInput(f"{name}, line {number} has no text", 'A line is {"text": "…"} or "…".')
        found.append(text)
    return found


def _rows(texts: Sequence[str], vectors: Sequence[Any], pooling: str) -> list[Data]:
    key = "vectors" if pooling == "none" else "vector"
    return [{"text": text, key: vector} for text, vector in zip(texts, vectors, strict=True)]


def _count(vectors: Sequence[Any], pooling: str) -> int:
    return sum(map(len, vectors)) if pooling == "none" else len(vectors)


def _write(out: Path, texts: Sequence[str], vectors: Sequence[Any], pooling: str) -> None:
    with written_whole(out, binary=True) as file:
        if out.suffix == ".npy":
            return _write_numpy(file, vectors, pooling)
        for row in _rows(texts, vectors, pooling):
            file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")


def _write_numpy(file: IO[bytes], vectors: Sequence[Any], pooling: str) -> None:
    import numpy as np

    rows = [vector for text in vectors for vector in text] if pooling == "none" else vectors
    made = io.BytesIO()  # numpy writes to files by itself, and says "4968 written" of a full disk
    np.save(made, np.asarray(rows, dtype=np.float32))
    file.write(made.getbuffer())
