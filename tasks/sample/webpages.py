"""The web of the fictional jurisdiction: pages as a search engine would find them, many of them out of date on
purpose.

A page is a file under data/web: front matter, then its text. `states` names what it says rightly about a law on its
day (or on the day after `@`), `wrong` what it says wrongly: law, article, words of the article. Tests hold both
against the versions of the statute book; neither reaches the pack. `full_text` puts the text of one version after the
text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

from store.builder import PackBuilder
from store.importers.web.markdown import front_matter
from store.text.dates import plain_date
from tasks.sample.lawhistory import Version, histories

FOOT = "虚构数据：本页为评测编写，岚洲及其法律、机构、人物均不存在。"
_SOURCE = "虚构网页"


@dataclass(frozen=True, slots=True)
class Claim:
    """Words that an article has, or has not, on a day."""

    law: str
    number: str
    words: str
    day: date


@dataclass(frozen=True, slots=True)
class SamplePage:
    """One fictional page. day: None when it shows none; kind: what sort of page it is, in Chinese."""

    name: str
    url: str
    title: str
    day: date | None
    text: str
    kind: str
    states: tuple[Claim, ...]
    wrong: tuple[Claim, ...]

    @property
    def source(self) -> str:
        """Where the snapshot has it from."""
        return f"{_SOURCE}：{self.kind}"


@cache
def pages() -> tuple[SamplePage, ...]:
    """All pages, in the order of their files."""
    folder = files("tasks.sample").joinpath("data/web")
    return tuple(
        _page(entry.name.removesuffix(".md"), entry.read_text(encoding="utf-8"))
        for entry in sorted(folder.iterdir(), key=lambda path: path.name)
        if entry.name.endswith(".md")
    )


def add_pages(builder: PackBuilder) -> int:
    """Write the pages into a pack that is being built; gives their number."""
    for page in pages():
        builder.add_page(page.url, page.title, page.day, page.text, "authored", page.source)
    return len(pages())


def _page(name: str, content: str) -> SamplePage:
    fields, body = front_matter(content)
    day = date.fromisoformat(fields["date"]) if "date" in fields else None
    parts = [body.strip()]
    if label := fields.get("full_text"):
        parts.append(_full_text(label))
    text = "\n\n".join((*parts, FOOT))
    states = tuple(_claims(fields.get("states", ""), day))
    wrong = tuple(_claims(fields.get("wrong", ""), day))
    return SamplePage(name, fields["url"], fields["title"], day, text, fields["kind"], states, wrong)


def _claims(written: str, day: date | None) -> Iterator[Claim]:
    for one in filter(None, (part.strip() for part in written.split("|"))):
        said, _, other = one.partition(" @")
        law, number, words = said.split(" ", 2)
        on = date.fromisoformat(other) if other else day
        if on is None:
            raise ValueError(f"a page without a day must say on which day: {one}")
        yield Claim(law, number, words, on)


def _full_text(label: str) -> str:
    """A version as a collection of laws prints it: title, days, chapters, articles."""
    found: Version = next(one for law in histories() for one in law.versions if one.version.label == label)
    version = found.version
    adopted = f"（{plain_date(version.adopted)}通过　" if version.adopted else "（"
    lines = [
        version.label.replace("(", "（").replace(")", "）"),
        f"{adopted}自{plain_date(version.valid_from)}起施行）",
    ]
    chapter = ""
    for article in found.articles:
        if article.chapter != chapter:
            chapter = article.chapter
            lines.append(f"\n## {chapter}\n")
        title = f"（{article.title}）" if article.title else ""
        lines.append(f"{article.number.chinese}{title}　{article.text}")
    return "\n".join(lines)
