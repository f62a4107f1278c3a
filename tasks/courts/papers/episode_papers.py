"""The papers that an episode holds, made of its events and the heads of its case; pure functions.

A judgment is what the judge read out, under the heads that a written judgment has. A transcript is all that was said,
in its order. Complaint and answer are the last message of the lawyer that is one. What an episode does not hold is
not made. Of a stored episode the run and its task file are read, and whole files written, over none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from store.files import written_whole
from store.journal import Journal
from store.text.dates import plain_date
from tasks.benchmark import benchmark
from tasks.courts.casefile.case import Case, CivilCase, CriminalCase
from tasks.courts.casefile.people import Party, divorce, firm_of, particulars, party_lines
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.casefile.roles import role_name, role_of
from tasks.courts.environment import environment
from tasks.courts.papers.forms import FICTIONAL, WRITERS, CourtPaper, Paragraph, lines, written_day
from tasks.courts.play.record import shown
from tasks.courts.scores.drafted import END_MARK, TITLE, kind_of_case, strict_document
from tasks.courts.scores.rulings import judgment_of
from tasks.episode.events import ActDone, Event, Said, Seated, StageEntered
from tasks.episode.scheduler import HUMAN
from tasks.episode.with_tools import SEAT
from tasks.errors import RecordMismatch, UsageError
from tasks.run.engines import run_path
from tasks.run.header import header_of, is_fictional, unchanged
from tasks.run.plan import stored_task_file
from tasks.run.reading import episode_of

Trial = CivilCase | CriminalCase
MEASURES = {"拘留": "被刑事拘留", "逮捕": "被逮捕", "取保候审": "被取保候审"}
"""强制措施 -> how a judgment says it; others are said as they are called."""


def criminal(case: Trial) -> bool:
    """Whether it is a criminal case."""
    return isinstance(case, CriminalCase)


def bench(case: Trial) -> tuple[tuple[str, str], ...]:
    """Title and name of those who sign: a sole judge signs as 审判员, a panel by its titles; the clerk is not among
    them."""
    court = case.court
    first = "审判长" if court.collegial else "审判员"
    name = court.presiding.name if court.presiding else ""
    return ((first, name), *((member.title, member.name) for member in court.panel))


def spaced(title: str) -> str:
    """审　判　长, 审　判　员, 书　记　员: titles of three characters are set as wide as the longest."""
    return "　".join(title) if len(title) == 3 else title


def signatures(case: Trial, *, judged: bool) -> tuple[str, ...]:
    """The block at the end: the bench, the day, the clerk; a transcript is of the day of the hearing."""
    when = (case.dates.judged or case.dates.proceeding) if judged else case.dates.proceeding
    signed = [f"{spaced(title)}　　{name or '　　　'}" for title, name in bench(case)]
    return (*signed, written_day(when), f"{spaced('书记员')}　　{case.court.clerk or '　　　'}")


def side_name(party: Party, case: Trial) -> str:
    """原告, 被告; 被告人 of a criminal case."""
    if criminal(case):
        return "被告人"
    return "原告" if party.side == "plaintiff" else "被告"


def parties(case: Trial) -> tuple[str, ...]:
    """The block of parties, a line each."""
    return tuple(_criminal_parties(case) if isinstance(case, CriminalCase) else _civil_parties(case))


def _civil_parties(case: Trial) -> Iterator[str]:
    for party in sorted(case.parties, key=lambda party: party.side != "plaintiff"):
        yield from party_lines(side_name(party, case), party)


def _criminal_parties(case: CriminalCase) -> Iterator[str]:
    matter = case.criminal
    yield f"公诉机关　{matter.prosecution.name or '××××人民检察院'}。"
    for party in case.parties:
        yield f"被告人　{particulars(party)}"
        record = matter.record.rstrip("。")
        charges = "、".join(charge.name for charge in matter.charges)
        steps = [
            f"于{plain_date(one.since)}{MEASURES.get(one.measure, f'被{one.measure}')}" for one in matter.custody
        ]
        place = matter.custody[-1].place if matter.custody and matter.custody[-1].measure in ("拘留", "逮捕") else ""
        told = [record] if record not in ("", "无") else []
        told += [f"因涉嫌犯{charges}，{'，'.join(steps)}"] if steps else []
        told += [f"现羁押于{place}"] if place else []
        if told:
            yield "。".join(told) + "。"
        if party.counsel and party.counsel.name:
            given = f"（{party.counsel.authority}）" if "法律援助" in party.counsel.authority else ""
            yield f"辩护人　{party.counsel.name}{firm_of(party.counsel)}{given}。"


def origin(case: Trial) -> str:
    """How the case came to court, by which procedure it was heard, who came: the paragraph above the claims."""
    return _criminal_origin(case) if isinstance(case, CriminalCase) else _civil_origin(case)


def _heard(case: Trial) -> str:
    """By which procedure the court sat, in public or not, as the paragraphs of both proceedings say it; what a case
    does not tell is left out."""
    court = case.court
    public = "公开" if court.public else "不公开"
    why = f"（{court.closed_reason}）" if court.closed_reason and not court.public else ""
    by = [f"适用{court.procedure}"] if court.procedure else []
    if criminal(case):
        by.append("组成合议庭" if court.collegial else "实行独任审判")
        return f"依法{'，'.join(by)}，{public}开庭审理了本案{why}"
    return f"{'依法' if by else ''}{'，'.join([*by, f'{public}开庭进行了审理{why}'])}"


def _civil_origin(case: Trial) -> str:
    named = {one: [party for party in case.parties if party.side == one] for one in ("plaintiff", "defendant")}
    who = "与".join(
        "、".join(f"{side_name(party, case)}{party.name}" for party in group) for group in named.values() if group
    )
    filed = f"于{plain_date(case.dates.filed)}" if case.dates.filed else ""
    link = "及其" if divorce(case.cause) else "的"
    came = "、".join(
        f"{side_name(party, case)}{party.name}"
        + (f"{link}委托诉讼代理人{party.counsel.name}" if party.counsel else "")
        for party in case.parties
    )
    return f"{who}{case.cause}一案，本院{filed}立案后，{_heard(case)}。{came}到庭参加诉讼。本案现已审理终结。"


def _criminal_origin(case: CriminalCase) -> str:
    matter = case.criminal
    office = matter.prosecution
    charges = "、".join(charge.name for charge in matter.charges)
    names = "、".join(party.name for party in case.parties)
    filed = f"于{plain_date(case.dates.filed)}" if case.dates.filed else ""
    by = f"以{office.indictment_no}起诉书" if office.indictment_no else ""
    sent = f"{office.name}指派{office.title}{office.prosecutor}出庭支持公诉，" if office.prosecutor else ""
    counsel = "、".join(party.counsel.name for party in case.parties if party.counsel and party.counsel.name)
    defended = f"及其辩护人{counsel}" if counsel else ""
    return (
        f"{office.name}{by}指控被告人{names}犯{charges}，{filed}向本院提起公诉。本院{_heard(case)}。"
        f"{sent}被告人{names}{defended}到庭参加诉讼。现已审理终结。"
    )


def hearing_facts(case: Trial) -> tuple[str, ...]:
    """The head of a transcript: when, how, before whom."""
    sat = "，".join(f"{title}{name}" for title, name in bench(case) if name)
    return tuple(
        f"{label}：{said}"
        for label, said in (
            ("时间", plain_date(case.dates.proceeding)), ("案由", case.cause), ("适用程序", case.court.procedure),
            ("是否公开审理", "公开" if case.court.public else "不公开"), ("审判人员", sat),
            ("书记员", case.court.clerk),
        )
        if said
    )  # fmt: skip


COURT = "××××人民法院"
"""Where a case names no court."""
_BEGINS = re.compile(
    r"^\s*[#*【]*\s*(?:经?审理查明|经?本院审理查明|原告.{0,60}诉称|公诉机关.{0,40}指控|本院(?:经审理)?认为|本院查明)"
)
_CLOSING = re.compile(r"^(?:宣判完毕。?)?\s*(?:现在)?(?:宣布)?(?:闭庭|休庭)。?$|^询问结束。?$")
_SIGNED = re.compile(
    r"^[\s*]*(?:审\s*判\s*[长员]|独任审判员|人民陪审员|法官助理|书\s*记\s*员)\s*[:： ]|^[\s*]*(?:二〇"
    r"|20)\S{2,12}日[\s*]*$"
)
_MARKDOWN = re.compile(r"^\s{0,3}#{1,6}\s+|\*\*")
_PLAINT = re.compile(r"诉称|提出(?:如下)?诉讼请求|辩称|辩护意见")
_CHARGE = re.compile(r"^公诉机关.{0,40}指控")
_LEAD = re.compile(
    r"^(?:[^，。：]{2,20}：)?(?:诉讼请求|答辩意见|(?:辩护人)?(?:发表)?(?:如下)?辩护意见)(?:如下)?[：。]\s*"
)
"""How a speaker opens a pleading: nothing that a judgment repeats."""
_BLANK = r"[\d〇一二三四五六七八九十　 ]{0,9}"
_RIGHT = re.compile(
    rf"^(?:起诉人|具状人|答辩人|原告|被告)(?:（(?:签[名字章]|盖章)+）)?[:：].{{0,80}}$"
    rf"|^{_BLANK}年{_BLANK}月{_BLANK}日$"
)


@dataclass(frozen=True, slots=True)
class PapersInput:
    """An episode to make papers of: what happened, and its case."""

    case: Case
    events: Sequence[Event]

    @property
    def said(self) -> list[Said]:
        """What was said, in order."""
        return [event for event in self.events if isinstance(event, Said)]

    @property
    def tested(self) -> list[str]:
        """What the tested seat said, as it is read out."""
        return [event.text for event in self.said if event.seat == SEAT]

    def name(self, seat: str) -> str:
        """Who speaks, in court language."""
        role = role_of(self.case.env, seat)
        name = role_name(role, self.case.env, self.case)
        return "审判员" if name == "独任审判员" else name


def transcript(held: PapersInput) -> CourtPaper | None:
    """庭审笔录 of a trial, 谈话笔录 of other talks."""
    if not held.said:
        return None
    case = held.case
    body = tuple(_record(held))
    if not isinstance(case, CivilCase | CriminalCase) or not environment(case.env).trial:
        return CourtPaper((environment(case.env).names[0], "谈话笔录"), body=body)
    top = (*hearing_facts(case), *parties(case))
    return CourtPaper(
        (case.court.name or COURT, "庭审笔录"), case.court.docket,
        body=(*(Paragraph(line, "flush") for line in top), *body),
        signed=signatures(case, judged=False),
    )  # fmt: skip


def _record(held: PapersInput) -> Iterator[Paragraph]:
    """Stage by stage. The events of a stage follow the words that opened it, so a heading goes before those."""
    kept: list[Event] = []
    for event in held.events:
        if isinstance(event, StageEntered):
            last = next((place for place in reversed(range(len(kept))) if _opens(kept[place])), len(kept))
            kept.insert(last, event)
        elif isinstance(event, Said):
            kept.append(event)
    for event in kept:
        if isinstance(event, StageEntered):
            yield Paragraph(event.name, "head")
        elif isinstance(event, Said):
            to = "、".join(held.name(one) for one in event.to) if event.seat == SEAT else ""
            first, *rest = shown(event.text).splitlines() or ["（未发言）"]
            yield Paragraph(f"{held.name(event.seat)}{f'（对{to}）' if to else ''}：{first.strip()}")
            yield from lines("\n".join(rest))


def _opens(event: Event) -> bool:
    return isinstance(event, Said) and event.seat == SEAT


def judgment(held: PapersInput) -> CourtPaper | None:
    """民事判决书 or 刑事判决书."""
    case = held.case
    if not isinstance(case, CivilCase | CriminalCase) or not environment(case.env).trial:
        return None
    found = judgment_of(held.tested)
    if found is None:
        return None
    text = list(_read_out(found.text))
    pleaded = () if any(_PLAINT.search(line.text) for line in text) else tuple(_pleadings(held, case))
    charge = sum(1 for line in text[:1] if _CHARGE.search(line.text))
    return CourtPaper(
        (case.court.name or COURT, "刑事判决书" if criminal(case) else "民事判决书"), case.court.docket,
        parties(case), (Paragraph(origin(case)), *text[:charge], *pleaded, *text[charge:]),
        signatures(case, judged=True),
    )  # fmt: skip


def _read_out(text: str) -> Iterator[Paragraph]:
    """The judgment without what only the hearing needs: what leads up to it, the closing, signatures of its own."""
    said = [_MARKDOWN.sub("", line).strip() for line in shown(text).splitlines()]
    begin = next((place for place, line in enumerate(said) if _BEGINS.search(line)), 0)
    for line in said[begin:]:
        if line and not _CLOSING.match(line) and not _SIGNED.match(line):
            yield Paragraph(line)


def _pleaders(case: Trial) -> Iterator[tuple[str, str, str, str]]:
    """Act and seat of those whose pleading a judgment tells, who they are, and the word for it."""
    if criminal(case):
        for party in case.parties:
            yield "self_defence/accused", "defendant", f"被告人{party.name}", "辩称"
            if party.counsel:
                yield "defence/defence", "defence", f"辩护人{party.counsel.name}", "提出"
        return
    for act, side, verb in (("claim", "plaintiff", "诉称"), ("answer", "defendant", "辩称")):
        pleads = next((party for party in case.parties if party.side == side), None)
        if pleads is not None:
            yield f"{act}/{side}", side, f"{side_name(pleads, case)}{pleads.name}", verb


def _pleadings(held: PapersInput, case: Trial) -> Iterator[Paragraph]:
    """What the parties pleaded, in the words in which they did (民事诉讼法第一百五十五条; 刑诉法解释第三百条:
    反映控辩双方的意见)."""
    for key, seat, who, verb in _pleaders(case):
        turn = next((event.turn for event in held.events if isinstance(event, ActDone) and event.key == key), None)
        text = "\n".join(e.text for e in held.said if e.turn == turn and e.seat.startswith(seat)).strip()
        if turn is None or not text:
            continue
        told = "向本院提出诉讼请求" if text.startswith("诉讼请求") else verb
        first, *rest = [line for line in _LEAD.sub("", text).splitlines() if line.strip()] or [""]
        yield Paragraph(f"{who}{told}：{first.strip()}")
        yield from lines("\n".join(rest))


def drafted(held: PapersInput) -> CourtPaper | None:
    """民事起诉状 or 民事答辩状, from its title on, without the words that end the interview."""
    case = held.case
    kind = kind_of_case(case) if isinstance(case, CivilCase) else None
    document = strict_document(case, held.tested) if kind and isinstance(case, CivilCase) else None
    if kind is None or document is None:
        return None
    text = held.tested[document.message].partition(END_MARK)[0]
    _, title, rest = text.partition(TITLE[kind])
    kept = [_MARKDOWN.sub("", line).strip() for line in (rest if title else text).splitlines()]
    kept = [line for line in kept if line]
    signed: list[str] = []
    while kept and len(signed) < 4 and _RIGHT.match(kept[-1]):
        signed.insert(0, kept.pop())
    body: list[Paragraph] = []
    for line in kept:
        after = bool(body) and body[-1].text.rstrip("：:") == "此致"
        body.append(Paragraph(line, "flush" if after else "body"))
    return CourtPaper((TITLE[kind],), body=tuple(body), signed=tuple(signed))


def _only(kind: str) -> Callable[[PapersInput], CourtPaper | None]:
    return lambda held: drafted(held) if held.case.env == kind else None


PAPERS: Mapping[str, tuple[str, Callable[[PapersInput], CourtPaper | None]]] = {
    "judgment": ("判决书", judgment), "complaint": ("民事起诉状", _only("CD")), "answer": ("民事答辩状", _only("DD")),
    "transcript": ("笔录", transcript),
}  # fmt: skip
"""Name of a document -> what courts call it, and what makes it; the first that an episode holds is its own."""


def seated(events: Sequence[Event]) -> str:
    """Who holds the tested seat, as the record names it."""
    engines = [event.engine for event in events if isinstance(event, Seated) and event.seat == SEAT]
    return {"": "规则，无模型", HUMAN: "本人"}.get(engines[-1], engines[-1]) if engines else ""


# --- stored episodes ------------------------------------------------------------------------------------------------


def papers_of(name: str | Path, episode: str) -> dict[str, CourtPaper]:
    """All papers that an episode holds, its own first.

    Raises:
        UsageError: it is no episode of a court.
        RecordMismatch: its task file is not the one that was played.
    """
    with Journal.open(run_path(name)) as journal:
        header = header_of(journal)
        if header["spec"]["benchmark"] != "courts":
            raise UsageError(
                "only episodes of the courts are written as court papers", "Use `moot report` for a run."
            )
        row, records = episode_of(journal, episode)
    tasks = stored_task_file(header)
    with unchanged(tasks) as digest:
        questions = benchmark("courts").load(tasks)
    if digest != header["tasks"]["sha256"]:
        raise RecordMismatch(f"task file {tasks} changed while it was read", "Try again when nobody writes it.")
    question = next((one for one in questions if one.id == row.task_id), None)
    if not isinstance(question, CourtQuestion):
        raise RecordMismatch(f"task {row.task_id} is not in {tasks}", "Name the task file that was played.")
    events = [record.event for record in records]
    held = PapersInput(question.case, events)
    who = held.name("agent")
    source = f"评测记录：{header['run']}，{episode}。{who}席位：{seated(events)}。"
    fictional = question.fictional or is_fictional(header)
    made = {kind: make(held) for kind, (_, make) in PAPERS.items()}
    return {
        kind: replace(paper, source=source, marks=(*paper.marks, FICTIONAL) if fictional else paper.marks)
        for kind, paper in made.items()
        if paper is not None
    }


def chosen(papers: Mapping[str, CourtPaper], document: str | None, episode: str) -> CourtPaper:
    """The paper of this name, or the first; `UsageError` where the episode holds none such."""
    wanted = document or next(iter(papers), "transcript")
    if wanted not in papers:
        raise UsageError(
            f"episode {episode} holds no {wanted} ({PAPERS[wanted][0]})",
            f"It holds: {', '.join(papers)}." if papers else "Nothing was said in it.",
        )
    return papers[wanted]


def write_paper(paper: CourtPaper, form: str, out: Path, *, parents: bool = False) -> None:
    """Write a paper as docx or html; nothing is written over.

    Raises:
        UsageError: the library for this form is not installed.
        StoreError: the file cannot be written, or there is one.
    """
    content = WRITERS[form](paper)
    with written_whole(out, new=True, parents=parents, binary=True) as file:
        file.write(content)
