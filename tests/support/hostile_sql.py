"""Kinds of hostile run files in SQL: other things in the place of its tables, columns, types, triggers and
indexes."""

from __future__ import annotations

import sqlite3

from tests.support.hostile_content import COLUMNS, edit, reseal, write_first
from tests.support.hostile_runs import Case

TABLES = tuple(COLUMNS)
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n)"


def view_in_place(case: Case) -> None:
    """A view where a table should be: honest, endless, a product of six, a gigabyte a row, or calling what it may
    not."""
    case.copy()
    table, bodies = case.turn(TABLES), ("honest", "endless", "product", "bomb", "self", "schema", "load", "fail")
    columns, body = COLUMNS[table], case.rng.choice(bodies)
    numbers = ", ".join(f"x AS {name}" for name in columns)
    real, listed = f"{table}_real", ", ".join(columns)
    query = {
        "honest": f"SELECT {listed} FROM {real}",
        "endless": f"{ENDLESS} SELECT {numbers} FROM n",
        "product": f"SELECT {', '.join(f'a.{name} AS {name}' for name in columns)} FROM {real} a, events e1, events "
        f"e2, events e3, events e4, events e5, texts"
        if table != "events"
        else f"SELECT {', '.join(f'a.{name} AS {name}' for name in columns)} FROM {real} a, {real} b, {real} c, "
        f"{real} d, {real} e, {real} f",
        "bomb": f"SELECT {', '.join(f'zeroblob(900000000) AS {name}' for name in columns)} FROM {real}",
        "self": f"SELECT {listed} FROM {table}",
        "schema": f"SELECT {', '.join(f'sql AS {name}' for name in columns)} FROM sqlite_master",
        "load": f"SELECT {', '.join(f'load_extension(1) AS {name}' for name in columns)} FROM {real}",
        "fail": f"SELECT {', '.join(f'nowhere AS {name}' for name in columns)} FROM {real}",
    }[body]
    edit(case.path, f"ALTER TABLE {table} RENAME TO {real}", f"CREATE VIEW {table} AS {query}")


def trigger_on_write(case: Case) -> None:
    """Triggers that answer a writer: refuse, forge, delete, never end."""
    case.copy("unfinished", "half_model", "half_trial", "rules", "graded", "law")
    table = case.turn(["events", "scores", "attempts", "texts"])
    body = case.rng.choice([
        "SELECT RAISE(ABORT, '\x1b]0;owned\x07')", "SELECT RAISE(IGNORE)", "DELETE FROM events",
        "UPDATE header SET value = '[]'",
        f"INSERT INTO scores (attempt, scorer, version, settings, value, evidence, author, at) {ENDLESS} SELECT 1, "
        f"'x', x, '{{}}', '{{}}', '[]', 'x', 0 FROM n",
        f"SELECT count(*) FROM ({ENDLESS} SELECT x FROM n)", "SELECT zeroblob(900000000)",
        "UPDATE scores SET value = '{\"success\": 1.0}'", "SELECT RAISE(ROLLBACK, 'gone')",
    ])  # fmt: skip
    when = case.rng.choice(["BEFORE", "AFTER"])
    edit(case.path, f"CREATE TRIGGER intruder {when} INSERT ON {table} BEGIN {body}; END")


def trigger_without(case: Case) -> None:
    """The triggers that keep the record are gone; a stranger takes their names."""
    case.copy()
    more = (
        ["CREATE TRIGGER events_no_update AFTER INSERT ON events BEGIN DELETE FROM events WHERE seq > 3; END"]
        if case.number % 2
        else []
    )
    edit(case.path, *more)


def generated_column(case: Case) -> None:
    """A column whose value is computed when it is read: heavy, wrong, or failing."""
    base = case.pick()
    table = case.turn(TABLES)
    column = case.rng.choice([name for name in COLUMNS[table] if name not in ("id", "key", "attempt", "seq")])
    body = case.rng.choice(
        [
            "hex(zeroblob(400000000))",
            "'{}'",
            "json_extract('[', '$')",
            "abs(-9223372036854775808)",
            "replace(hex(zeroblob(100000)), '0', hex(zeroblob(10000)))",
            "NULL",
        ]
    )
    write_first(case.path, base.content, strict=False)
    kept, kinds = [name for name in COLUMNS[table] if name != column], ["VIRTUAL", "STORED"]
    edit(
        case.path, f"ALTER TABLE {table} RENAME TO {table}_real",
        f"CREATE TABLE {table} ({', '.join(kept)}, {column} TEXT GENERATED ALWAYS AS ({body}) "
        f"{case.rng.choice(['VIRTUAL'] if any(w in body for w in ('zeroblob', 'json', 'abs')) else kinds)})",
        f"INSERT INTO {table} ({', '.join(kept)}) SELECT {', '.join(kept)} FROM {table}_real",
        f"DROP TABLE {table}_real",
    )  # fmt: skip


def virtual_table(case: Case) -> None:
    """A table of an extension in place of a plain one, with shadow tables that say nonsense."""
    base = case.pick()
    table = case.turn(TABLES)
    write_first(case.path, base.content, strict=False)
    columns = ", ".join(COLUMNS[table])
    made = case.rng.choice(
        [
            f"CREATE VIRTUAL TABLE {table} USING fts5({columns})",
            f"CREATE VIRTUAL TABLE {table} USING fts4({columns})",
            f"CREATE VIRTUAL TABLE {table} USING fts3tokenize('simple')",
            f"CREATE VIRTUAL TABLE {table} USING dbstat",
        ]
    )
    statements = [f"ALTER TABLE {table} RENAME TO {table}_real", made]
    if "fts5(" in made or "fts4(" in made:
        statements.append(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table}_real")
        if case.number % 2:
            statements += [
                "PRAGMA writable_schema=ON",
                f"DELETE FROM {table}_{'data' if 'fts5' in made else 'segdir'}",
            ]
    edit(case.path, *statements)


def extra_tables(case: Case) -> None:
    case.copy()
    statements = case.turn([
        ["CREATE TABLE sealed (x)", "CREATE TABLE notes (x)"], [f"CREATE TABLE t{n} (x)" for n in range(2000)],
        [f"CREATE TABLE wide ({', '.join(f'c{n}' for n in range(1999))})"],
        ["ANALYZE", "UPDATE sqlite_stat1 SET stat = '0 0 0 x\x1b'"],
        ["CREATE TABLE seals (what TEXT, n INTEGER, chain TEXT)", "INSERT INTO seals VALUES ('header', 0, 'x')"],
        ["CREATE TABLE \"\x1b]0;owned\x07\" (x)"], ["CREATE INDEX odd ON events (json_extract(data, '$.seat'))"],
        ["CREATE UNIQUE INDEX one ON scores (scorer)"],
    ])  # fmt: skip
    try:
        edit(case.path, "BEGIN", *statements, "COMMIT")
    except sqlite3.Error:
        case.copy()


def columns_renamed(case: Case) -> None:
    case.copy()
    table = case.turn(TABLES)
    column = case.rng.choice(COLUMNS[table])
    edit(
        case.path,
        f"ALTER TABLE {table} RENAME COLUMN {column} TO {case.rng.choice(['other', 'rowid', 'select', 'data2'])!r}",
    )


def columns_missing(case: Case) -> None:
    base = case.pick()
    write_first(case.path, base.content, strict=False)
    table = case.turn(TABLES)
    edit(case.path, f"ALTER TABLE {table} DROP COLUMN {case.rng.choice(COLUMNS[table])}")


def columns_reordered(case: Case) -> None:
    """The same columns the other way round, or more of them, in front."""
    base = case.pick()
    write_first(case.path, base.content, strict=False)
    table = case.turn(TABLES)
    columns = COLUMNS[table]
    extra = "surplus DEFAULT 7, " if case.number % 2 else ""
    edit(
        case.path, f"ALTER TABLE {table} RENAME TO {table}_real",
        f"CREATE TABLE {table} ({extra}{', '.join(reversed(columns))})",
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(columns)} FROM {table}_real",
        f"DROP TABLE {table}_real",
    )  # fmt: skip


VALUES = (
    "NULL", "x'00ff00ff'", "x''", "9223372036854775807", "-9223372036854775808", "0", "-1", "1.5", "9e999", "-9e999",
    "1e308", "''", "'x'",
    "'a' || char(0) || 'b'", "char(0)", "'12'", "zeroblob(20000000)", "char(27, 93, 48, 59, 120, 7)", "char(8238)",
    "char(55357)", "'null'", "'[]'",
)  # fmt: skip
"""What SQL may put where a release put text or a number."""


def column_types(case: Case) -> None:
    """Any value in any column of tables that do not check types; the chains hold where they can."""
    base = case.pick()
    write_first(case.path, base.content, strict=False)
    table, column = case.turn([(table, column) for table in TABLES for column in COLUMNS[table]])
    where = case.rng.choice(
        ["", f" WHERE rowid = (SELECT min(rowid) FROM {table})", f" WHERE rowid = (SELECT max(rowid) FROM {table})"]
    )
    edit(case.path, f"UPDATE {table} SET {column} = {case.rng.choice(VALUES)}{where}")
    if column != "chain":
        reseal(case.path)


def rows_twice(case: Case) -> None:
    """Rows that a key would keep apart, twice: header keys, episodes, attempts, events, texts."""
    base = case.pick()
    write_first(case.path, base.content, strict=False)
    table = case.turn(TABLES)
    columns = ", ".join(COLUMNS[table])
    edit(case.path, f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table}")


def table_missing(case: Case) -> None:
    case.copy()
    edit(case.path, f"DROP TABLE {case.turn(TABLES)}")


def table_empty(case: Case) -> None:
    case.copy()
    edit(case.path, f"DELETE FROM {case.turn(TABLES)}")


def index_wrong(case: Case) -> None:
    """An index that says other things than its table; rows that it hides."""
    case.copy()
    index, table = case.turn(
        [
            ("scores_of_attempt", "scores"),
            ("sqlite_autoindex_header_1", "header"),
            ("sqlite_autoindex_episodes_1", "episodes"),
            ("sqlite_autoindex_texts_1", "texts"),
            ("sqlite_autoindex_attempts_1", "attempts"),
        ]
    )
    target = case.rng.choice(["sqlite_autoindex_episodes_1", table, "events", "header"])
    edit(
        case.path,
        "PRAGMA writable_schema=ON",
        f"UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = '{target}') WHERE "
        f"name = '{index}'",
        "PRAGMA writable_schema=OFF",
    )


def root_swapped(case: Case) -> None:
    """Two tables share one tree, or a tree that is none."""
    case.copy()
    one, root = (
        case.turn(TABLES),
        case.rng.choice(
            [
                "1",
                "0",
                "-1",
                "99999",
                *(f"(SELECT rootpage FROM sqlite_master WHERE name = '{other}')" for other in TABLES),
            ]
        ),
    )
    edit(case.path, "PRAGMA writable_schema=ON", f"UPDATE sqlite_master SET rootpage = {root} WHERE name = '{one}'")


def schema_text(case: Case) -> None:
    """The words of the schema itself: nonsense, huge, nested, an unknown collation or module."""
    case.copy()
    table = case.turn(TABLES)
    columns = ", ".join(COLUMNS[table])
    words = case.rng.choice([
        "'nonsense'", "NULL", "x'00'", "''", "'CREATE TABLE ' || name || ' (x)'",
        f"'CREATE TABLE {table} ({columns} COLLATE moot)'",
        f"'CREATE TABLE {table} ({columns}, CHECK (' || replace(hex(zeroblob(450)), '00', '(') || '1' || "
        f"replace(hex(zeroblob(450)), '00', ')') || '))'",
        f"'CREATE TABLE {table} ({columns} /* ' || hex(zeroblob(5000000)) || ' */)'",
        f"'CREATE VIRTUAL TABLE {table} USING nothing(x)'", f"'CREATE VIEW {table} AS SELECT * FROM {table}'",
        f"'CREATE TABLE {table} ({columns}, CHECK (load_extension(1)))'", f"'CREATE TEMP TABLE {table} ({columns})'",
        f"'CREATE TABLE {table} ({columns}) WITHOUT ROWID'",
        f"'CREATE TABLE {table} ({columns}, extra DEFAULT (abs(-9223372036854775808)))'",
    ])  # fmt: skip
    edit(case.path, "PRAGMA writable_schema=ON", f"UPDATE sqlite_master SET sql = {words} WHERE name = '{table}'")


def schema_rows(case: Case) -> None:
    """Rows of the schema that no CREATE makes: of no type, of a wrong name, twice."""
    case.copy()
    statement = case.turn([
        "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 2, 'CREATE TABLE x (y)')",
        "INSERT INTO sqlite_master SELECT * FROM sqlite_master",
        "UPDATE sqlite_master SET type = 'nothing' WHERE name = 'events'",
        "UPDATE sqlite_master SET name = 'sqlite_' || name WHERE name = 'header'",
        "UPDATE sqlite_master SET tbl_name = 'scores'", "DELETE FROM sqlite_master WHERE type = 'index'",
        "DELETE FROM sqlite_master",
        "UPDATE sqlite_master SET type = NULL",
        "INSERT INTO sqlite_master VALUES (x'00', zeroblob(1000), 1.5, 'x', 7)",
    ])  # fmt: skip
    edit(case.path, "PRAGMA writable_schema=ON", statement)


def keys_broken(case: Case) -> None:
    """Rows that refer to rows which are not there."""
    case.copy()
    edit(
        case.path,
        case.turn(
            [
                "UPDATE attempts SET episode = 'nobody'",
                "UPDATE events SET attempt = attempt + 90",
                "UPDATE scores SET attempt = 90",
                "UPDATE episodes SET id = 'x' || id",
                "UPDATE attempts SET id = id + 50",
                "DELETE FROM attempts",
            ]
        ),
    )
    reseal(case.path)


KINDS = (
    view_in_place, trigger_on_write, trigger_without, generated_column, virtual_table, extra_tables, columns_renamed,
    columns_missing,
    columns_reordered, column_types, rows_twice, table_missing, table_empty, index_wrong, root_swapped, schema_text,
    schema_rows, keys_broken,
)  # fmt: skip
LARGE = ()
