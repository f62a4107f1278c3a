"""Headings, articles and loose texts of a statute, out of its lines: one state machine for Markdown and plain text.

It never raises for a text and passes over every line once. What is no article is not lost: the words before the first
one, preambles, annexes and decisions without articles are kept as texts without a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from store.importers.law.parsed import ParsedArticle, heading, plain
from store.statutes.model import ArticleNumber
from store.text.citation import parse_number

_NUMERAL = "[0-9０-９零〇○一二三四五六七八九十百千两廿卅]"
_RUN = rf"{_NUMERAL}(?: ?{_NUMERAL}){{0,11}}"
# 之一 begins other words as well: 第三条之一般规定.
_SUB = rf"(?: ?之 ?(?P<sub>{_RUN})(?!般|切|致|定|旦|种|些|部分|律))?"
_ARTICLE = re.compile(rf"第 ?(?P<number>{_RUN}) ?条{_SUB}(?P<after> ?)(?P<rest>.*)")
_UNIT = re.compile(rf"第 ?{_RUN} ?(?P<unit>分编|编|章|节)(?P<after> ?)(?P<name>.*)")
_LISTED = re.compile(r"(?:[一二三四五六七八九十]{1,3}、|[(（][一二三四五六七八九十]{1,3}[)）])")
_ANNEX = re.compile(rf"(?:附 ?件|附 ?录|附 ?表|附 ?图|附)(?: ?{_RUN})?(?: ?[:：].{{0,60}}| .{{0,60}})?")
_CLOSING = re.compile(r"附 ?则")
_PREAMBLE = re.compile(r"(?:序 ?言|前 ?言|序|引 ?言)")
_CONTENTS = re.compile(r"目 ?[录次]")
_TITLE = re.compile(r" ?[【\[](?P<title>[^】\]]{1,60})[】\]] ?(?P<rest>.*)")
_GOES_ON = re.compile(
    r"[、，,的]|款(?!项|待)|(?:和|与|及|以及|至|到|或者?)(?:本|第|其|《)|第.{1,4}[款项条]|规定|所[称列指]"
    r"|中(?:所|的|规定|关于|，|“)"
    r"|之[一二三四五六七八九十]|项(?:规定|所)|[（(]以下"
)
"""What follows a citation in the middle of a paragraph; an article begins otherwise."""

_GLUED = re.compile(rf"(?<=。)(?P<heading>第{_RUN}[编章节] ?[^。；，：]{{2,30}})$")
"""A heading at the end of the paragraph before it."""

_LONGEST_HEADING = 60
_STOP = re.compile("[。；：，！？;,:]")


@dataclass(slots=True)
class Body:
    """What a statute consists of.

    skipped: numbers that are left out between two articles; restarts: lines on which numbers go backwards; wordless:
    numbers without words.
    """

    articles: list[ParsedArticle] = field(default_factory=list)
    skipped: list[tuple[ArticleNumber, ArticleNumber]] = field(default_factory=list)
    restarts: list[tuple[int, ArticleNumber]] = field(default_factory=list)
    wordless: list[ArticleNumber] = field(default_factory=list)

    @property
    def numbered(self) -> list[ParsedArticle]:
        """The articles without the loose texts."""
        return [article for article in self.articles if article.numbered]


def read_body(lines: Iterable[tuple[int, str]], *, title: str = "", amends: bool = False, part: str = "") -> Body:
    """Read the lines of a statute after its history.

    When nothing before an annex has a number, the articles of the annex are the articles of the text.

    Args:
        lines: line numbers from 1 and lines as they stand in the source.
        title: the title, which many sources repeat before the first article.
        amends: the text changes another law; what it quotes is not taken for articles and headings of its own.
        part: the part (编) that the whole text belongs to.
    """
    whole = [(number, text) for number, line in lines if (text := plain(line))]
    body = _BodyReader(title, amends, part).all_of(whole)
    if not amends and not body.numbered:
        body = _BodyReader(title, amends, part, annexes=False).all_of(whole)
    return body if body.numbered else _whole(whole, title, part)


def begins_body(line: str) -> bool:
    """Whether a plain line can only belong to the body: a heading, the contents, a preamble or an article."""
    text = heading(line)[1]
    if _CONTENTS.fullmatch(text) or _PREAMBLE.fullmatch(text):
        return True
    unit, article = _UNIT.fullmatch(text), _ARTICLE.match(text)
    if unit is not None:
        return len(text) <= _LONGEST_HEADING and not _STOP.search(text[-1])
    return article is not None and (bool(article["after"]) or not _GOES_ON.match(article["rest"]))


def _bare_headings(lines: list[str]) -> dict[int, tuple[str, str]]:
    """Lines that can only be a heading which lost its number: one or two short ones between a full stop and an
    article.

    Place of a line -> what it must be a heading of ("" where only the articles before it show that) and the heading,
    "" for the second line of one. Before a section stands a chapter.
    """
    found: dict[int, tuple[str, str]] = {}
    for place, line in enumerate(lines):
        unit = _UNIT.fullmatch(heading(line)[1])
        if not _ARTICLE.match(line) and (unit is None or unit["unit"] != "节"):
            continue
        begin = place
        while begin > 0 and place - begin < 2 and _may_be_heading(lines[begin - 1]):
            begin -= 1
        if begin < place and begin > 0 and lines[begin - 1].endswith("。"):
            found[begin] = ("章" if unit else "", "".join(lines[begin:place]))
            found.update(dict.fromkeys(range(begin + 1, place), ("", "")))
    return found


def _may_be_heading(line: str) -> bool:
    known = (_ARTICLE, _UNIT, _LISTED, _CLOSING, _PREAMBLE, _CONTENTS, _ANNEX)
    return (
        len(line) <= 40
        and not _STOP.search(line)
        and line[:1] not in "#|“（("
        and not any(p.match(line) for p in known)
    )


class _BodyReader:
    def __init__(self, title: str, amends: bool, part: str, *, annexes: bool = True) -> None:
        self._annexes = annexes
        self._title = _bare(title)
        self._amends = amends
        self._given = part
        self._part, self._subpart, self._chapter, self._section = part, "", "", ""
        self._body = Body()
        self._loose = 0
        self._number: ArticleNumber | None = None
        self._highest = ArticleNumber(0)
        self._named, self._begun, self._paragraphs = "", 0, list[str]()
        self._place = ("", "", "")
        self._in_annex = False
        self._parts = False
        self._contents = False
        self._headed = ""

    def all_of(self, lines: list[tuple[int, str]]) -> Body:
        """The body that these plain lines make."""
        bare = {} if self._amends else _bare_headings([text for _, text in lines])
        for place, (line, text) in enumerate(lines):
            following = lines[place + 1][1] if place + 1 < len(lines) else ""
            unit, name = bare.get(place, ("", ""))
            if name and self._number is not None and not self._in_annex:
                # A chapter or section that lost its number; which of the two, the articles before it show.
                self._enter(unit or ("节" if self._section else "章"), name)
                continue
            if place in bare and not name and self._headed:
                continue
            own = not self._amends and not self._in_annex and _ARTICLE.match(following)
            glued = _GLUED.search(text) if own else None
            if glued is not None:
                self._read(line, text[: glued.start()], glued["heading"])
                text = glued["heading"]
            self._read(line, text, following)
        self._close()
        return self._body

    def _read(self, line: int, text: str, following: str) -> None:
        level, text = heading(text)
        if not text or self._contents_line(text):
            return
        if self._annex(line, text) or self._article(line, text) or self._heading(line, text, level, following):
            return
        if self._contents and self._number is None and not self._paragraphs and len(text) <= _LONGEST_HEADING:
            return
        if self._headed and not self._paragraphs and self._number is None and self._goes_on(text):
            return
        if self._number is None and not self._in_annex and not self._named and _bare(text) in self._title:
            return
        self._begun = self._begun or line
        self._paragraphs.append(text)

    def _goes_on(self, text: str) -> bool:
        """A heading that is broken over two lines: the second is short and ends with no stop."""
        if len(text) > 40 or _STOP.search(text[-1]) or _LISTED.match(text):
            return False
        if self._headed == "节":
            self._section += text
        elif self._headed == "章":
            self._chapter += text
        elif self._headed == "分编":
            self._subpart += text
        else:
            self._part += text
        self._place = self._here()
        return True

    def _contents_line(self, text: str) -> bool:
        if self._number is None and not self._in_annex and _CONTENTS.fullmatch(text):
            self._contents = True
            return True
        return False

    def _annex(self, line: int, text: str) -> bool:
        begun = self._highest.number or self._paragraphs or self._in_annex
        if not self._annexes or not begun or self._amends or not _ANNEX.fullmatch(text):
            return False
        if _CLOSING.fullmatch(text) or text.endswith(("。", "；")):
            return False
        if self._in_annex and not self._paragraphs and self._number is None:
            # 附件：… and 附件 on the next line are one heading.
            self._named = self._named if len(self._named) >= len(text) else text
            return True
        self._close()
        self._in_annex = True
        self._part, self._subpart, self._chapter, self._section = self._given, "", "", ""
        self._open(None, line, named=text.rstrip(":： "))
        return True

    def _article(self, line: int, text: str) -> bool:
        if self._in_annex or "条" not in text[:24] or not text.startswith("第"):
            return False
        match = _ARTICLE.match(text)
        if match is None:
            return False
        number = parse_number(text[: match.start("after")])
        if number is None:
            return False
        rest = match["rest"]
        following = self._follows(number)
        if not match["after"] and rest and not rest.startswith(("【", "[", "：", ":")):
            # Without a blank it may as well be a paragraph that begins with a citation.
            if not following or _GOES_ON.match(rest):
                return False
            if match["sub"] is None and rest.startswith("之"):
                return False
        elif not following and (self._amends and self._highest.number or match["after"] and _GOES_ON.match(rest)):
            return False
        named = ""
        if titled := _TITLE.fullmatch(rest):
            named, rest = titled["title"], titled["rest"]
        self._close()
        if not following and self._highest.number:
            if number <= self._highest:
                self._body.restarts.append((line, number))
            else:
                self._body.skipped.append((self._highest, number))
        elif not following and number.number > 1 and not self._given and not self._amends:
            self._body.skipped.append((ArticleNumber(0), number))
        self._highest = max(self._highest, number)
        self._contents = False
        self._open(number, line, named=named)
        if rest.lstrip(":： "):
            self._paragraphs.append(rest.lstrip(":： "))
        return True

    def _follows(self, number: ArticleNumber) -> bool:
        last = self._highest
        if number.sub:
            return number.number == last.number and number.sub == last.sub + 1
        return number.number == last.number + 1

    def _heading(self, line: int, text: str, level: int, following: str) -> bool:
        if self._in_annex or len(text) > _LONGEST_HEADING:
            return False
        unit = _UNIT.fullmatch(text)
        if unit is not None:
            ended = _STOP.search(text[-1])
            if not level and (ended or self._amends or (unit["name"] and not unit["after"] and len(text) > 30)):
                return False
            self._enter(unit["unit"], text)
            return True
        if _CLOSING.fullmatch(text) and not self._amends:
            self._enter("编" if self._parts else "章", text)
            return True
        if _PREAMBLE.fullmatch(text) and self._number is None:
            self._close()
            self._open(None, line, named=text.replace(" ", ""))
            return True
        settled = not self._paragraphs or self._paragraphs[-1].endswith("。")
        alone = settled and _LISTED.match(text) and len(text) <= 30 and not _STOP.search(text) and not self._amends
        if not level and not (alone and _ARTICLE.match(following)):
            return False
        self._enter("节" if text.startswith(("（", "(")) and _LISTED.match(text) else "章", text)
        return True

    def _enter(self, unit: str, text: str) -> None:
        self._close()
        if unit == "编":
            self._parts = True
            self._part, self._subpart, self._chapter, self._section = text, "", "", ""
        elif unit == "分编":
            self._subpart, self._chapter, self._section = text, "", ""
        elif unit == "章":
            self._chapter, self._section = text, ""
        else:
            self._section = text
        self._headed = unit
        self._place = self._here()

    def _here(self) -> tuple[str, str, str]:
        return " ".join(filter(None, (self._part, self._subpart))), self._chapter, self._section

    def _open(self, number: ArticleNumber | None, line: int, named: str = "") -> None:
        self._number, self._named, self._begun, self._paragraphs = number, named, line, []
        self._headed, self._place = "", self._here()

    def _close(self) -> None:
        number, text = self._number, "\n".join(self._paragraphs)
        if number is not None:
            if not text:
                self._body.wordless.append(number)
            self._body.articles.append(ParsedArticle(number, text, self._named, *self._place, self._begun))
        elif text or (self._named and self._in_annex):
            self._loose += 1
            named = self._named or ("引言" if not self._highest.number else "")
            place = self._place
            self._body.articles.append(
                ParsedArticle(ArticleNumber(0, self._loose), text, named[:_LONGEST_HEADING], *place, self._begun)
            )
        self._number, self._named, self._begun, self._paragraphs = None, "", 0, []


def _whole(lines: list[tuple[int, str]], title: str, part: str) -> Body:
    """A decision without articles: all its lines as one text."""
    kept = [(number, heading(line)[1]) for number, line in lines]
    kept = [(number, line) for number, line in kept if line]
    while kept and _bare(kept[0][1]) in _bare(title):
        kept.pop(0)
    if not kept:
        return Body()
    text = "\n".join(line for _, line in kept)
    return Body([ParsedArticle(ArticleNumber(0, 1), text, "正文", part, line=kept[0][0])])


def _bare(text: str) -> str:
    return re.sub(r"[\s《》〈〉<>、（）()]", "", text)
