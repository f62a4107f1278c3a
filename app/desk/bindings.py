"""All keys of the desk as data: stable ids, so that help, key bar, palette and documents speak of the same things.

The words of a key are `key.<id>` and `key.<id>.tip` in the tables of both languages. Single letters are never
priority bindings: while a text box has the focus they are text.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding, BindingType

from app.strings import t


@dataclass(frozen=True, slots=True)
class Key:
    """One key. `keys` as Textual names them (first one shown), `bar` its place in the key bar (0 = not there)."""

    id: str
    keys: str
    action: str
    bar: int = 0
    glyph: str = ""
    priority: bool = False

    @property
    def shown(self) -> str:
        if self.glyph:
            return t(self.glyph) if self.glyph.startswith("glyph.") else self.glyph
        first = self.keys.split(",")[0]
        if first.startswith("ctrl+"):
            return f"^{first[5:].upper()}"
        return GLYPHS.get(first) or (first.upper() if first[:1] == "f" and first[1:].isdigit() else first)

    @property
    def label(self) -> str:
        return t(f"key.{self.id}")

    @property
    def tip(self) -> str:
        return t(f"key.{self.id}.tip")


GLYPHS = {
    "slash": "/", "question_mark": "?", "up": "↑", "down": "↓", "left": "←", "right": "→", "plus": "+", "minus": "-",
    "left_square_bracket": "[", "right_square_bracket": "]", "exclamation_mark": "!", "colon": ":",
}  # fmt: skip

_CURSOR = (
    Key("up", "up,k", "cursor(-1)"),
    Key("down", "down,j", "cursor(1)"),
    Key("first", "home", "edge(False)", 0, "Home"),
    Key("last", "end", "edge(True)", 0, "End"),
)
"""Keys of every list with a cursor."""
KEYS: dict[str, tuple[Key, ...]] = {
    "app": (
        Key("help", "f1,question_mark", "help", 90),
        Key("home", "f2", "mode('home')"),
        Key("episode", "f3", "mode('episode')"),
        Key("models", "f4", "mode('models')"),
        Key("board", "f5", "mode('board')"),
        Key("law", "f7", "mode('law')"),
        Key("settings", "comma", "mode('settings')", 0, ","),
        Key("review", "f10,ctrl+r", "mode('review')"),
        Key("corpus", "f11", "mode('corpus')"),
        Key("palette", "ctrl+p", "command_palette", 91),
        Key("language", "l", "language", 80),
        Key("theme", "f9", "theme"),
        Key("quit", "q", "quit", 99),
        Key("quit_now", "ctrl+q", "quit"),
    ),
    "home": (
        Key("open", "enter", "open", 10, "glyph.enter"),
        Key("new", "n", "new", 20),
        Key("build", "g", "build", 30),
        Key("demo", "d", "door('hops')", 40),
        Key("ask", "a", "ask", 45),
        Key("door_trial", "1", "door('trial')"),
        Key("door_law", "2", "door('law')"),
        Key("door_hops", "3", "door('hops')"),
        Key("resume", "u", "resume", 50),
        Key("pause", "p", "pause", 55),
        Key("refresh", "r", "refresh", 60),
        Key("assess", "i", "review"),
        Key("compare", "c", "compare"),
        Key("board_of", "b", "board"),
    ),
    "board": (
        Key("open_run", "enter", "open", 10, "glyph.enter"),
        Key("board_measure", "n", "measure(1)", 10),
        Key("board_measure_back", "N", "measure(-1)"),
        Key("board_place", "g", "place(1)", 11),
        Key("board_back", "G", "place(-1)"),
        Key("board_field", "t", "field", 12),
        Key("board_papers", "p", "papers", 13),
        Key("board_shipped", "m", "shipped", 10),
        Key("compare", "c", "compare", 15),
        Key("filter_rows", "slash", "find", 16),
        Key("sort_rows", "o", "sort", 17),
        Key("close", "escape", "close", 30, "Esc"),
    ),
    "compare": (
        Key("open_steps", "enter", "open", 10, "glyph.enter"),
        Key("everything_compared", "a", "everything", 20),
        Key("close", "escape", "close", 30, "Esc"),
    ),
    "compare_steps": (
        Key("open_first", "1", "side(0)", 10),
        Key("open_second", "2", "side(1)", 11),
        Key("close", "escape", "close", 30, "Esc"),
    ),
    "run": (
        Key("open_episode", "enter", "open", 10, "glyph.enter"),
        Key("assess", "i", "review", 15),
        Key("resume", "u", "resume", 20),
        Key("pause", "p", "pause", 25),
        Key("filter_rows", "slash", "find", 26),
        Key("sort_rows", "o", "sort", 27),
        Key("turn_rows", "O", "turn"),
        Key("close", "escape", "close", 30, "Esc"),
    ),
    "models": (
        Key("run_model", "r", "run", 10),
        Key("add_model", "a", "add", 30),
        Key("check_model", "c", "check", 40),
        Key("remove_model", "x", "remove", 50),
        Key("refresh", "u", "refresh"),
    ),
    "settings": (
        Key("revoke_host", "x", "revoke", 10),
        Key("clear_replies", "c", "clear_replies", 20),
    ),
    "law": (
        Key("law_open", "enter", "open", 10, "glyph.enter"),
        Key("law_words", "slash", "box('words')", 11),
        Key("law_day", "t", "box('day')", 12),
        Key("law_text", "1", "tab(0)", 20),
        Key("law_timeline", "2", "tab(1)", 21),
        Key("law_diff", "3", "tab(2)", 22),
        Key("law_old", "o", "side(0)", 13),
        Key("law_new", "n", "side(1)", 14),
        Key("law_previous", "left_square_bracket", "near(-1)", 15),
        Key("law_next", "right_square_bracket", "near(1)", 16),
        Key("law_counterpart", "c", "counterpart", 16),
        Key("law_pack", "p", "box('shelf')", 17),
        Key("law_copy", "y", "copy", 18),
        Key("wide", "m", "wide"),
        Key("law_back", "escape", "back", 0, "Esc"),
    ),
    "law_box": (
        Key("law_ask", "enter", "ask", 10, "glyph.enter"),
        Key("law_results", "down,escape", "screen.results", 11),
    ),
    "law_choice": (
        *_CURSOR,
        Key("page_up", "pageup", "page(-1)", 0, "PgUp"),
        Key("page_down", "pagedown", "page(1)", 0, "PgDn"),
        Key("law_take", "enter", "choose", 0, "glyph.enter"),
    ),
    "review": (
        Key("review_open", "enter", "open", 10, "glyph.enter"),
        Key("review_accept", "a", "accept", 11),
        Key("review_form", "s", "form", 11),
        Key("review_path", "o", "path", 12),
        Key("review_view", "v", "view", 15),
        Key("review_previous", "left_square_bracket", "near(-1)", 16),
        Key("review_next", "right_square_bracket", "near(1)", 17),
        Key("review_runs", "r", "runs", 18),
        Key("review_scores", "1", "tab(0)", 20),
        Key("review_tasks", "2", "tab(1)", 21),
        Key("wide", "m", "wide"),
        Key("review_back", "escape", "back", 0, "Esc"),
    ),
    "corpus": (
        Key("corpus_open", "enter", "open", 10, "glyph.enter"),
        Key("filter_rows", "slash", "find", 11),
        Key("corpus_everywhere", "a", "everywhere", 12),
        Key("sort_rows", "o", "sort", 13),
        Key("turn_rows", "O", "turn"),
        Key("corpus_pack", "p", "pack", 14),
        Key("corpus_back", "escape", "back", 15, "Esc"),
    ),
    "corpus_rows": (
        *_CURSOR,
        Key("page_up", "pageup", "page(-1)", 0, "PgUp"),
        Key("page_down", "pagedown", "page(1)", 0, "PgDn"),
        Key("columns_right", "right", "column(1)"),
        Key("columns_left", "left", "column(-1)"),
        Key("corpus_open", "enter", "choose", 0, "glyph.enter"),
    ),
    "review_form": (
        Key("submit", "f5,ctrl+enter", "submit", 10, "F5", priority=True),
        Key("leave_form", "escape", "leave", 11, "Esc"),
    ),
    "episode": (
        Key("stop", "x,f8", "stop", 9),
        Key("step", "n", "step", 10),
        Key("auto", "space", "auto", 11, "glyph.space"),
        Key("back", "b", "back", 12),
        Key("now", "g", "now", 13),
        Key("fork", "f", "fork", 14),
        Key("seat", "s", "seat", 15),
        Key("find", "slash", "find", 17),
        Key("copy", "y", "copy", 18),
        Key("prompt", "w,f6", "prompt", 17),
        Key("export", "e", "export", 19),
        Key("assess", "i", "review"),
        Key("view", "v", "view", 16),
        Key("aside", "c", "aside", 16),
        Key("everything", "a", "everything"),
        Key("jump", "colon,fullwidth_colon", "jump"),
        Key("fold_all", "z", "fold_all"),
        Key("faster", "plus,equals_sign", "pace(1)"),
        Key("slower", "minus", "pace(-1)"),
        Key("next_episode", "right_square_bracket", "episode(1)"),
        Key("previous_episode", "left_square_bracket", "episode(-1)"),
        Key("wide", "m", "wide"),
        Key("present", "f12", "present", 20),
        Key("close", "escape", "leave", 0, "Esc"),
    ),
    "presenter": (
        Key("help", "f1", "app.help", 10, priority=True),
        Key("present_next", "f2", "next", 11, priority=True),
        Key("present_auto", "f3", "auto", 12, priority=True),
        Key("present_slower", "f4", "pace(-1)", 13, priority=True),
        Key("present_faster", "f6", "pace(1)", 14, priority=True),
        Key("present_back", "f7", "back", 15, priority=True),
        Key("present_now", "f8", "now", 16, priority=True),
        Key("present_seat", "f9", "seat", 17, priority=True),
        Key("present_leave", "f10,escape", "leave", 18),
        Key("quit_now", "ctrl+q", "app.quit"),
    ),
    "presenter_seat": (
        Key("present_take", "f9,enter", "take", 10),
        Key("cancel", "escape,f10", "cancel", 11, "Esc"),
    ),
    "transcript": (
        *_CURSOR,
        Key("page_up", "pageup", "page_up", 0, "PgUp"),
        Key("page_down", "pagedown", "page_down", 0, "PgDn"),
        Key("fold", "enter", "fold", 0, "glyph.enter"),
    ),
    "programme": (
        *_CURSOR,
        Key("unfold", "enter", "choose", 0, "glyph.enter"),
    ),
    "pane": (
        Key("scroll_up", "up,k", "scroll_up"),
        Key("scroll_down", "down,j", "scroll_down"),
    ),
    "scores": (
        Key("scroll_up", "up,k", "scroll_up"),
        Key("scroll_down", "down,j", "scroll_down"),
        Key("grounds", "enter", "screen.grounds", 10, "glyph.enter"),
    ),
    "grounds": (
        Key("grounds_open", "enter", "open", 10, "glyph.enter"),
        Key("close", "escape", "close", 30, "Esc"),
    ),
    "find": (
        Key("find_next", "enter,down", "next(1)", 10, "glyph.enter"),
        Key("find_previous", "up,shift+enter", "next(-1)", 11),
        Key("find_close", "escape", "close", 12, "Esc"),
    ),
    "answer": (
        Key("send", "f5,ctrl+enter", "send", 10, "F5", priority=True),
        Key("leave_box", "escape", "leave", 11, "Esc"),
        Key("seat_tools", "ctrl+t", "tools", 12),
        Key("seat_draft", "ctrl+o", "draft", 13),
    ),
    "tool_form": (
        Key("run_tool", "f5,ctrl+enter", "run", 10, "F5", priority=True),
        Key("offers", "down", "offers", 11),
    ),
    "call": (
        Key("up", "up", "cursor(-1)"),
        Key("down", "down", "cursor(1)"),
        Key("cancel", "escape", "cancel", 11, "Esc"),
        Key("help", "f1", "app.help"),
    ),
    "prompt": (
        Key("find", "slash", "find", 10),
        Key("copy", "y", "copy", 11),
        Key("copy_all", "a", "copy_all", 12),
        Key("next_call", "right_square_bracket,n", "call(1)", 13),
        Key("previous_call", "left_square_bracket,b", "call(-1)", 14),
        Key("close", "escape,w,f6", "leave", 15, "Esc"),
    ),
    "dialog": (
        Key("confirm", "f5,ctrl+enter", "confirm", 10, "F5"),
        Key("cancel", "escape", "cancel", 11, "Esc"),
        Key("help", "f1", "app.help"),
    ),
}
"""Area -> its keys. A screen or widget takes the bindings of its area."""
TYPING = ("find", "answer", "law_box", "review_form", "tool_form")
"""Areas in which letters are text."""


def bindings(area: str) -> list[BindingType]:
    """The bindings of an area. The texts that people see come from the tables when they are shown, not from here."""
    return [
        Binding(
            key.keys, key.action, key.id, id=f"{area}.{key.id}", show=False, tooltip=f"key.{key.id}.tip",
            priority=key.priority,
        )
        for key in KEYS[area]
    ]  # fmt: skip


def bar_keys(*areas: str) -> list[tuple[Key, str]]:
    """The keys of a key bar with their areas, in order."""
    found = [(key, area) for area in areas for key in KEYS[area] if key.bar]
    return sorted(found, key=lambda pair: pair[0].bar)
