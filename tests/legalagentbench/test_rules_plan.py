"""Readings of questions as paths over the tool graph. All names are made up; wordings vary on purpose."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.schema import LOOKUPS, TABLES
from tasks.legalagentbench.construct.tree import ALIASES, IDENTITY, PLACE, PLACES, kind_of, matched, opens
from tasks.legalagentbench.rules.graph import ATTRIBUTES, CASE_ROWS, FALLBACK, HOPS, TABLE_OF, VIA, route
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.places import Place
from tasks.legalagentbench.rules.plan import plans_for

INDEX = NameIndex(
    {
        "company": ["青岚松雪科技股份有限公司", "北岭霁月新能源有限公司"],
        "short": ["松雪科技"],
        "court": ["青岚市望江区人民法院"],
        "firm": ["青岚和颂律师事务所"],
    },
    [Place("安徽省", "合肥市", "蜀山区")],
)
CASE = "（2019）皖0104执9号"


def path(question: str) -> list[str]:
    """The tools and relations of the best reading, narrowed copies left out."""
    frames = plans_for(question, INDEX)[0].frames
    return [frame.relation for frame in frames if frame.hop is not None]


def wanted(question: str) -> list[str]:
    frames = plans_for(question, INDEX)[0].frames
    things = sorted((w for frame in frames for w in frame.wanted), key=lambda w: w.at)
    return [w.concept or w.kind for w in things]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("北岭霁月新能源有限公司的母公司投资了多少家子公司？", ["parent", "sub"]),
        ("投资北岭霁月新能源有限公司的上市公司，其工商登记地址位于哪个区县？", ["parent", "address", "place"]),
        ("哪家上市公司投资了北岭霁月新能源有限公司，持股比例是多少？", ["parent"]),
        (f"{CASE}的限高公司的母公司是哪家？", ["restriction", "company", "parent"]),
        (f"审理{CASE}的法院审理过多少次失信被执行案件？", ["court", "dishonesty"]),
        (
            "青岚市望江区人民法院审理的涉案金额最高的限高案件公司被列为失信被执行人几次？",
            ["restriction", "company", "dishonesty"],
        ),
        ("青岚市望江区人民法院所在区县有多少家律师事务所？", ["place", "firm"]),
        ("青岚和颂律师事务所参与的涉案金额最高的案件的审理法院是哪家？", ["case", "court"]),
        ("松雪科技作为被告涉案金额最高的那次是由哪个法院审理的？", ["case", "court"]),
        ("合肥蜀山注册资本最高的律所服务过几家上市公司？", ["firm"]),
        ("松雪科技的办公地址所在区县有几个律师事务所？", ["office_address", "place", "firm"]),
    ],
)
def test_paths(question: str, expected: list[str]) -> None:
    assert path(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("松雪科技的股票代码、法人代表和董秘分别是什么？", ["stock_code", "legal_person", "secretary"]),
        ("松雪科技什么时候上市？首发价格是多少元？", ["listing_date", "issue_price"]),
        ("青岚和颂律师事务所的电话、邮箱以及地址", ["phone", "email", "address"]),
        ("北岭霁月新能源有限公司被限高的总金额及次数", ["amount", "count"]),
        (f"{CASE}的立案日期和终本日期相差多少天？", ["filed", "closed", "days"]),
    ],
)
def test_wanted_things(question: str, expected: list[str]) -> None:
    assert [w for w in wanted(question) if w != "identity"] == expected


def test_small_talk_changes_nothing() -> None:
    plain = "北岭霁月新能源有限公司的母公司被终本过几次？"
    talk = (
        f"我是一家律师事务所的法律顾问，正在处理一起合同纠纷案件，为了给客户提供准确的法律建议，想请教一下。"
        f"{plain}以便我们制定后续的诉讼策略，谢谢！"
    )
    assert path(talk) == path(plain) == ["parent", "finalized"]


def test_a_question_without_names_has_no_plan() -> None:
    assert plans_for("请问什么是合同？", INDEX) == []


def test_the_graph_is_made_of_real_tools_and_columns() -> None:
    for hop in HOPS:
        table = LOOKUPS[hop.tool].table if hop.tool else None
        assert table is None or set(hop.columns) <= set(TABLES[table])
    tables = {lookup.tool: lookup.table for lookup in LOOKUPS.values()}
    for concepts in ATTRIBUTES.values():
        for source in (source for sources in concepts.values() for source in sources):
            assert not source.tool or source.column in TABLES[tables[source.tool]]
    for (tool, column), others in FALLBACK.items():
        assert all(c in TABLES[tables[t]] for t, c in ((tool, column), *others))
    for kind, relation in VIA:
        assert route(kind, relation), (kind, relation)


@settings(max_examples=60)
@given(st.text(max_size=60))
def test_total(text: str) -> None:
    plans_for(f"松雪科技{text}", INDEX)


def test_every_hop_of_the_planner_is_one_of_the_planning_tree() -> None:
    def in_tree(kind: str) -> str:
        return {"administrative": "penalty"}.get(kind, "case") if kind in CASE_ROWS else kind

    for hop in HOPS:
        table = LOOKUPS[hop.tool].table if hop.tool else TABLE_OF[hop.source]
        given = "penalty" if hop.source == "case" and hop.target == "administrative" else in_tree(hop.source)
        if hop.tool:
            assert hop.tool in {tool for tool, _ in opens(given)}, hop
        reached = {kind_of(table, column) or PLACE * (column in PLACES.get(table, ())) for column in hop.columns}
        assert reached == {in_tree(hop.target)}, hop
    for kind, (tool, other) in ALIASES.items():
        assert kind_of(LOOKUPS[tool].table, IDENTITY[LOOKUPS[tool].table]) == other and matched(tool, kind)
