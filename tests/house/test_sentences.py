"""Every sentence of errors and help has its Chinese twin, and every text comes through whole."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path

import click
import pytest

from app import strings
from app.cli.common import HelpText
from app.cli.main import COMMANDS, cli
from app.cli.run import _options
from app.strings import sentences
from app.strings.sentences import error_text, translated
from app.terminal import width
from store.errors import NotFound
from tasks.benchmark import benchmark, benchmarks
from tasks.settings import shown
from tests.support.typed import moot

pytestmark = pytest.mark.chinese_sentences
ROOT = Path(__file__).resolve().parents[2]
SAYING = frozenset(
    "StoreError NotFound BadInput DamagedData TaskError UsageError RecordMismatch BadEngine EngineError Unavailable "
    "BadEngineSetting BadSetting "
    "LawUsageError Busy BrokeOff ChildFailed _Refusal _ContentDropped RequestRefused kind Unsound NativeError "
    "LiteralError CaseFault ForeignHost NetworkRefused Fault Finding StatuteFault CaseFinding PackFault "
    "ExtensionProblem wrong doubtful BadParameter ClickException note __init__ Reply PartyReply RulesAnswer Stopped "
    "unusable TextTooLong".split()
)
"""What sentences are given to."""
CALLED = re.compile(rf"\b(?:{'|'.join(SAYING)})\s*\(")


def own(name: str) -> dict[str, str]:
    """A table as it is written."""
    found: dict[str, str] = tomllib.loads(resources.files("app.strings").joinpath(name).read_text(encoding="utf-8"))
    return found


def texts(node: ast.AST) -> Iterator[str]:
    """The texts that a call is given, `{}` where a value is filled in; values that are texts, too."""
    match node:
        case ast.JoinedStr(values=values):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in values)
            for part in values:
                if isinstance(part, ast.FormattedValue):
                    yield from texts(part.value)
        case ast.Constant(value=str() as text):
            yield text
        case ast.Constant():
            pass
        case _:
            for child in ast.iter_child_nodes(node):
                yield from texts(child)


GIVING = (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.FunctionDef)


def named(nodes: Sequence[ast.AST]) -> dict[str, list[ast.expr]]:
    """Name -> what a module gives it: the values of a variable, what a function returns."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if not isinstance(node, GIVING):  # of a million others most
            continue
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                found.setdefault(name, []).append(value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=given_)):
                for target, one in zip(targets, given_, strict=False):
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(one)
            case ast.FunctionDef(name=name):
                said_ = (one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value)
                found.setdefault(name, []).extend(said_)
    return found


def flowing(node: ast.AST, values: dict[str, list[ast.expr]], seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The texts that an expression may have as its value, through the names of its module."""
    match node:
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
            for part in parts:
                if isinstance(part, ast.FormattedValue):
                    yield from flowing(part.value, values, seen)
        case ast.Constant(value=str() as text):
            yield text
        case ast.Name(id=name) if name not in seen:
            for one in values.get(name, ()):
                yield from flowing(one, values, seen | {name})
        case ast.Call(func=ast.Name() as called):
            yield from flowing(called, values, seen)
        case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[_, *default]):
            for one in (table, *default):
                yield from flowing(one, values, seen)
        case (
            ast.IfExp() | ast.BoolOp() | ast.BinOp() | ast.Tuple() | ast.List() | ast.Dict() | ast.Subscript()
            | ast.NamedExpr()
        ):  # fmt: skip
            for child in ast.iter_child_nodes(node):
                yield from flowing(child, values, seen)


def spoken() -> dict[str, str]:
    """Template -> a file in which it stands."""
    found: dict[str, str] = {}
    for room in ("app", "store", "models", "tasks", "moot.py"):
        for file in sorted((ROOT / room).rglob("*.py")) or [ROOT / room]:
            source = file.read_text("utf-8")
            if not CALLED.search(source):
                continue
            nodes = list(ast.walk(ast.parse(source)))
            values = named(nodes)
            for node in nodes:
                if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in SAYING:
                    for given_ in (*node.args, *(keyword.value for keyword in node.keywords)):
                        for text in (*texts(given_), *flowing(given_, values)):
                            if (
                                " " in text.strip()
                                and sum(map(str.isalpha, text)) >= sentences.LEAST
                                and 3 * len(re.findall("[a-zA-Z]", text)) > len(re.findall("[\u4e00-\u9fff]", text))
                            ):
                                found.setdefault(text, str(file.relative_to(ROOT)))
    return found


def helped(command: click.Command, context: click.Context) -> Iterator[str]:
    """What a command and all below it say of themselves."""
    for text in inspect.cleandoc(command.help or "").split("\n\n"):
        drawn = "\b" in text  # a table of names for programs, of which only the example is a sentence
        yield from (
            (line for line in text.splitlines() if line.startswith("Example: "))
            if drawn
            else (" ".join(text.split()),)
        )
    yield from (command.short_help or "", command.epilog or "")
    for option in command.get_params(context):
        if isinstance(option, click.Option) and not option.hidden:
            yield " ".join((option.help or "").split())
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from helped(below, click.Context(below, info_name=name, parent=context))


def test_every_sentence_has_its_twin() -> None:
    table, here = own("errors.toml"), spoken()
    assert {text: file for text, file in here.items() if text not in table} == {}
    assert sorted(table.keys() - here) == [], "said by nobody"


def test_every_help_has_its_twin() -> None:
    table = own("help.toml")
    settings = [
        info
        for name in benchmarks()
        for info in benchmark(name).settings.model_fields.values()
        if not shown(info, "hidden")
    ]
    strings.set_language("en")
    made = {" ".join((option.help or "").split()) for option in _options(benchmarks())}
    here = {
        *helped(cli, click.Context(cli, info_name="moot")), *(line for _, line in COMMANDS.values()),
    } - {"", *made} | {info.description for info in settings}  # fmt: skip
    others = own("others.toml")
    assert sorted(here - table.keys() - others.keys()) == []
    assert sorted(table.keys() - here) == [], "said by nobody"


def groups(group: click.Group, context: click.Context) -> Iterator[click.Context]:
    """The contexts of a group and of those below it."""
    yield context
    for name in group.list_commands(context):
        below = group.get_command(context, name)
        if isinstance(below, click.Group):
            yield from groups(below, click.Context(below, info_name=name, parent=context))


def test_the_commands_of_every_group_are_listed_whole_and_in_chinese() -> None:
    strings.set_language("zh")
    for context in groups(cli, click.Context(cli, info_name="moot")):
        assert isinstance(context.command, click.Group)
        formatter = HelpText(width=400)
        context.command.format_commands(context, formatter)
        rows = formatter.getvalue().splitlines()[1:]
        assert len(rows) == len(context.command.list_commands(context)), context.info_name
        assert [row for row in rows if "..." in row or not re.search("[\u4e00-\u9fff]", row)] == []


@pytest.mark.parametrize("name", sentences.TABLES)
def test_twins_hold_the_same_values_and_are_chinese(name: str) -> None:
    for text, twin in own(name).items():
        holes = re.findall(r"\{\d*\}", twin)
        assert len(holes) == text.count("{}") or name == "help.toml", text
        assert holes in (["{}"] * len(holes), sorted(holes, key=holes.index)) and len(set(holes)) in (
            len(holes),
            1,
            0,
        ), text
        assert (
            re.search("[\u4e00-\u9fff]", twin) or twin in (text, "{}") or not re.search("[a-z]{3} [a-z]{3}", twin)
        ), text


def test_a_sentence_is_known_by_its_template() -> None:
    strings.set_language("zh")
    error = NotFound("There is no pack named wald", "`moot data list` shows the packs.")
    assert (
        "wald" in error_text(error)
        and "There is no" not in error_text(error)
        and "`moot data list`" in error_text(error)
    )
    assert translated("moot is a word") == "moot is a word"
    strings.set_language("en")
    assert error_text(error) == str(error)


def test_help_is_chinese_and_no_line_is_too_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("", "run", "data import"):
        shown = moot(*name.split(), "--help").out
        assert "用法：" in shown and "选项" in shown
        assert max(width(line) for line in shown.splitlines() if " --" not in line) <= 80


def test_chinese_values_stand_in_a_chinese_sentence_without_blanks_and_commas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MOOT_LANG", "zh")
    assert sentences.translated("Did you mean 民法典, 刑法?") == "是否应为民法典、刑法？"
    assert sentences.translated("Did you mean react, p-s?") == "是否应为 react, p-s？"
    changed = "{} changed since the run began: recorded aa, now bb"
    assert sentences.translated(changed.format("task file")) == "题目文件在评测开始后有改动：记录为 aa，现为 bb"
    assert sentences.translated(changed.format("pack")) == "pack 在评测开始后有改动：记录为 aa，现为 bb"
