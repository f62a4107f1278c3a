"""The rules policy at work on a handful of made-up rows: calls, fallbacks, sentences, and moves without memory."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.episode.actions import Answer, CallTool
from tasks.episode.events import Event, Planned, Record, Thought, ToolCalled, ToolReturned
from tasks.episode.seats import View
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.places import Place
from tasks.legalagentbench.rules.policy import RulesPolicy

PARENT, CHILD, OTHER = "青岚松雪科技股份有限公司", "北岭霁月新能源有限公司", "北岭霁月置业有限公司"
COURT, FIRM = "青岚市望江区人民法院", "青岚和颂律师事务所"
INDEX = NameIndex(
    {"company": [PARENT, CHILD, OTHER], "short": ["松雪科技"], "court": [COURT], "firm": [FIRM]},
    [Place("青岚省", "青岚市", "望江区")],
)
DOCS = [
    {"案号": "（2020）皖0104民初1号", "关联公司": CHILD, "日期": "2020年03月01日", "涉案金额（元）": 5000.0,
        "原告": "甲某", "被告": CHILD,
     "原告律师事务所": " - ", "被告律师事务所": FIRM, "案由": "买卖合同纠纷",
     "判决结果": "被告支付货款5000元及违约金500元。", "文书类型": "民事判决书"},
    {"案号": "（2021）皖0104民初2号", "关联公司": CHILD, "日期": "2021年03月01日", "涉案金额（元）": 90000.5,
        "原告": CHILD, "被告": "乙有限公司",
     "原告律师事务所": FIRM, "被告律师事务所": None, "案由": "劳务合同纠纷", "判决结果": "驳回。",
     "文书类型": "民事裁定书"},
]  # fmt: skip
RESTRICTED = [
    {"案号": "（2020）皖0104执3号", "限制高消费企业名称": CHILD, "涉案金额（元）": 100, "执行法院": COURT,
        "立案日期": "2020年01月01日",
     "限高发布日期": "2020年01月31日", "申请人": "丙某", "法定代表人": "丁某"},
    {"案号": "（2021）皖0104执4号", "限制高消费企业名称": CHILD, "涉案金额（元）": "2500.5", "执行法院": COURT,
        "立案日期": "2021年01月01日",
     "限高发布日期": "2021年03月01日", "申请人": "戊某", "法定代表人": "丁某"},
]  # fmt: skip
SUBS = [
    {
        "关联上市公司全称": PARENT,
        "上市公司关系": "子公司",
        "上市公司参股比例": "100.0",
        "上市公司投资金额": "2.00亿",
        "公司名称": CHILD,
    },
    {
        "关联上市公司全称": PARENT,
        "上市公司关系": "子公司",
        "上市公司参股比例": "60.0",
        "上市公司投资金额": "800.00万",
        "公司名称": OTHER,
    },
]
KNOWN: dict[tuple[str, str], Any] = {
    ("get_company_info", "松雪科技"): {"公司名称": PARENT, "公司简称": "松雪科技", "公司代码": "688001",
        "董秘": "赵某", "成立日期": "2005年09月01日", "上市日期": "2018年05月06日"},
    ("get_company_info", PARENT): {"公司名称": PARENT, "公司简称": "松雪科技", "公司代码": "688001", "董秘": "赵某",
        "成立日期": "2005年09月01日", "上市日期": "2018年05月06日"},
    ("get_company_register", CHILD): {"企业地址": "青岚市望江区云汉路1号", "注册资本": "9000万", "法定代表人": "丁某",
        "联系电话": "-"},
    ("get_sub_company_info", CHILD): SUBS[0],
    ("get_sub_company_info_list", PARENT): SUBS,
    ("get_legal_document_company_list", CHILD): DOCS,
    ("get_legal_document", DOCS[0]["案号"]): DOCS[0],
    ("get_restriction_case_company_list", CHILD): RESTRICTED,
    ("get_restriction_case_court_list", COURT): RESTRICTED,
    ("get_restriction_case", RESTRICTED[0]["案号"]): RESTRICTED[0],
    ("get_court_code", "皖0104"): {"法院名称": COURT, "法院代字": "皖0104", "法院级别": "基层法院"},
    ("get_court_info", COURT): {"法院地址": "望江路9号", "法院负责人": "周某", "法院省份": "青岚省",
        "法院城市": "青岚市", "法院区县": "望江区"},
    ("get_lawfirm_info_list", "青岚省青岚市望江区"): [
        {"律师事务所名称": FIRM, "事务所注册资本": "30万", "事务所成立日期": "2001年01月02日"},
        {"律师事务所名称": "青岚正衡律师事务所", "事务所注册资本": "300万", "事务所成立日期": "2015年03月04日"},
    ],
}  # fmt: skip


def call(tool: str, given: Any) -> tuple[str, Any]:
    key = given.get("identifier") or "".join(given.get(part, "") for part in ("prov", "city", "county"))
    value = KNOWN.get((tool, key))
    if value is None:
        return "no_data", None
    columns = given["columns"]
    if isinstance(value, list):
        return "ok", [{c: row.get(c) for c in columns} for row in value]
    return "ok", {c: value.get(c) for c in columns}


def play(question: str, index: NameIndex = INDEX) -> tuple[Answer, list[Event], list[CallTool]]:
    history: list[Record] = []
    events: list[Event] = []
    calls: list[CallTool] = []
    policy = RulesPolicy(index)
    while True:
        move = policy.move(View("agent", {"id": "x", "question": question}, tuple(history), len(calls) + 1))
        try:
            event = next(move)
            while True:
                assert isinstance(event, Event)
                events.append(event)
                event = move.send(0)
        except StopIteration as stop:
            action = stop.value
        if isinstance(action, Answer):
            return action, events, calls
        assert isinstance(action, CallTool)
        calls.append(action)
        status, value = call(action.tool, action.input)
        called = ToolCalled(seat="agent", tool=action.tool, input=action.input)
        returned = ToolReturned(seat="agent", tool=action.tool, status=status, observation="", value=value)
        history += [Record(len(history) + i, len(calls), None, 0.0, e) for i, e in enumerate((called, returned))]


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("松雪科技的董秘是谁？上市日期是哪天？", ["赵某", "2018年05月06日"]),
        (f"{CHILD}的母公司是谁，投资金额为多少亿元（保留两位小数），参股比例是多少？", [PARENT, "2.00亿元", "100"]),
        (f"{PARENT}投资的子公司有多少家，投资总额为多少元（保留两位小数）？", ["2家", "208000000.00元"]),
        (f"{PARENT}的全资子公司中投资金额超过1亿的有哪些？", [CHILD]),
        (f"{CHILD}的注册资本是多少亿元？（保留两位小数）", ["0.90亿元"]),
        (f"{CHILD}涉案金额大于10000元的裁判文书案号有哪些？", ["（2021）皖0104民初2号"]),
        (f"{CHILD}作为被告参与了多少次案件？", ["1次"]),
        (f"{CHILD}涉案金额最高的案件由哪个法院审理，法院的地址是什么？", [COURT, "望江路9号"]),
        (f"{CHILD}作为被告的案件所选择的律所是哪家？", [FIRM]),
        (f"{CHILD}和劳务相关的案件有多少起？", ["1起"]),
        ("（2020）皖0104民初1号的违约金是多少元，原告和被告分别是谁？（保留两位小数）", ["500.00元", "甲某", CHILD]),
        (f"{CHILD}被限高几次，总额是多少元（保留两位小数）？", ["2次", "2600.50元"]),
        (f"{CHILD}被限制高消费的案件的涉案金额平均是多少元（保留两位小数）？", ["1300.25元"]),
        (f"{CHILD}的限高案件的涉案金额最高与最低相差多少元（保留两位小数）？", ["2400.50元"]),
        (f"{CHILD}的裁判文书的涉案金额首尾相差多少元（保留两位小数）？", ["85000.50元"]),
        (f"{CHILD}的限高案件，涉案金额最大的和最小的之间差多少元（保留两位小数）？", ["2400.50元"]),
        (f"{CHILD}的裁判文书里最高的涉案金额减去最低的是多少元（保留两位小数）？", ["85000.50元"]),
        ("松雪科技从成立到上市隔了几年？", ["13年"]),
        (f"平均下来{CHILD}的裁判文书的涉案金额是多少元（保留两位小数）？", ["47500.25元"]),
        (f"{COURT}2021年审理的限制高消费案件有几次？", ["1次"]),
        ("（2020）皖0104执3号的立案日期和限高发布日期相差多少天？", ["30天"]),
        (f"{COURT}审理的限高案件中金额最高的公司被终本的次数是多少次？", ["0次"]),
        (f"{COURT}所在地区成立最早的律所是哪家？", [FIRM]),
        (f"{COURT}所在区县注册资本大于100万元的律师事务所有几家？", ["1家"]),
        (f"{CHILD}是不是上市公司？", ["不是上市公司"]),
        (f"{CHILD}的母公司是否为上市公司？股票代码是多少？", ["是上市公司", "688001"]),
        (f"{CHILD}的联系电话是多少？", ["-"]),
    ],
)
def test_answers(question: str, keys: list[str]) -> None:
    answer, _, _ = play(question)
    assert [key for key in keys if key not in answer.res] == []


def test_the_plan_is_published_once_and_every_call_has_its_thought() -> None:
    _, events, calls = play(f"{CHILD}涉案金额最高的案件的审理法院的负责人是谁？")
    assert [type(event) for event in events].count(Planned) == 1
    assert isinstance(events[0], Planned) and "get_court_code" in events[0].tools
    assert sum(isinstance(event, Thought) for event in events) == len(calls) + 1


def test_no_call_is_made_twice() -> None:
    _, _, calls = play(f"{PARENT}的子公司中涉案金额最高的案件的审理法院的负责人是谁？")
    assert len({(c.tool, str(c.input)) for c in calls}) == len(calls)


def test_the_summary_keeps_what_was_found_on_the_way() -> None:
    answer, _, _ = play(f"{COURT}审理的限高案件中金额最高的公司的母公司有几家子公司？")
    for detail in (CHILD, PARENT, "2500.5元", "（2021）皖0104执4号"):
        assert detail in answer.summary


def test_a_company_without_judgments_is_looked_up_in_enforcement_records() -> None:
    question = f"{OTHER}涉案金额最高的案件由哪个法院审理？"
    KNOWN[("get_finalized_case_company_list", OTHER)] = [
        {"案号": "（2020）皖0104执7号", "终本公司名称": OTHER, "执行标的（元）": 8.0, "执行法院": COURT}
    ]
    try:
        answer, _, _ = play(question)
    finally:
        del KNOWN[("get_finalized_case_company_list", OTHER)]
    assert COURT in answer.res


def test_moves_need_no_memory() -> None:
    first = play(f"{CHILD}的母公司投资了多少家子公司？")
    second = play(f"{CHILD}的母公司投资了多少家子公司？", INDEX)
    assert first[0] == second[0] and first[2] == second[2]


def test_nothing_to_recognise_is_said() -> None:
    answer, _, calls = play("什么是合同？")
    assert calls == [] and "无法查询" in answer.res
