"""What the tested seat of a court may look up: statutes by search, one article, cases; as of the day of the case.

Nothing here raises for what a model wrote: arguments of any shape give an answer or a plain sentence. Days are
calendar days.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from store.pack import Pack
from store.search import search_documents
from store.search.law_search import Hit, LawSearch, Settings
from store.statutes.book import Answer, Found, Gap, NoText, NotYet, Repealed, StatuteBook, Unknown
from store.statutes.model import Article, ArticleNumber, LawVersion
from store.text.citation import parse_number
from store.text.dates import plain_date
from tasks.episode.plain import plain_text
from tasks.legalsearch.toolbox import Returned, told

CASES = "LegalCases"
"""The corpus of judgments of a pack."""
HITS = 5
DOCUMENTS = 3
LONGEST = 400
"""Characters of a query that are looked at."""
EXCERPT = 300
"""Characters of a text in a list of hits; the whole article is one call away."""
FOREVER = date.max
"""The day of a case without days: the last word of the book."""
STATES: Mapping[str, str] = {
    "in_force": "当日有效", "doubtful": "当日效力存疑", "amended": "当日已修改", "repealed": "当日已废止",
    "not_yet": "当日尚未施行", "unknown": "施行日期不明",
}  # fmt: skip


def texts_of(given: object, *names: str) -> tuple[str, ...] | None:
    """The named arguments as texts; numbers count as texts, a list as its first text. None where one is missing or
    blank."""
    found = []
    for name in names:
        value = given.get(name) if isinstance(given, Mapping) else given if len(names) == 1 else None
        value = value[0] if isinstance(value, list) and value else value
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        found.append(plain_text(text.strip()[:LONGEST]))
    return tuple(found) if all(found) else None


def search_law(search: LawSearch, query: str, day: date | None) -> Returned:
    """The five best articles, each with its window and what it was on the day."""
    answer = search.search(query, Settings(k=HITS, at=day))
    if not answer.hits:
        return Returned("no_data", "没有查到相关条文。", [])
    lines = [
        f"{number}. 《{hit.version.label}》{hit.article.number.chinese}（{_window(hit.version)}，"
        f"{_state(search.book, hit.version, day)}）：{_words(hit.article, EXCERPT)}"
        for number, hit in enumerate(answer.hits, 1)
    ]  # fmt: skip
    value = [_data(hit, search.book, day) for hit in answer.hits]
    return Returned("ok", "\n".join([*lines, *told(answer.notes)]), value, _provenance(answer.hits))


def show_law(search: LawSearch, law: str, article: str, day: date | None) -> Returned:
    """One article as it stood on the day, or a sentence on why there is none."""
    number = parse_number(article)
    if number is None:
        return Returned("call_error", f"“{article[:40]}”不是一个条次，请写成“第六百七十五条”。")
    entry = search.book.law(law.strip("《》 "))
    answer = search.book.on(entry.name if entry else law.strip("《》 "), number, day or FOREVER)
    status = "ok" if isinstance(answer, Found) else "no_data"
    provenance = (entry.provenance,) if entry else ()
    notes = search.book.uncertain([answer.version] if isinstance(answer, Found | NoText) else [], day)
    if (
        entry
        and isinstance(answer, Repealed)
        and (now := search.book.counterparts.of(entry.name, number, day or FOREVER))
    ):
        notes.append(f"counterpart:{entry.name}:{number.chinese}:{now.law}:{now.number.chinese}:{now.sure}")
    return Returned(
        status,
        "\n".join([_told(answer, number), *told(notes)]),
        {"answer": answer.kind, "number": number.key},
        provenance,
    )


def search_cases(pack: Pack, query: str) -> Returned:
    """The three best judgments of the pack."""
    found = [one for one in search_documents(pack, CASES, query, DOCUMENTS) if one.provenance != "authored"]
    if not found:
        return Returned("no_data", "没有查到相关文书。", [])
    lines = [f"{number}. {_short(' '.join(one.text.split()))}" for number, one in enumerate(found, 1)]
    value = [{"id": one.number, "text": one.text} for one in found]
    return Returned("ok", "\n".join(lines), value, tuple(sorted({one.provenance for one in found})))


def real_statutes(pack: Pack) -> bool:
    """Whether a pack holds statutes, none of them invented."""
    if not pack.manifest.counts.statutes:
        return False
    return all(law.provenance != "authored" for law in StatuteBook(pack).laws())


def real_cases(pack: Pack) -> bool:
    """Whether a pack holds judgments, and not only invented ones."""
    if not pack.manifest.counts.documents.get(CASES):
        return False
    sql = "SELECT 1 FROM document WHERE corpus = ? AND provenance != 'authored' LIMIT 1"
    return bool(pack.reader.all(sql, (CASES,)))


def _told(answer: Answer, number: ArticleNumber) -> str:
    """An answer of the statute book in a sentence."""
    say = _SENTENCES[type(answer)]
    return say(answer, number.chinese)


def _found(answer: Found, number: str) -> str:
    return f"《{answer.version.label}》{number}（{_window(answer.version)}）：{_words(answer.article)}"


def _no_text(answer: NoText, number: str) -> str:
    return f"《{answer.version.label}》{number}当日有效，但没有收录它的文本。"


def _not_yet(answer: NotYet, number: str) -> str:
    first = f"自{plain_date(answer.first.valid_from)}起施行的《{answer.first.label}》才有这一条。"
    if answer.current is not None:
        return f"当日施行的《{answer.current.label}》没有{number}；{first}"
    return f"该法当日尚未施行；{first}"


def _repealed(answer: Repealed, number: str) -> str:
    after = "、".join(dict.fromkeys(f"《{link.to_law}》" for link in answer.successors))
    last = f"最后规定{number}的是《{answer.last.label}》（{_window(answer.last)}）。"
    moved = f"其内容由{after}承接。" if after else ""
    if answer.current is not None:
        return f"当日施行的《{answer.current.label}》已经没有{number}；{last}{moved}"
    return f"该法当日已经废止；{last}{moved}"


def _gap(answer: Gap, number: str) -> str:
    near = "、".join(f"《{one.label}》（{_window(one)}）" for one in (answer.before, answer.after) if one)
    return f"所收录的版本没有一个包含当日，这是数据的缺口，不能给出{number}当日的文本；相邻的版本：{near}。"


def _unknown(answer: Unknown, number: str) -> str:
    if answer.what == "article":
        return f"《{answer.law}》没有{number}。"
    if answer.what == "days":
        return f"《{answer.law}》各版本的施行日期不明。"
    near = "、".join(f"《{name}》" for name in answer.near)
    return f"没有收录名为“{answer.law[:60]}”的法律。" + (f"名称相近的有{near}。" if near else "")


_SENTENCES: Mapping[type, Callable[[Any, str], str]] = {
    Found: _found, NoText: _no_text, NotYet: _not_yet, Repealed: _repealed, Gap: _gap, Unknown: _unknown,
}  # fmt: skip


def _data(hit: Hit, book: StatuteBook, day: date | None) -> dict[str, Any]:
    article, version = hit.article, hit.version
    return {
        "id": hit.id, "law": article.law, "label": article.label, "number": article.number.key, "text": article.text,
        "valid_from": _iso(version.valid_from), "valid_to": _iso(version.valid_to),
        "state": book.state(version, day or FOREVER), "kept": list(hit.kept),
    }  # fmt: skip


def _provenance(hits: tuple[Hit, ...]) -> tuple[str, ...]:
    return tuple(sorted({hit.provenance for hit in hits}))


def _state(book: StatuteBook, version: LawVersion, day: date | None) -> str:
    word = STATES[book.state(version, day or FOREVER)]
    return word if day else word.removeprefix("当日")


def _window(version: LawVersion) -> str:
    if version.valid_from is None:
        return "施行日期不明"
    last = f"至{plain_date(version.valid_to)}" if version.valid_to else "起"
    return f"{plain_date(version.valid_from)}{last}施行"


def _words(article: Article, most: int | None = None) -> str:
    if article.text is None:
        return "（没有收录文本）"
    title = f"【{article.title}】" if article.title else ""
    return title + (_short(" ".join(article.text.split()), most) if most else article.text)


def _short(text: str, most: int = EXCERPT) -> str:
    return f"{text[:most]}……" if len(text) > most else text


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
