"""The system message of a seat of a court: who you are, what you hold, what you never do, how you speak, what a reply
looks like.

It is the same in every turn of an episode, so an engine reads it once. What a seat holds are lines of Chinese, a
label for every field of the case file, never a key of it. Topics and background of a client are left out: questions,
and what belongs to them, are told turn by turn, so that no list can be given away. Days stand at the head of the
card. Phrases of all seats are those of the prompt file court-phrases/1, by group and name.

How much context a seat needs before anything is said: its card, all that somebody holds, said once, and words of
their own for the turns. Where the record is folded a few turns are enough, and no trial needs more than `TALK`; where
it is not (`j1`), all of them have to fit. Played by rules, none of the 24 trials of the sample takes more than this;
a model may talk more. Characters, and tokens of context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args

from models.engine import ToolInfo
from store.text.dates import plain_date
from tasks.agents.budgets import least_context
from tasks.agents.modes import split
from tasks.agents.prompts import fill, fill_text, table
from tasks.courts.agents.own_words import field_words, owns
from tasks.courts.casefile.case import Case, Env
from tasks.courts.casefile.material import collegial, presiding_title
from tasks.courts.casefile.people import LawRef, Persona, style
from tasks.courts.casefile.roles import Standpoint, role_of
from tasks.courts.casefile.visibility import grant, visible
from tasks.courts.environment import PLAIN_CARD, Role, codes, environment
from tasks.courts.play.tools import ARGUMENTS
from tasks.courts.play.view import PHRASES, CourtView
from tasks.courts.procedure.acts import texts_in
from tasks.courts.procedure.model import ProfileName, profile
from tasks.episode.events import Seated

Form = Literal["lean", "native", "free"]
"""lean: an object under a schema; free: plain text, in `j1` with the published markers; native: the same, but tools
are called in the form that the model was trained with."""
NATIVE = "court-native/1"
ALL = "全体"
"""Whom a judge names who wants no answer."""
TALK = 3000
"""Characters beside a card with which a seat follows any trial that is folded: a standing file that holds every
exhibit, and a few turns."""
RECENT = 10
"""Turns that a seat that folds needs beside what is said of the case."""
_GAPS = re.compile(r"\n{3,}")
TURN = 120
"""Characters of a turn beside what is said of the case."""


def prompts(mode: str = "lean") -> tuple[str, ...]:
    """Every prompt file that a model in some seat may read."""
    seats = (seat for code in codes() for seat in environment(code).seats.values())
    more = (NATIVE,) if mode == "native" else ()
    return (*dict.fromkeys(seat.card or PLAIN_CARD for seat in seats), PHRASES, *more)


def definitions(tools: Sequence[str]) -> tuple[ToolInfo, ...]:
    """Tools as a model that calls them in its own form is told of them."""
    words = table(NATIVE)
    return tuple(
        ToolInfo(
            tool,
            words["tool"][tool],
            {
                "type": "object",
                "properties": {
                    name: {"type": "string", "description": words["given"][name]} for name in ARGUMENTS[tool]
                },
                "required": list(ARGUMENTS[tool]),
            },
        )
        for tool in tools
    )


def card_of(view: CourtView) -> str:
    """The prompt file of a seat."""
    return view.here.seats[view.role].card or PLAIN_CARD


def form_of(view: CourtView, mode: str) -> Form:
    """What a reply looks like: free text wherever the published profile plays, for counsel and for who drafts, native
    calls where there are tools.

    With weights of 1.5B a lawyer in an object acknowledges or puts back what the judge asks (4 of 5 questions) and in
    plain words answers all 5; one who drafts hands in no document (0 of 6 cases; in plain words 2 of 3). A trainee
    repeats himself more in plain words (41 % of five cases, in an object 16 %).
    """
    if mode == "native":
        return "native" if view.offered else "free"
    here = view.here
    drafts = here.kind == "draft" and view.role == here.tested
    return "lean" if mode == "lean" and view.profile == "law" and not counsel(view) and not drafts else "free"


def counsel(view: CourtView) -> bool:
    """Whether the seat is a lawyer's or the procurator's, in a trial under `law`: who answers a judge, and may be let
    ask others."""
    return view.profile == "law" and view.here.seats[view.role].asks


def plain_chat(view: CourtView) -> bool:
    """Whether the seat talks with one other person, and is no client, who is told what to ask beside it."""
    return len(view.there) < 2 and view.role != "client"


def addressees(view: CourtView) -> dict[str, Role]:
    """Name -> role of everybody that the seat may speak to by name; {} where there is no choice."""
    here = view.here
    if not here.trial or (view.role != "judge" and not here.seats[view.role].asks):
        return {}
    return {view.called(role): role for role in view.there}


def stages(view: CourtView) -> tuple[str, ...]:
    """The stages that a judge may declare."""
    if not view.here.trial or view.role != "judge":
        return ()
    table = profile(view.profile, "CI" if view.env == "CI" else "CR")
    return tuple(stage.name for stage in table.stages)


def card(view: CourtView, form: Form) -> str:
    """The card of a seat."""
    side = view.role.removesuffix("_lawyer")
    seat = view.here.seats[view.role]
    text = fill(
        card_of(view),
        duty=seat.duty,
        title=_title(view),
        side=side_name(side, view.env),
        who=_who(view, side),
        today=_days(view),
        pleading=phrase("pleading", side),
        document=phrase("document", view.env),
        template=phrase("template", view.env),
        agenda=_agenda(view),
        appeal=_of_bench("appeal", view),
        proof=_of_bench("proof", view),
        held="\n".join(material_lines(view)) or phrase("card", "nothing"),
        style=_style(view) or phrase("card", "plain"),
        never="\n".join(phrase("card", "rule", rule=rule) for rule in view.never) or phrase("card", "honest"),
        record=_record(view),
        form=_form(view, form),
    )
    return _GAPS.sub("\n\n", text)


def _record(view: CourtView) -> str:
    """How the words of the others read."""
    if plain_chat(view):
        return ""
    if counsel(view):
        return phrase("card", "record-counsel", judge=view.called("judge"))
    return phrase("card", f"record-{view.role}") or phrase("card", "record")


def _title(view: CourtView) -> str:
    if view.role == "judge":
        court: Mapping[str, Any] = view.held.get("court", {})
        presiding = court.get("presiding", {})
        return shown(f"{court.get('name', '')}{presiding_title(court)}{presiding.get('name', '')}")
    return shown(str(view.held.get("agent_title") or view.called(view.role)))


def _who(view: CourtView, side: str) -> str:
    """Whom the seat plays, by name as far as it knows."""
    parties: Sequence[Mapping[str, Any]] = view.held.get("parties", ())
    stands_for = "defendant" if view.role == "defence_lawyer" else side
    party = next((one for one in parties if one.get("side") == stands_for), {})
    office: Mapping[str, Any] = view.held.get("criminal", {}).get("prosecution", {})
    kind = view.role
    if view.role.endswith("_lawyer") and view.env != "CR":
        kind = "counsel" if party.get("counsel") else "person"
    elif view.role in ("plaintiff", "defendant"):
        kind = "accused" if view.env == "CR" else "party"
    return phrase(
        "who", kind, side=side_name(side, view.env),
        client=shown(party.get("name", "")),
        name=shown(office.get("prosecutor", "") or party.get("counsel", {}).get("name", "")),
        office=shown(office.get("name", "")), post=office.get("title", "检察员"),
    )  # fmt: skip


def _days(view: CourtView) -> str:
    """Today, and the other days of the case that the seat holds."""
    days: Mapping[str, str] = view.held.get("dates", {})
    return "".join(
        phrase("date", f"{view.env}-{name}", day=worded(day)) or phrase("date", name, day=worded(day))
        for name, day in sorted(days.items(), key=lambda pair: pair[0] == "filed")
    )


def _agenda(view: CourtView) -> str:
    """The stages of a hearing with what each takes, in the words of this bench and procedure; '' for no judge."""
    court: Mapping[str, Any] = view.held.get("court", {})
    procedure = str(court.get("procedure", ""))
    several = collegial(court)
    values = {
        "public": phrase("bench", "public" if court.get("public", True) else "closed"),
        "bench": phrase("bench", "panel" if several else "alone"),
        "deliberate": phrase("bench", "deliberate") if several else "",
        "procedure": procedure or "的程序",
        "consent": phrase("bench", f"consent-{procedure}"),
    }
    name = f"{view.env}-{view.profile}"
    return phrase("agenda", f"{name}-{procedure}", **values) or phrase("agenda", name, **values)


def _of_bench(name: str, view: CourtView) -> str:
    procedure = view.held.get("court", {}).get("procedure", "")
    return phrase("bench", f"{name}-{procedure}") or phrase("bench", name)


def _style(view: CourtView) -> str:
    """How somebody who is no professional speaks; '' for professionals."""
    if not view.traits:
        return ""
    parties = view.held.get("parties", ())
    own = next((party["persona"] for party in parties if "persona" in party), None)
    persona = Persona.model_validate(own or view.held.get("client", {}).get("persona", {}))
    return f"{shown(style(view.traits, persona))}{phrase('card', persona.legal_literacy)}"


def _form(view: CourtView, form: Form) -> str:
    """What a reply looks like, and the calls that may come before it."""
    named, told = list(addressees(view)), "free" if form == "native" else form
    kind = "judge" if view.role == "judge" else "seat"
    if kind == "judge" and view.profile == "j1":
        kind = view.env
    values = {
        "names": "、".join([*named, ALL] if form == "lean" and kind == "judge" else named),
        "stages": "、".join(stages(view)),
        "action": phrase(told, "action") if view.offered else "",
    }
    words = phrase(told, kind, **values)
    if not view.offered:
        return words
    if form == "native":
        return fill_text(table(NATIVE)["card"]["tools"].strip("\n"), form=words)
    return phrase(form, "tools", form=words, calls="\n".join(phrase(form, tool) for tool in view.offered))


def need(case: Case, sits: Seated, profile: ProfileName, limit: int, *, folds: bool) -> int:
    """Tokens of context that a model needs in a seat of a case.

    Args:
        case: the case.
        sits: who sits there; his SPEC and the density of his engine count.
        profile: by which procedure it is played.
        limit: turns that it may have.
        folds: whether what no longer fits is folded.
    """
    here, role = environment(case.env), role_of(case.env, sits.seat)
    view = CourtView(
        seat=sits.seat, card={}, history=(), step=1, role=role, here=here, profile=profile, case_id=case.id,
        held=visible(case, case.env, role), never=grant(case.env, role).never, limit=limit,
        there=tuple(one for one in here.seats if one != role),
    )  # fmt: skip
    size = len(card(view, form_of(view, split(sits.policy)[1])))
    talk = _material(case) + (min(limit, RECENT) if folds else limit) * TURN
    return least_context(size + (min(talk, TALK) if folds else talk), sits)


def _material(case: Case) -> int:
    """Characters of all that anybody holds, each text once."""
    roles = environment(case.env).seats
    return sum(map(len, {text for role in roles for text in texts_in(visible(case, case.env, role))}))


# --- what it holds --------------------------------------------------------------------------------------------------


def phrase(group: str, name: str, /, **values: str) -> str:
    """A phrase with its fields filled; '' when there is none of that name."""
    text: str = table(PHRASES)[group].get(name, "")
    return fill_text(text.strip("\n"), **values)


INDENT = "　　"
"""Before each further line of a text: only what this program writes begins at the margin."""
Lines = Iterator[str]
_WORDS: Mapping[str, str] = {
    "person": "", "company": "单位", "refuse": "不同意调解", "accept_if": "附条件同意调解", "admit": "承认",
    "partly": "部分承认",
    "deny": "否认", "guilty": "认罪", "partial": "部分认罪", "not_guilty": "不认罪",
}  # fmt: skip
"""Fixed values of the case file -> words."""
_PARTY = (
    ("name", "{}"), ("kind", "{}"), ("gender", "{}"), ("ethnicity", "{}"), ("birth_date", "{}出生"),
    ("birthplace", "出生地{}"),
    ("education", "{}"), ("occupation", "{}"), ("workplace", "工作单位{}"), ("address", "住所{}"),
    ("contact", "联系方式：{}"),
    ("representative", "法定代表人（负责人）{}"), ("representative_title", "职务{}"),
)  # fmt: skip
_EXHIBIT = (("kind", "{}"), ("source", "来源：{}"), ("purpose", "证明目的：{}"), ("excerpt", "内容：{}"))
_WITNESS = (("name", "证人{}"), ("address", "住{}"), ("relation", "{}"))
_OBJECTION = (
    ("truth", "真实性：{}"),
    ("legality", "合法性：{}"),
    ("relevance", "关联性：{}"),
    ("weight", "证明力：{}"),
    ("text", "{}"),
)
_COURT = (
    ("name", "审理法院：{}"), ("docket", "案号：{}"), ("procedure", "适用程序：{}"), ("clerk", "书记员：{}"),
    ("closed_reason", "不公开的理由：{}"), ("third_party_findings", "有关单位和个人向法院提供的情况：{}"),
)  # fmt: skip
_PLEA = (("stance", "{}"), ("facts", "对事实：{}"), ("charge", "对罪名：{}"), ("text", "{}"))
_OFFICE = (("name", "{}"), ("title", "{}"), ("prosecutor", "{}"), ("indictment_no", "起诉书{}"))
_CUSTODY = (("measure", "{}"), ("since", "自{}"), ("until", "至{}"), ("place", "{}"))
_VICTIM = (("name", "{}"), ("loss", "损失：{}"), ("settled", "赔偿和谅解：{}"))
_CRIMINAL = (
    ("indictment", "指控的事实：{}"), ("opinion", "公诉意见：{}"), ("record", "前科劣迹：{}"),
    ("served", "收到起诉书副本的日期：{}"),
    ("defence_opinion", "辩护意见：{}"),
)  # fmt: skip


def shown(text: str) -> str:
    """A text of a case as a prompt shows it: further lines indented, blanks at the ends left out."""
    return f"\n{INDENT}".join(line for line in text.strip().splitlines() if line.strip())


def material_lines(view: CourtView) -> list[str]:
    """What the seat holds, one thing a line."""
    found: list[str] = []
    for key, value in view.held.items():
        made = _SECTIONS.get(key)
        found += made(value, view) if made else [f"其他情况：{worded(value)}"]
    return [line for line in found if line]


def worded(value: Any) -> str:
    """A single value: words for fixed ones, days as courts write them."""
    if isinstance(value, bool):
        return "是" if value else "否"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    text = str(value)
    return plain_date(text) or _WORDS.get(text, shown(text))


_parts = partial(field_words, worded=worded)
"""The fields of an item that say something, each in its form."""


def side_name(side: str, env: Env) -> str:
    """What a side is called in an environment."""
    return "原告" if side == "plaintiff" else "被告人" if env == "CR" else "被告"


def _parties(value: Any, view: CourtView) -> Lines:
    for party in value:
        counsel = party.get("counsel", {})
        told = "，".join(_parts(party, _PARTY))
        if counsel:
            title = "辩护人" if view.env == "CR" else "委托诉讼代理人"
            where = "，".join(_parts(counsel, (("profession", "{}"), ("firm", "{}"), ("authority", "{}"))))
            told += f"；{title}{worded(counsel.get('name', ''))}" + (f"（{where}）" if where else "")
        yield f"{side_name(party['side'], view.env)}：{told}"


def _texts(label: str) -> Callable[[Any, CourtView], Lines]:
    """A list of things of which only the text matters, numbered."""

    def lines(value: Any, view: CourtView) -> Lines:
        for number, item in enumerate(value, 1):
            position = f"（{worded(item['position'])}）" if item.get("position") else ""
            parts = "；".join(f"{worded(part['text'])}{worded(part['amount'])}元" for part in item.get("parts", ()))
            yield f"{label}{number}：{shown(item['text'])}{position}" + (f"（其中：{parts}）" if parts else "")

    return lines


def _facts(value: Any, view: CourtView) -> Lines:
    """Facts under the standpoint of the seat's side to them; as they come where it stands on none."""
    told = "counsel" if view.role.endswith("_lawyer") else "accused" if view.env == "CR" else "person"
    groups: dict[str, list[str]] = {}
    for item in value:
        groups.setdefault(view.standpoints.get(item["id"], ""), []).append(shown(item["text"]))
    for standpoint in (*get_args(Standpoint), ""):
        texts = groups.get(standpoint, ())
        if texts and standpoint:
            yield phrase("facts", f"{told}-{standpoint}")
        for number, text in enumerate(texts, 1):
            yield phrase("facts", "line" if standpoint else "known", number=str(number), text=text)


def _evidence(value: Any, view: CourtView) -> Lines:
    own = [item for item in value if owns(view, item)]
    for number, item in enumerate(own, 1):
        more = [*_parts(item, _EXHIBIT), "，".join(_parts(item.get("witness", {}), _WITNESS))]
        yield phrase(
            "exhibits", "own", number=str(number), told="；".join(filter(None, (shown(item["title"]), *more)))
        )
    clear: list[str] = []
    for item in value:
        if owns(view, item):
            continue
        title = shown(item.get("title", ""))
        told = ["；".join(_parts(objection, _OBJECTION)) for objection in item.get("objections", ())]
        yield from (phrase("exhibits", "objected", title=title, told=words) for words in told if words)
        if title and not any(told):
            clear.append(f"“{title}”")
    if clear:
        yield phrase("exhibits", "others" if view.traits else "clear", titles="、".join(clear))


def _statements(value: Any, view: CourtView) -> Lines:
    yield from (f"被问到时或者最后可以说的：{shown(text)}" for text in value.values())


def _mediation(value: Any, view: CourtView) -> Lines:
    bound = "至少" if view.role.startswith("plaintiff") else "至多"
    for stance in value.values():
        terms = "条件：{}" if stance.get("stance") == "accept_if" else "想法：{}"
        fields = (("stance", "{}"), ("terms", terms), ("amount", f"金额{bound}{{}}元"))
        yield f"调解：{'，'.join(_parts(stance, fields))}"


def _court(value: Any, view: CourtView) -> Lines:
    yield from _parts(value, _COURT)
    bench = [value.get("presiding"), *value.get("panel", ())]
    if named := "，".join(f"{worded(one['title'])}{worded(one['name'])}" for one in bench if one):
        yield f"审判人员：{named}"
    if "public" in value:
        yield "公开审理" if value["public"] else "不公开审理"


def _criminal(value: Any, view: CourtView) -> Lines:
    if office := value.get("prosecution"):
        yield f"公诉机关：{'，'.join(_parts(office, _OFFICE))}"
    for charge in value.get("charges", ()):
        laws = "、".join(LawRef.model_validate(law).chinese for law in charge.get("laws", ()))
        yield f"指控的罪名：{worded(charge['name'])}" + (f"（{laws}）" if laws else "")
    yield from _parts(value, _CRIMINAL)
    if plea := value.get("plea"):
        signed = {True: "已签署认罪认罚具结书", False: "没有签署认罪认罚具结书"}.get(plea.get("signed"), "")
        head = "认罪态度" if "stance" in plea else "认罪认罚"
        yield f"{head}：{'；'.join(filter(None, (*_parts(plea, _PLEA), signed)))}"
    for one in value.get("custody", ()):
        yield f"强制措施：{'，'.join(_parts(one, _CUSTODY))}"
    if request := value.get("request"):
        yield f"量刑建议：{worded(request.get('text', ''))}"
    for victim in value.get("victims", ()):
        yield f"被害人：{'，'.join(_parts(victim, _VICTIM))}"


def _client(value: Any, view: CourtView) -> Lines:
    label = "来访者的职业" if view.role == "trainee" else "职业"
    yield from _parts(value, (("occupation", f"{label}：{{}}"), ("role", "身份：{}")))


def _labelled(label: str) -> Callable[[Any, CourtView], Lines]:
    return lambda value, view: iter([f"{label}：{worded(value)}"])


def _nothing(value: Any, view: CourtView) -> Lines:
    return iter(())


_SECTIONS: Mapping[str, Callable[[Any, CourtView], Lines]] = {
    "parties": _parties, "facts": _facts, "claims": _texts("诉讼请求"), "defences": _texts("答辩要点"),
    "evidence": _evidence, "statements": _statements, "mediation": _mediation, "court": _court, "criminal": _criminal,
    "client": _client, "dates": _nothing, "cause": _labelled("案由"), "theme": _labelled("想咨询的主题"),
    "complaint": _labelled("起诉的事实和理由"), "answer": _labelled("答辩意见"), "topics": _nothing,
    "agent_title": _nothing,
}  # fmt: skip
"""Field of a case -> its lines; what stands elsewhere in the prompt has none."""
