"""Saved pages: what each kind of file states, an account of every file, what hostile files come to. The snapshot of a
pack: search for any text, snippets, windows, days."""

from __future__ import annotations

import json
import os
import socket
import zipfile
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import manifest as manifests
from store import places
from store.builder import PackBuilder
from store.errors import BadInput, NotFound
from store.importers import silent
from store.importers.web.pages import decode, read_html, read_markdown
from store.pack import Pack, verify_pack
from store.web import MAX_WINDOWS, Page, WebSnapshot, cut
from tasks.registry import importer
from tests.support.typed import moot
from tests.support.web_pages import pages_of

pytestmark = pytest.mark.usefixtures("one_reader")

NAV = '<ul class="nav">' + "".join(f'<li><a href="/c{n}">栏目{n}</a></li>' for n in range(20)) + "</ul>"
BODY = "<p>当事人约定的违约金过分高于造成的损失的，人民法院可以根据请求予以适当减少。</p>" * 3


def html(head: str = "", body: str = BODY, title: str = "关于违约金的通知_某法院网") -> str:
    return (
        f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>{title}</title>{head}</head><body>"
        f"<div id='header'>{NAV}</div><div class='main'>{body}</div><div class='footer'>版权所有 "
        f"备案号</div></body></html>"
    )


def mhtml(page: str, *, top: str = "", part: str = "", extra: str = "") -> bytes:
    return (
        f"From: <Saved by Blink>\r\n{top}Subject: =?utf-8?B?5qCH6aKY?=\r\nDate: Tue, 5 Mar 2024 10:00:00 -0000\r\n"
        f"MIME-Version: 1.0\r\n"
        'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="----b"\r\n\r\n'
        f"------b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n{part}\r\n"
        f"{page}\r\n"
        f"{extra}------b--\r\n"
    ).encode()


def load(source: Path, name: str = "p") -> tuple[dict[str, Page], dict[str, Any]]:
    path = importer("web")(source, name, silent)
    assert verify_pack(name) == []
    with Pack.open(name) as pack:
        snapshot = WebSnapshot.of(pack)
        assert snapshot is not None and pack.counts()["pages"] == snapshot.pages
        snapshot.close()
        pages = {page.url: page for page in pages_of(pack)}
    report = json.loads((path / "web.json").read_text("utf-8"))
    assert sum(report["became"].values()) == report["files"] and report["pages"] == len(pages)
    return pages, report


def folder(root: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def test_every_kind_of_file_gives_a_page_or_a_reason(tmp_path: Path) -> None:
    source = folder(
        tmp_path / "s",
        **{
            "a.html": html(
                '<link rel="canonical" href="https://a.example/1?x=2#top"><meta name="PubDate" content="2019-03-05 '
                '10:22">'),
            "sub__b.mhtml": mhtml(html(), top="Snapshot-Content-Location: https://b.example/2\r\n"),
            "c.md": "---\nurl: https://c.example/3\ntitle: \"经济补偿\"\ndate: 2020年1月2日\ntags:\n  - x\n---\n"
            "# 别的\n\n正文一。\n",
            "d.jsonl": json.dumps({"url": "https://d.example/4", "title": "四", "date": "2021-01-01", "text": "文"})
            + "\n" + json.dumps({"url": "https://d.example/5", "html": html(), "date": None})
            + "\n" + json.dumps({"url": "https://d.example/6", "text": "x", "date": "2021-02-30"})
            + "\n" + json.dumps({"url": "https://d.example/7", "text": 5}) + "\n",
            "a_files__frame.html": html(), "a_files__x.js": "alert(1)", "notes.txt": "x", "empty.html": "",
            "script.html": "<html><body><script>document.write('x')</script></body></html>",
            "broken.jsonl": '{"url": \n',
        },
    )  # fmt: skip
    pages, report = load(source)
    assert set(pages) == {
        "https://a.example/1?x=2", "https://b.example/2", "https://c.example/3", "https://d.example/4",
        "https://d.example/5",
    }  # fmt: skip
    first = pages["https://a.example/1?x=2"]
    assert (first.title, first.day, first.source) == ("关于违约金的通知_某法院网", date(2019, 3, 5), "a.html")
    assert "适当减少" in first.text and "栏目" not in first.text and "版权" not in first.text
    third = pages["https://c.example/3"]
    assert (third.title, third.day, third.text) == ("经济补偿", date(2020, 1, 2), "# 别的\n\n正文一。")
    assert {page.provenance for page in pages.values()} == {"imported"}
    assert report["became"] == {
        "page": 3, "duplicate": 0, "conflict": 0, "refused": 3, "not_a_page": 3, "list_of_pages": 1,
    }  # fmt: skip
    assert report["lines"] == {"page": 2, "duplicate": 0, "conflict": 0, "refused": 2}
    assert set(report["refused"]) == {
        "empty.html",
        "script.html",
        "broken.jsonl",
        "d.jsonl, line 3",
        "d.jsonl, line 4",
    }
    assert (
        "2021-02-30" in report["refused"]["d.jsonl, line 3"]
        and "text is no text" in report["refused"]["d.jsonl, line 4"]
    )
    assert set(report["not_a_page"]) == {"a_files/frame.html", "a_files/x.js", "notes.txt"}
    assert "saved page a.html" in report["not_a_page"]["a_files/frame.html"]


@pytest.mark.parametrize(
    ("head", "url"),
    [
        ('<link rel="canonical" href="https://a.example/x"><meta property="og:url" content="https://a.example/y">',
            "https://a.example/x"),
        ('<meta property="og:url" content="http://A.example:80/y">', "http://a.example/y"),
        ('<meta name="Url" content="www.a.example/y">', None),
        ('<base href="https://a.example/dir/"><link rel="canonical" href="x.html">', "https://a.example/dir/x.html"),
        ('<!-- saved from url=(0020)https://s.example/q -->', "https://s.example/q"),
        ('<!--\n Page saved with SingleFile \n url: https://s.example/z \n-->', "https://s.example/z"),
        ('<!-- saved from url=(0020)https://s.example/q --><link rel="canonical" href="/r">', "https://s.example/r"),
        ('<!-- saved from url=(0020)https://s.example/q --><link rel="canonical" href="https://evil.example/r">',
            "https://s.example/q"),
        ('<link rel="canonical" href="file:///etc/passwd">', None),
        ('<link rel="canonical" href="javascript:alert(1)">', None),
    ],
)  # fmt: skip
def test_the_address_that_a_page_states(head: str, url: str | None) -> None:
    assert read_html(html(head).encode(), "x.html").url == url


@pytest.mark.parametrize(
    ("head", "body", "day"),
    [
        ('<meta property="article:published_time" content="2019-03-05T23:59:00Z">', "", date(2019, 3, 5)),
        ('<meta name="publishdate" content="20190305">', "", date(2019, 3, 5)),
        ('<meta name="date" content="0001-01-01"><meta name="pubdate" content="2019/3/5">', "", date(2019, 3, 5)),
        ('<meta name="pubdate" content="2019-02-30">', "<p>发布时间：2018-01-02</p>", date(2018, 1, 2)),
        ('<script type="application/ld+json">{"@graph":[{"datePublished":"2020-01-02"}]}</script>', "",
            date(2020, 1, 2)),
        ('<script type="application/ld+json">{broken</script>', "", None),
        ("", '<time pubdate datetime="2020-01-03">x</time>', date(2020, 1, 3)),
        ("", "<div>来源：本网 发布日期： 2015年7月8日 浏览</div>", date(2015, 7, 8)),
        ("", "<div>发布时间：二〇一五年七月八日</div>", date(2015, 7, 8)),
        ("", "<div>开庭时间：2015年7月8日</div><p>本法自2014年1月1日起施行。</p>", None),
    ],
)  # fmt: skip
def test_the_day_that_a_page_states(head: str, body: str, day: date | None) -> None:
    assert read_html(html(head, body + BODY).encode(), "x.html").day == day


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ('<meta name="ArticleTitle" content="甲">', "", "甲"),
        ('<meta property="og:title" content=" 乙\n丙 ">', "", "乙 丙"),
        ("", "<h1>关于违约金的通知</h1>", "关于违约金的通知"),
    ],
)
def test_the_title_that_a_page_states(head: str, body: str, title: str) -> None:
    assert read_html(html(head, body + BODY).encode(), "x.html").title == title


def test_short_and_long_texts_are_read_without_menus() -> None:
    short = read_html(html(body="<h1>开庭公告</h1><div>本院定于三月五日开庭。</div>").encode(), "x")
    assert "本院定于三月五日开庭" in short.text and "栏目" not in short.text
    table = read_html(html(body=BODY + "<table><tr><td>标的额</td><td>50元</td></tr></table>").encode(), "x").text
    assert "标的额" in table and "50元" in table


@pytest.mark.parametrize("evil", ["<script>EVIL()</script>", "<style>.EVIL{}</style>", "<p onclick='EVIL()'>x</p>",
    "<!-- EVIL -->", "<template><p>EVIL</p></template>", "<iframe srcdoc='<p>EVIL</p>'></iframe>",
    "<svg><script>EVIL</script></svg>", "<script>EVIL", "<a href='javascript:EVIL()'>x</a>"])  # fmt: skip
def test_what_runs_never_reaches_the_text(evil: str) -> None:
    assert "EVIL" not in read_html(html(body=BODY + evil).encode(), "x").text
    for text in (
        f"正文。\n\n{evil}\n\n",
        f"正文。<scr<script></script>ipt>{evil}",
        f"正文。[x](javascript:EVIL) {evil}",
    ):
        page = read_markdown(text.encode(), "x")
        assert "正文" in page.text and "<" not in page.text and "javascript" not in page.text
    if "<p>EVIL</p>" not in evil and "'<" not in evil:
        assert "EVIL" not in read_markdown(f"正文。\n\n{evil}\n".encode(), "x").text


def test_nothing_is_fetched_and_no_entity_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **more: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    page = (
        f'<!DOCTYPE html [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY y SYSTEM '
        f'"http://127.0.0.1:9/">]><html><head>'
        '<link rel="stylesheet" href="http://127.0.0.1:9/x.css"><base href="http://127.0.0.1:9/"></head>'
        f"<body><img src='http://127.0.0.1:9/x'><p>实体&x;和&y;</p>{BODY}</body></html>"
    )
    pages, _ = load(
        folder(tmp_path / "s", **{"a.html": page, "b.mhtml": mhtml(page), "c.xhtml": '<?xml version="1.0"?>' + page})
    )
    assert all("SECRET" not in one.text and "适当减少" in one.text for one in pages.values())


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (html().replace("utf-8", "gb2312").encode("gb18030"), "适当减少"),
        (html().replace("<meta charset='utf-8'>", "").encode("gb18030"), "适当减少"),
        (html().replace("utf-8", "iso-8859-1").encode("gb18030"), "适当减少"),
        (html().replace("utf-8", "no-such-charset").encode("gb18030"), "适当减少"),
        (html().encode("utf-8-sig"), "适当减少"),
        (html().encode("utf-16"), "适当减少"),
        (html().replace("utf-8", "big5").replace("损", "損").encode("big5", "replace"), "損失"),
        (html().encode() + b"\xff\xfe", "适当减少"),
    ],
)
def test_encodings(data: bytes, found: str) -> None:
    assert found in read_html(data, "x.html").text


def test_what_cannot_be_decoded_is_named() -> None:
    assert "could not be read" in decode(html().encode() + b"\xff\xfe", "x")[1]
    with pytest.raises(BadInput, match="x is no text"):
        decode(b"\0\1\2\3" * 100, "x")
    with pytest.raises(BadInput, match="x is no text in UTF-8"):
        decode(b"\xff\xff\x80" * 100, "x")


STATED = {
    "a.mht": ("Snapshot-Content-Location: https://b.example/2\r\n", "Content-Location: https://b.example/9\r\n"),
    "b.mht": ("", "Content-Location: https://b.example/3\r\n"),
    "c.mht": ("", "Content-Location: ../../../../etc/passwd\r\n"),
    "d.mht": ("", "Content-Location: file:///C:/Users/x/page.html\r\n"),
    "e.mht": ("Snapshot-Content-Location: file:///etc/passwd\r\n", "Content-Location: \\\\server\\share\\x\r\n"),
    "页 1.mht": ("", 'Content-Disposition: attachment; filename="../../evil.html"\r\n'),
}
"""Archives by what their heads say of their address."""


def test_addresses_of_archives_are_of_the_web_or_none_and_what_is_no_page_is_named(tmp_path: Path) -> None:
    archives = {f"in__{name}": mhtml(html(), top=top, part=part) for name, (top, part) in STATED.items()}
    bad: dict[str, str | bytes] = {
        "none.mhtml": b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n"
        b"Content-Type: image/png\r\n\r\nx\r\n--b--\r\n",
        "deep.html": html(body="<div>" * 50_000 + "深" + "</div>" * 50_000),
    }
    pages, report = load(folder(tmp_path / "s", **archives, **bad))
    local = {f"local:in/{name}" for name in ("c.mht", "d.mht", "e.mht", "页%201.mht")}
    assert set(pages) == {"https://b.example/2", "https://b.example/3", *local}
    assert report["local_addresses"] == 4 and len(report["remarks"]) == 3
    assert set(report["refused"]) == set(bad) and "no HTML part" in report["refused"]["none.mhtml"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s"]


def test_one_address_is_one_page_and_the_newest_day_counts(tmp_path: Path) -> None:
    def page(text: str, day: str) -> str:
        return f"---\nurl: https://a.example/1\n{day}\n---\n{text}\n"

    pages, report = load(
        folder(
            tmp_path / "s",
            **{
                "1.md": page("旧文。", "date: 2013-01-01"), "2.md": page("新文。", "date: 2020-01-01"),
                "3.md": page("无日。", ""),
                "4.md": page("新文。", "date: 2020-01-01"), "5.md": page("中文。", "date: 2015-01-01"),
            },
        )
    )  # fmt: skip
    assert [(one.text, one.day, one.source) for one in pages.values()] == [("新文。", date(2020, 1, 1), "2.md")]
    assert (
        report["became"]["page"] == 1
        and set(report["conflict"]) == {"1.md", "3.md", "5.md"}
        and list(report["duplicate"]) == ["4.md"]
    )
    assert (
        report["conflict"]["1.md"] == "https://a.example/1: 2.md counts, another text (2020-01-01 against 2013-01-01)"
    )


def zipped(tmp_path: Path, members: dict[str, str]) -> Path:
    path = tmp_path / "pages.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def leaving_link(tmp_path: Path) -> Path:
    source = folder(tmp_path / "s", **{"a.html": html()})
    (tmp_path / "outside.html").write_text(html())
    os.symlink(tmp_path / "outside.html", source / "b.html")
    return source


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda tmp: folder(tmp / "s", **{"x.png": b"\x89PNG"}), "holds no web page"),
        (lambda tmp: folder(tmp, **{"x.docx": b"\0\1"}) / "x.docx", "holds no web page"),
        (lambda tmp: zipped(tmp, {"a.html": html(), "../evil.html": html()}), "would leave the folder"),
        (leaving_link, "a link that leads outside"),
    ],
)  # fmt: skip
def test_bad_sources_leave_nothing(tmp_path: Path, make: Callable[[Path], Path], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        importer("web")(make(tmp_path), "p", silent)
    assert not places.packs().exists() or list(places.packs().iterdir()) == []
    with pytest.raises(NotFound):
        importer("web")(tmp_path / "nowhere", "p", silent)


def test_a_zip_and_a_single_file(tmp_path: Path) -> None:
    pages, _ = load(zipped(tmp_path, {"top/a.html": html(), "top/sub/b.md": "---\ntitle: 乙\n---\n正文。"}))
    assert set(pages) == {"local:a.html", "local:sub/b.md"} and pages["local:sub/b.md"].title == "乙"
    one, _ = load(folder(tmp_path, **{"single.md": "# 标题\n\n正文。"}) / "single.md")
    assert [(page.url, page.title) for page in one.values()] == [("local:single.md", "标题")]


def test_the_command_prints_the_report(tmp_path: Path) -> None:
    source = folder(tmp_path / "s", **{"a.html": html(), "b.html": "<html></html>"})
    entry = moot("data", "import", "web", source, "--name", "snap", "--json").data
    assert entry["pages"] == 1 and entry["seconds"] and entry["import"]["became"]["refused"] == 1
    assert "b.html" in entry["import"]["refused"]
    assert [(pack["name"], pack["pages"]) for pack in moot("data", "list", "--json").data["packs"]] == [("snap", 1)]
    assert "1 个网页" in moot("data", "list").out


PAGES = (
    ("https://a.example/1", "违约金的新规则", date(2019, 3, 5),
        "约定的违约金过分高于损失的，可以请求适当减少。\n\n另见定金。"),
    ("https://a.example/2", "定金与押金", date(2013, 1, 1), "定金不得超过主合同标的额的百分之二十。违约金见另页。"),
    ("https://b.example/x?id=3", "论坛：试用期", None, "试用期最长六个月，违约金一般不能约定。"),
)  # fmt: skip


def built(pages: tuple[tuple[str, str, date | None, str], ...] = PAGES, name: str = "web") -> Path:
    with PackBuilder(name, jurisdiction="x", source="x", licence="", coverage="harvest", as_of="") as builder:
        for url, title, day, text in pages:
            builder.add_page(url, title, day, text, "imported", "a test")
    return places.packs() / name


@pytest.fixture(scope="module")
def path(home: Path) -> Path:
    return built()


@pytest.fixture(scope="module")
def snapshot(path: Path) -> Iterator[WebSnapshot]:
    with Pack.open(path) as pack:
        found = WebSnapshot.of(pack)
        assert found is not None
        with found:
            yield found


def test_pages_are_counted_verified_and_found_again(path: Path, snapshot: WebSnapshot) -> None:
    assert snapshot.pages == 3 and verify_pack(path) == []
    with Pack.open(path, verify=True) as pack:
        assert pack.counts()["pages"] == 3 and pack.provenance == {"imported"}
        assert [found.id for found in pages_of(pack)] == [1, 2, 3], "ids follow the addresses"
    page = snapshot.page("https://a.example/1")
    assert page is not None and (page.title, page.day, page.source) == ("违约金的新规则", date(2019, 3, 5), "a test")
    assert snapshot.page("https://a.example/1/") == snapshot.page("HTTPS://A.example:443/1#top") == page
    assert snapshot.page("https://a.example/9") is None and snapshot.page("\ud800' OR 1") is None


def test_search_ranks_by_title_and_text_and_shows_where(snapshot: WebSnapshot) -> None:
    hits = snapshot.search("违约金过高怎么减少")
    assert [hit.rank for hit in hits] == [1, 2, 3] and hits[0].page.url == "https://a.example/1"
    assert "违约金" in hits[0].snippet and hits[0].page.text == "" and hits[0].score > hits[1].score
    assert [hit.page.url for hit in snapshot.search("定金", k=1)] == ["https://a.example/2"]
    assert snapshot.search("押") and snapshot.search("", k=3) == [] and snapshot.search("定金", k=0) == []


def test_pages_published_later_or_without_a_day_are_hidden_on_demand(snapshot: WebSnapshot) -> None:
    def urls(before: date | None) -> set[str]:
        return {hit.page.url for hit in snapshot.search("违约金", before=before)}

    assert len(urls(None)) == 3
    assert urls(date(2019, 3, 5)) == {"https://a.example/1", "https://a.example/2"}
    assert urls(date(2019, 3, 4)) == {"https://a.example/2"} and urls(date(2000, 1, 1)) == set()
    assert {hit.page.url for hit in snapshot.search("约", before=date(2019, 3, 4))} <= {"https://a.example/2"}


@given(st.text(alphabet="甲。乙\n！a", max_size=300), st.integers(1, 50))
def test_windows_are_verbatim(text: str, size: int) -> None:
    pieces = cut(text, size)
    assert "".join(pieces) == text and all(len(piece) <= size for piece in pieces)
    assert len(pieces) == 1 or all(pieces)


def test_windows_end_with_paragraphs_then_sentences(snapshot: WebSnapshot) -> None:
    assert cut("一二三四五六。\n七八九。十", 9) == ["一二三四五六。\n", "七八九。十"]
    assert cut("一二三四。五六七八九", 8) == ["一二三四。", "五六七八九"]
    assert cut("一" * 10, 4) == ["一" * 4, "一" * 4, "一" * 2]
    page = snapshot.page("https://a.example/1")
    assert page is not None and len(snapshot.windows(page, size=2)) == MAX_WINDOWS
    assert "".join(snapshot.windows(page, size=2, most=None)) == page.text
    with pytest.raises(ValueError):
        snapshot.windows(page, size=0)


def test_the_same_pages_give_the_same_bytes_in_any_order() -> None:
    one = manifests.read(built(name="one"))
    other = manifests.read(built(PAGES[::-1], "other"))
    assert one.files["web.db"] == other.files["web.db"] and one.hash == other.hash


@pytest.mark.parametrize(
    ("url", "text", "message"),
    [
        ("file:///etc/passwd", "x", "no address"),
        ("https://a.example/#x", "x", "no address"),
        ("https://user:secret@a.example/", "x", "no address"),
        ("https://a.example/9", " \n", "no text"),
        ("https://a.example/9", "\ud800", "not valid Unicode"),
        ("https://a.example/1", "x", "Two pages have the address"),
    ],
)
def test_bad_pages_are_refused_and_leave_nothing(url: str, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        built((*PAGES, (url, "t", None, text)))
    assert list(places.packs().iterdir()) == []


def test_a_pack_without_pages_has_no_snapshot() -> None:
    path = built(())
    content = json.loads((path / manifests.FILE).read_text("utf-8"))
    assert content["counts"]["pages"] == 0 and not (path / "web.db").exists()
    with Pack.open("web", verify=True) as pack:
        assert WebSnapshot.of(pack) is None and pack.counts()["pages"] == 0
