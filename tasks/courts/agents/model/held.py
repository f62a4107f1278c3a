"""What a seat holds, as lines of Chinese for its card: a label for every field of the case file, never a key of it.

Topics and background of a client are left out: questions, and what belongs to them, are told turn by turn, so that no
list can be given away. Days stand at the head of the card. Phrases of all seats are those of
the prompt file court-phrases/1, by group and name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, get_args

from store.text.dates import plain_date
from tasks.agents.prompts import fill_text, table
from tasks.courts.agents.own_words import field_words, owns
from tasks.courts.casefile.case import Env
from tasks.courts.casefile.people import LawRef
from tasks.courts.casefile.roles import Standpoint
from tasks.courts.play.speech import PHRASES
from tasks.courts.play.standing import CourtView

NAME = PHRASES


def phrase(group: str, name: str, /, **values: str) -> str:
    """A phrase with its fields filled; '' when there is none of that name."""
    text: str = table(NAME)[group].get(name, "")
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


def held_lines(view: CourtView) -> list[str]:
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
