"""The shipped pack: sizes, coherence between tables, nothing that could be real, the same pack every time."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from store.errors import BadInput
from store.pack import Pack
from store.schema import TABLES
from store.text.dates import parse_date
from store.text.money import parse_money
from tasks.legalagentbench.construct.follow import cited_laws
from tasks.legalagentbench.construct.keys import missing
from tasks.legalagentbench.construct.tree import court_code
from tasks.sample import FICTION_LABEL, JURISDICTION, fiction_label, is_fictional
from tasks.sample.build import World, build_sample, make_documents, make_world
from tasks.sample.documents import basis, causes, court_fee, split_citation
from tasks.sample.enforcement import capitals
from tasks.sample.geography import bare, places, provinces
from tasks.sample.statutebook import by_citation, laws

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world() -> World:
    return make_world()


def column(world: World, table: str, name: str) -> list[object]:
    return [row[name] for row in world.rows[table]]


def test_every_table_and_corpus_is_filled(world: World) -> None:
    assert set(world.rows) == set(TABLES)
    assert 2500 <= sum(map(len, world.rows.values())) <= 4200
    assert min(map(len, world.rows.values())) >= 50
    texts = make_documents()
    assert len(texts["LegalArticle"]) >= 200
    assert len(texts["LegalKnowledge"]) >= 120
    assert len(texts["LegalCases"]) >= 24
    assert all(len(set(group)) == len(group) for group in texts.values())


def test_identifiers_name_one_row(world: World) -> None:
    for table, name in (
        ("CompanyInfo", "公司名称"), ("CompanyInfo", "公司简称"), ("CompanyInfo", "公司代码"),
        ("CompanyRegister", "公司名称"),
        ("CompanyRegister", "统一社会信用代码"), ("SubCompanyInfo", "公司名称"), ("LegalDoc", "案号"),
        ("CourtInfo", "法院名称"),
        ("CourtCode", "法院代字"), ("LawfirmInfo", "律师事务所名称"), ("AddrInfo", "地址"),
        ("RestrictionCase", "案号"),
        ("FinalizedCase", "案号"), ("DishonestyCase", "案号"), ("AdministrativeCase", "案号"),
        ("LegalAbstract", "案号"),
    ):  # fmt: skip
        values = Counter(column(world, table, name))
        assert max(values.values()) == 1, (table, name, values.most_common(1))


def test_court_codes_of_all_case_numbers_resolve(world: World) -> None:
    courts = {str(row["法院代字"]): row["法院名称"] for row in world.rows["CourtCode"]}
    assert set(courts.values()) == set(column(world, "CourtInfo", "法院名称"))
    for table in ("LegalDoc", "LegalAbstract"):
        for number in column(world, table, "案号"):
            assert court_code(str(number)) in courts
    for table in ("RestrictionCase", "FinalizedCase", "DishonestyCase"):
        for row in world.rows[table]:
            assert courts[court_code(str(row["案号"]))] == row["执行法院"]
            assert f"（{str(row['立案日期'])[:4]}）" in str(row["案号"])


def test_companies_are_registered_and_parents_listed(world: World) -> None:
    registered = set(column(world, "CompanyRegister", "公司名称"))
    listed = set(column(world, "CompanyInfo", "公司名称"))
    assert listed <= registered
    assert set(column(world, "SubCompanyInfo", "公司名称")) <= registered
    assert set(column(world, "SubCompanyInfo", "关联上市公司全称")) <= listed
    for table, name in (
        ("LegalDoc", "关联公司"), ("RestrictionCase", "限制高消费企业名称"), ("FinalizedCase", "终本公司名称"),
        ("DishonestyCase", "失信被执行公司名称"), ("AdministrativeCase", "行政处罚公司名称"),
    ):  # fmt: skip
        assert set(column(world, table, name)) <= registered
    several = [
        set(column(world, t, n))
        for t, n in (("RestrictionCase", "限制高消费企业名称"), ("FinalizedCase", "终本公司名称"))
    ]
    assert several[0] & several[1] & set(column(world, "DishonestyCase", "失信被执行公司名称"))


def test_listed_companies_agree_with_their_register(world: World) -> None:
    register = {row["公司名称"]: row for row in world.rows["CompanyRegister"]}
    for row in world.rows["CompanyInfo"]:
        twin = register[row["公司名称"]]
        assert (row["法人代表"], row["成立日期"], row["注册地址"]) == (
            twin["法定代表人"],
            twin["成立日期"],
            twin["企业地址"],
        )
        founded, listing = parse_date(str(row["成立日期"])), parse_date(str(row["上市日期"]))
        assert founded is not None and listing is not None and founded < listing


def test_addresses_resolve_and_agree(world: World) -> None:
    where = {row["地址"]: (row["省份"], row["城市"], row["区县"]) for row in world.rows["AddrInfo"]}
    for table, name in (
        ("CompanyInfo", "注册地址"), ("CompanyInfo", "办公地址"), ("CompanyRegister", "企业地址"),
        ("CourtInfo", "法院地址"),
        ("LawfirmInfo", "事务所地址"),
    ):  # fmt: skip
        assert set(column(world, table, name)) <= set(where)
    for table, prefix in (("CourtInfo", "法院"), ("LawfirmInfo", "事务所")):
        for row in world.rows[table]:
            assert where[row[f"{prefix}地址"]] == tuple(row[f"{prefix}{part}"] for part in ("省份", "城市", "区县"))
    assert ("望舒市", "望舒市") in {place[:2] for place in where.values()}


def test_documents_keep_upstreams_habits(world: World) -> None:
    firms = set(column(world, "LawfirmInfo", "律师事务所名称"))
    assert set(column(world, "LawfirmLog", "律师事务所名称")) <= firms
    nothing = set()
    for row in world.rows["LegalDoc"]:
        assert row["文件名"] == f"{row['案号']}.txt"
        assert isinstance(row["涉案金额（元）"], float)
        assert row["关联公司"] in (row["原告"], *str(row["被告"]).split(","))
        assert str(row["日期"])[:4] == str(row["案号"])[1:5] or "执" in str(row["案号"])
        both = [
            set(str(row[side]).split(",")) for side in ("原告律师事务所", "被告律师事务所") if not missing(row[side])
        ]
        assert len(both) < 2 or not both[0] & both[1]
        for side in ("原告律师事务所", "被告律师事务所"):
            if missing(row[side]):
                nothing.add(row[side])
            else:
                assert set(str(row[side]).split(",")) <= firms
    assert nothing == {None, " -", " - "}
    assert {"民事判决书", "民事裁定书", "执行裁定书", "行政判决书"} == set(column(world, "LegalDoc", "文书类型"))


def test_summaries_tell_the_same_case(world: World) -> None:
    rows = {row["案号"]: row for row in world.rows["LegalDoc"]}
    for row in world.rows["LegalAbstract"]:
        text, case = str(row["文本摘要"]), rows[row["案号"]]
        assert str(case["原告"]) in text and str(case["被告"]).split(",")[0] in text
        cited = cited_laws(text)
        assert cited and all(law.replace("《", "").replace("》", "") in by_citation() for law in cited)


def test_enforcement_amounts_fit(world: World) -> None:
    kinds = {type(value).__name__ for value in column(world, "RestrictionCase", "涉案金额（元）")}
    assert kinds == {"int", "float", "str"}
    finalized = {row["案号"]: row for row in world.rows["FinalizedCase"]}
    for row in finalized.values():
        assert row["执行标的（元）"] == round(float(str(row["执行标的（元）"])))
        if row["未履行金额（元）"] != "-":
            assert float(str(row["未履行金额（元）"])) <= float(str(row["执行标的（元）"])) + 0.5
        first, last = parse_date(str(row["立案日期"])), parse_date(str(row["终本日期"]))
        assert first is not None and last is not None and first < last
    for row in world.rows["RestrictionCase"]:
        if row["案号"] in finalized and row["涉案金额（元）"] != "-":
            assert float(str(row["涉案金额（元）"])) == finalized[row["案号"]]["执行标的（元）"]


def test_investments_follow_from_capital_and_share(world: World) -> None:
    capital = {row["公司名称"]: parse_money(str(row["注册资本"])) for row in world.rows["CompanyRegister"]}
    for row in world.rows["SubCompanyInfo"]:
        if missing(row["上市公司投资金额"]):
            continue
        whole, invested = capital[row["公司名称"]], parse_money(str(row["上市公司投资金额"]))
        assert whole is not None and invested is not None
        assert abs(float(whole) * float(str(row["上市公司参股比例"])) / 100 - float(invested)) <= 500_001


def test_nothing_could_be_real(world: World) -> None:
    prefixes = {part for place in places() for part in place.prefixes}
    names = [*column(world, "CompanyRegister", "公司名称"), *column(world, "LawfirmInfo", "律师事务所名称")]
    assert all(any(str(name).startswith(prefix) for prefix in prefixes) for name in names)
    for name in ("统一社会信用代码",):
        assert all(
            re.fullmatch(r"919[1-5]\d{4}[0-9A-Z]{9}Z", str(code)) for code in column(world, "CompanyRegister", name)
        )
    phones = [*column(world, "CompanyRegister", "联系电话"), *column(world, "LawfirmInfo", "通讯电话")]
    assert all(re.fullmatch(r"01[12]\d-\d{8}|12\d{9}", str(phone)) for phone in phones)
    hosts = [
        *column(world, "CompanyInfo", "官方网址"),
        *column(world, "CompanyRegister", "联系邮箱"),
        *column(world, "CourtInfo", "法院官网"),
    ]
    assert all(host == "-" or str(host).endswith(".example") for host in hosts)
    real = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
    assert not any(len(bare(province)) == 1 or bare(province) in real for province in provinces())
    assert all("中华人民共和国" not in text for texts in make_documents().values() for text in texts)


def test_statute_book() -> None:
    assert 5 <= len(laws()) <= 7
    for law in laws():
        assert [article.number for article in law.articles] == list(range(1, len(law.articles) + 1))
        assert law.title.startswith("岚洲")
    for cause in causes():
        assert basis(cause) and all(citation in by_citation() for citation in basis(cause))
    assert split_citation("岚洲合同法典第四十八条") == ("岚洲合同法典", "第四十八条")
    references = re.compile(r"《(岚洲[^》]+)》(第[一二三四五六七八九十]+条(?:、第[一二三四五六七八九十]+条)*)")
    for texts in make_documents().values():
        for text in texts:
            for law, numbers in references.findall(text):
                assert all(law + number in by_citation() for number in numbers.split("、")), text


def test_article_entries_have_upstreams_shape() -> None:
    for entry in make_documents()["LegalArticle"]:
        assert re.match(r"岚洲[^：]+第[一二三四五六七八九十]+条：", entry)
        assert "\n" not in entry
    assert all("\n" in text for text in make_documents()["LegalCases"])


def test_small_helpers() -> None:
    assert capitals(23500) == "贰万叁仟伍佰"
    assert capitals(100500) == "壹拾万零伍佰"
    assert capitals(3005) == "叁仟零伍"
    assert court_fee(5_000) == 50
    assert court_fee(300_000) == 50 + 3800 + 1200


def test_same_seed_same_pack(moot_home: Path, sample_built: Path) -> None:
    told: list[tuple[str, int | None]] = []
    path = build_sample(progress=lambda what, done, total: told.append((what, total)))
    seen = [what for what, _ in told]
    assert told[-1][1] is None  # indexes come last: nobody knows how far they are
    first = Pack.open("sample", verify=True)
    assert path == first.path
    assert first.manifest.jurisdiction == JURISDICTION and first.manifest.coverage == "complete"
    assert set(first.provenance) == {"authored"} and is_fictional(set(first.provenance))
    assert fiction_label("authored") == FICTION_LABEL and fiction_label("imported") == ""
    assert first.counts()["tasks"] == {"legalagentbench": 60, "legalsearch": 235, "courts": 72}
    assert {"CompanyInfo", "LegalArticle", "tasks"} <= set(seen)
    digest = first.hash
    first.close()
    with Pack.open(sample_built) as again:
        assert again.hash == digest and again.path != first.path
    build_sample("other", seed=7)
    other = Pack.open("other")
    assert other.hash != digest
    other.close()


def test_scale() -> None:
    small, large = make_world(0.5), make_world(2.0)
    assert len(small.rows["LegalDoc"]) < len(large.rows["LegalDoc"]) / 3
    assert len(small.rows["CourtInfo"]) == len(large.rows["CourtInfo"])
    for scale in (0.0, -1.0, 1000.0, float("nan")):
        with pytest.raises(BadInput):
            make_world(scale)
