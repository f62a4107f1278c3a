"""Carries a plan out through the tools, frame by frame. A generator: yields `Call`s, is sent `Outcome`s.

Nothing here looks at words of the question: only at frames, hops and conditions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from dataclasses import dataclass, field

from store.schema import LOOKUPS
from tasks.legalagentbench.construct.tree import ALIASES, IDENTITY, matched
from tasks.legalagentbench.rules.columns import frame_columns
from tasks.legalagentbench.rules.frames import Frame, Plan
from tasks.legalagentbench.rules.graph import ATTRIBUTES, CASE_ROWS, ENFORCEMENT, FALLBACK, Hop, Source
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.places import Place, parse_place
from tasks.legalagentbench.rules.recognise import Entity
from tasks.legalagentbench.rules.values import Cell, court_code, known, names_in

MOST_CALLS = 200


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call and the sentence that says why."""

    tool: str
    input: Cell
    why: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back."""

    status: str
    value: Cell = None
    complete: bool = True


Asking = Generator[Call, Outcome, Cell]


@dataclass
class Item:
    """One thing of a frame: its name, the cells known of it, and the thing it was reached from."""

    name: str
    row: dict[str, Cell] = field(default_factory=dict)
    origin: Item | None = None
    frame: int = -1


class Hands:
    """Calls tools for one task: remembers answers, counts calls."""

    def __init__(self, index: NameIndex) -> None:
        self.index = index
        self.seen: dict[str, Outcome] = {}
        self.calls = 0

    def call(self, tool: str, given: dict[str, Cell], why: str) -> Generator[Call, Outcome, Outcome]:
        """The outcome of a call; the same call is made once, and none beyond the budget."""
        key = json.dumps([tool, given], ensure_ascii=False, sort_keys=True)
        if key not in self.seen:
            if self.calls >= MOST_CALLS:
                return Outcome("outside_pack", None, False)
            self.calls += 1
            self.seen[key] = yield Call(tool, given, why)
        return self.seen[key]


class Walk:
    """One plan being carried out."""

    def __init__(self, plan: Plan, hands: Hands) -> None:
        self.plan = plan
        self.hands = hands
        self.items: list[list[Item]] = []
        self.doubtful: set[int] = set()

    def reach(self, index: int) -> Asking:
        """The things of a frame whose parent has been reached."""
        frame = self.plan.frames[index]
        if frame.entity is not None:
            return (yield from self._start(frame))
        parents = self.items[frame.parent]
        if frame.parent in self.doubtful:
            self.doubtful.add(index)
        if frame.hop is None:
            return [Item(p.name, p.row, p, index) for p in parents]
        if not frame.hop.tool:
            return self._within(frame, parents, index)
        return (yield from self._through(frame, parents, index))

    def _start(self, frame: Frame) -> Asking:
        entity = frame.entity
        assert entity is not None
        if entity.kind in ALIASES:
            return (yield from self._stood_for(entity))
        if entity.kind == "place" and entity.place is not None:
            return [_place_item(entity.place, None)]
        return [Item(entity.name, {"案号": entity.name} if entity.kind == "case" else {})]

    def _stood_for(self, entity: Entity) -> Asking:
        """The thing that a code or a short name stands for, as the tool of the planning tree says."""
        tool, kind = ALIASES[entity.kind]
        table = LOOKUPS[tool].table
        column, asked = IDENTITY[table], matched(tool, entity.kind)
        outcome = yield from self.hands.call(
            tool, {"identifier": entity.name, "columns": [column, asked]}, f"由{asked}{entity.name}查{column}。"
        )
        row = outcome.value if isinstance(outcome.value, dict) else {column: outcome.value}
        if outcome.status == "ok" and known(row.get(column)):
            return [Item(str(row[column]), {asked: entity.name, **row})]
        self.doubtful.add(0)
        return [Item(entity.name)]

    def _within(self, frame: Frame, parents: list[Item], index: int) -> list[Item]:
        hop = frame.hop
        assert hop is not None
        found: list[Item] = []
        for parent in parents:
            for column in self._sides(frame, hop, parent):
                cell = parent.row.get(column)
                names = names_in(cell) if hop.split else [str(cell).strip()] if known(cell) else []
                found += [Item(name, {}, parent, index) for name in names]
        if not found and parents:
            self.doubtful.add(index)
        return found

    def _sides(self, frame: Frame, hop: Hop, parent: Item) -> tuple[str, ...]:
        """For 律所 of a document: the columns of the side that the question follows."""
        if frame.relation != "firm" or hop.source != "doc":
            return hop.columns
        role = self._role(frame.parent)
        if role is None:
            company = _ancestor_company(parent) or str(parent.row.get("关联公司") or "")
            if company and company in names_in(parent.row.get("原告")):
                role = "plaintiff"
            elif company and company in names_in(parent.row.get("被告")):
                role = "defendant"
        if role is None:
            return hop.columns
        return (hop.columns[0 if role == "plaintiff" else 1],)

    def _role(self, index: int) -> str | None:
        while index >= 0:
            for modifier in self.plan.frames[index].modifiers:
                if modifier.op == "role":
                    return str(modifier.value)
            if self.plan.frames[index].hop is not None:
                return None
            index = self.plan.frames[index].parent
        return None

    def _through(self, frame: Frame, parents: list[Item], index: int) -> Asking:
        assert frame.hop is not None
        columns = list(frame_columns(self.plan, index))
        found: list[Item] = []
        done: set[str] = set()
        for parent in parents:
            many = frame.hop.tool.endswith("_list")
            if parent.name in done and many:
                continue
            done.add(parent.name)
            found += yield from self._ask(frame, frame.hop, parent, columns, index)
        return found

    def _ask(self, frame: Frame, hop: Hop, parent: Item, columns: list[str], index: int) -> Asking:
        given = _identify(hop, parent)
        if given is None:
            return []
        if hop.tool == "get_court_code":
            columns = [
                "法院名称",
                "法院代字",
                *(c for c in columns if c in ("行政级别", "法院级别", "区划代码", "级别")),
            ]
        outcome = yield from self.hands.call(hop.tool, {**given, "columns": columns}, _why(frame, hop, parent))
        if not outcome.complete or outcome.status == "outside_pack":
            self.doubtful.add(index)
        rows = (
            outcome.value
            if isinstance(outcome.value, list)
            else [outcome.value]
            if isinstance(outcome.value, dict)
            else []
        )
        if frame.kind == "place":
            return (yield from self._places(hop, parent, rows, index))
        found = [
            Item(str(row[hop.columns[0]]).strip() if known(row.get(hop.columns[0])) else "", dict(row), parent, index)
            for row in rows
        ]
        found = [item for item in found if item.name or frame.kind in CASE_ROWS]
        if not found and hop.tool == "get_court_code":
            return (yield from self._court_of(parent, index))
        if not found:
            for tool, column in FALLBACK.get((hop.tool, hop.columns[0]), ()):
                other = yield from self.hands.call(
                    tool, {"identifier": parent.name, "columns": [column]}, f"换用{tool}查“{parent.name}”的{column}。"
                )
                if isinstance(other.value, dict) and known(other.value.get(column)):
                    return [Item(str(other.value[column]).strip(), dict(other.value), parent, index)]
        return found

    def _court_of(self, parent: Item, index: int) -> Asking:
        """The court of a case number whose code the pack does not hold: by the enforcement record, or a paired
        name."""
        if "执" in parent.name:
            for kind in ENFORCEMENT:
                outcome = yield from self.hands.call(
                    f"get_{kind}_case",
                    {"identifier": parent.name, "columns": ["执行法院"]},
                    f"换查案号{parent.name}的执行法院。",
                )
                if isinstance(outcome.value, dict) and known(outcome.value.get("执行法院")):
                    return [Item(str(outcome.value["执行法院"]).strip(), {}, parent, index)]
        code = court_code(parent.name) or ""
        name = self.hands.index.courts.get(code)
        if name is None:
            return []
        self.doubtful.add(index)
        why = f"代字“{code}”在执行类案件中对应{name}，用法院名称核对。"
        outcome = yield from self.hands.call(
            "get_court_code", {"identifier": name, "columns": ["法院名称", "法院代字"]}, why
        )
        return [Item(name, dict(outcome.value) if isinstance(outcome.value, dict) else {}, parent, index)]

    def _places(self, hop: Hop, parent: Item, rows: list[dict[str, Cell]], index: int) -> Asking:
        for row in rows:
            parts = [str(cell) if known(cell := row.get(column)) else "" for column in hop.columns]
            if parts[2] or all(parts[:2]):
                return [_place_item(self._whole(Place(*parts), parent.name), parent, index)]
        if hop.source == "court":
            address = yield from self.hands.call(
                "get_court_info",
                {"identifier": parent.name, "columns": ["法院地址"]},
                f"换用法院地址推断“{parent.name}”所在区县。",
            )
            if isinstance(address.value, dict) and known(address.value.get("法院地址")):
                text = str(address.value["法院地址"])
                outcome = yield from self.hands.call(
                    "get_address_info",
                    {"identifier": text, "columns": ["省份", "城市", "区县"]},
                    f"查地址“{text}”所在的省市区县。",
                )
                if isinstance(outcome.value, dict) and known(outcome.value.get("区县")):
                    return [
                        _place_item(
                            Place(*(str(outcome.value.get(c) or "") for c in ("省份", "城市", "区县"))), parent, index
                        )
                    ]
                parent = Item(text, {}, parent, parent.frame)
        guess, used = parse_place(parent.name)
        guess, _ = self.hands.index.place(guess, parent.name[used:])
        self.doubtful.add(index)
        return [_place_item(guess, parent, index)] if guess.city else []

    def _whole(self, place: Place, text: str) -> Place:
        """A place whose province or city the pack does not hold, completed from the text or from known places."""
        if all(place):
            return place
        guess, _ = parse_place(text)
        joined = Place(place.province or guess.province, place.city or guess.city, place.county or guess.county)
        return self.hands.index.place(joined, "")[0]

    def attribute(self, item: Item, frame: Frame, concept: str) -> Asking:
        """A cell about a thing, from the row at hand or through a tool; None when nobody knows."""
        kind = frame.kind
        if concept == "address" and kind == "company":
            concept = "register_address"
        if concept in ("register_address", "office_address") and kind in ("court", "firm"):
            concept = "address"
        if concept == "place" and kind == "place":
            return item.name
        dash: Cell = None
        for source in ATTRIBUTES.get(kind, {}).get(concept, ()):
            cell = yield from self._look(item, source, concept)
            if known(cell):
                return cell
            if cell is not None and dash is None and str(cell).strip().startswith("-"):
                dash = "-"
        if concept == "court_level":
            self.doubtful.add(item.frame)
            return _level_by_name(item.name)
        return dash

    def _other_spelling(self, name: str, source: Source, outcome: Outcome) -> Asking:
        for other in _spellings(name, self.hands.index):
            given = {"identifier": other, "columns": [source.column]}
            found = yield from self.hands.call(source.tool, given, f"法院又称{other}，查其{source.column}。")
            if found.status == "ok":
                return found
        return outcome

    def _look(self, item: Item, source: Source, concept: str) -> Asking:
        row: Item | None = item
        while row is not None and row.name == item.name:
            named = source.column != "公司名称" or row.row.get(source.column) == item.name
            if source.column in row.row and known(row.row[source.column]) and named:
                return row.row[source.column]
            row = row.origin
        if not source.tool:
            return item.row.get(source.column)
        outcome = yield from self.hands.call(
            source.tool, {"identifier": item.name, "columns": [source.column]}, f"查“{item.name}”的{source.column}。"
        )
        if outcome.status == "outside_pack":
            self.doubtful.add(item.frame)
        if source.tool == "get_lawfirm_log" and outcome.status == "no_data" and concept != "rank":
            return "0"
        if outcome.status != "ok" and source.tool == "get_court_info":
            outcome = yield from self._other_spelling(item.name, source, outcome)
        if isinstance(outcome.value, dict):
            cell = outcome.value.get(source.column)
            return cell if cell is not None else "-"
        return None


_LEVELS = (
    ("最高人民法院", "最高法院"),
    ("高级", "高级法院"),
    ("中级", "中级法院"),
    ("铁路|知识产权|海事|金融|互联网|军事", "特殊法院"),
)


def _level_by_name(court: str) -> str:
    """The level a court's name tells, for a court whose record the pack does not hold."""
    return next((level for words, level in _LEVELS if re.search(words, court)), "基层法院")


def _spellings(name: str, index: NameIndex) -> list[str]:
    """Other known names of a court: with or without its province or city in front."""
    courts = index.kinds.get("court", frozenset())
    return sorted(c for c in courts if c != name and len(c) > 6 and (c.endswith(name) or name.endswith(c)))[:3]


def _identify(hop: Hop, parent: Item) -> dict[str, Cell] | None:
    """The identifier of a hop's call."""
    if hop.source == "place":
        parts = [str(parent.row.get(column) or "") for column in ("省份", "城市", "区县")]
        return dict(zip(("prov", "city", "county"), parts, strict=True)) if all(parts) else None
    if hop.tool == "get_court_code":
        code = court_code(parent.name)
        return {"identifier": code} if code else None
    return {"identifier": parent.name} if parent.name else None


_HOP_WORDS = {
    "parent": "的母公司", "sub": "投资的子公司", "doc": "的裁判文书", "restriction": "的限制高消费记录",
    "finalized": "的终本记录", "dishonesty": "的失信被执行记录", "administrative": "的行政处罚记录",
    "address": "的地址", "office_address": "的办公地址", "place": "所在的省市区县", "court": "的法院",
    "firm": "的律师事务所", "case": "的裁判文书", "neighbour": "的法院",
}  # fmt: skip


def _why(frame: Frame, hop: Hop, parent: Item) -> str:
    if hop.tool == "get_court_code":
        return f"案号{parent.name}的法院代字是“{court_code(parent.name)}”，由代字查审理法院。"
    return f"用{hop.tool}查“{parent.name}”{_HOP_WORDS.get(hop.relation, '的信息')}。"


def _place_item(place: Place, origin: Item | None, index: int = -1) -> Item:
    name = "".join(dict.fromkeys(place))
    return Item(name, {"省份": place.province, "城市": place.city, "区县": place.county}, origin, index)


def _ancestor_company(item: Item) -> str | None:
    origin = item.origin
    while origin is not None and origin.name == item.name:
        origin = origin.origin
    return origin.name if origin is not None else None
