"""The jurisdiction in the sizes of Table 1: exact shares, coherent circuits, nothing shared, refusals before any
work."""

from __future__ import annotations

from collections import Counter

import pytest

from app.cli.main import main
from store import places
from store.errors import BadInput
from store.schema import TABLES
from tasks.legalagentbench.construct.tree import court_code
from tasks.sample.build import World, make_world
from tasks.sample.full import CIRCUITS, LARGEST, TABLE_1, _Circuits, check_scale
from tasks.sample.generated import MAKERS, texts
from tasks.sample.land import circuit
from tasks.sample.ledger import Record

pytestmark = pytest.mark.slow

Rows = dict[str, list[Record]]


@pytest.fixture(scope="module")
def core() -> World:
    world = make_world()
    for table, rows in world.rows.items():
        del rows[TABLE_1[table] :]
    return world


@pytest.fixture(scope="module")
def circuits(core: World) -> _Circuits:
    return _Circuits(2026, 1.0, core)


@pytest.fixture(scope="module")
def made(circuits: _Circuits) -> list[Rows]:
    return [circuits.make(number).rows for number in range(CIRCUITS)]


@pytest.mark.slow
def test_every_table_has_the_size_of_the_paper(core: World, made: list[Rows]) -> None:
    for table in TABLES:
        assert len(core.rows[table]) + sum(len(rows[table]) for rows in made) == TABLE_1[table], table


def test_case_numbers_firms_companies_and_addresses_lead_to_rows_of_the_same_circuit(made: list[Rows]) -> None:
    for rows in made[:3]:
        courts = {str(row["法院代字"]) for row in rows["CourtCode"]}
        companies = {row["公司名称"] for row in rows["CompanyRegister"]}
        firms = {row["律师事务所名称"] for row in rows["LawfirmInfo"]}
        where = {row["地址"]: (row["省份"], row["城市"], row["区县"]) for row in rows["AddrInfo"]}
        assert {row["关联上市公司全称"] for row in rows["SubCompanyInfo"]} == {
            row["公司名称"] for row in rows["CompanyInfo"]
        }
        assert len({row["公司名称"] for row in rows["SubCompanyInfo"]} - companies) <= 8
        for row in rows["LegalDoc"]:
            named = [f for key in ("原告律师事务所", "被告律师事务所") for f in str(row[key] or "-").split(",")]
            # The high court of a province is written by its first circuit.
            assert court_code(str(row["案号"])) in courts
            assert row["关联公司"] in companies
            assert all(firm in firms for firm in named if firm.strip() != "-")
        for table, column in (
            ("CompanyRegister", "企业地址"),
            ("CourtInfo", "法院地址"),
            ("LawfirmInfo", "事务所地址"),
        ):
            assert all(row[column] in where for row in rows[table])


def test_no_name_is_given_twice(core: World, made: list[Rows]) -> None:
    for table, column in (
        ("CompanyInfo", "公司简称"), ("CompanyInfo", "公司代码"), ("CompanyRegister", "公司名称"),
        ("CourtInfo", "法院名称"),
        ("CourtCode", "法院代字"), ("LawfirmInfo", "律师事务所名称"), ("LegalDoc", "案号"), ("AddrInfo", "地址"),
        ("AdministrativeCase", "案号"), ("LawfirmLog", "业务量排名"), ("CompanyRegister", "统一社会信用代码"),
    ):  # fmt: skip
        values = Counter(row[column] for rows in [core.rows, *made] for row in rows[table])
        assert max(values.values()) == 1, (table, column, values.most_common(1))


def test_the_same_seed_gives_the_same_circuit(core: World, made: list[Rows]) -> None:
    again = make_world()
    for table, rows in again.rows.items():
        del rows[TABLE_1[table] :]
    assert _Circuits(2026, 1.0, again).make(0).rows == made[0]


def test_circuits_of_the_largest_scale_have_places_of_their_own() -> None:
    count = CIRCUITS * int(LARGEST)
    found = [place for n in range(count) for place in circuit(n, count, 280).land.places]
    assert len({place.code for place in found}) == len(found)
    assert all(83 <= place.code // 10000 <= 99 and not 91 <= place.code // 10000 <= 95 for place in found)
    cities = {(place.city, place.code // 100) for place in found}
    assert len(cities) == len({name for name, _ in cities})


@pytest.mark.parametrize("corpus", list(MAKERS))
def test_generated_texts_differ(corpus: str) -> None:
    assert len(set(texts(corpus, 2500, 1))) == 2500


@pytest.mark.parametrize("scale", [0.0, -1.0, 1000.0, float("nan")])
def test_a_scale_out_of_bounds_is_refused_with_the_disk_it_would_need(scale: float) -> None:
    with pytest.raises(BadInput, match="GB of disk"):
        check_scale(scale)


def test_the_command_refuses_before_it_writes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["data", "build", "sample", "--scale", "1000", "--name", "huge"])
    assert ended.value.code == 1
    assert "GB" in capsys.readouterr().err
    assert not (places.packs() / "huge").exists()
