"""The rules policy at work on a handful of made-up rows: names, paths, aggregates, what it cannot do, no memory."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.episode.events import Event, Planned, Record, Thought, ToolCalled, ToolReturned
from tasks.episode.seats import Answer, CallTool, View
from tasks.legalagentbench.rules.names import NameIndex, tidy
from tasks.legalagentbench.rules.policy import RulesPolicy

PARENT, CHILD, OTHER = "青岚松雪科技股份有限公司", "北岭霁月新能源有限公司", "北岭霁月置业有限公司"
COURT, FIRM = "青岚市望江区人民法院", "青岚和颂律师事务所"
INDEX = NameIndex(
    {"company": [PARENT, CHILD, OTHER], "short": ["松雪科技"], "court": [COURT], "firm": [FIRM]},
    [("青岚省", "青岚市", "望江区")],
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
    columns = given["columns"] or list(
        dict.fromkeys(c for row in ([value] if isinstance(value, dict) else value) for c in row)
    )
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
        (f"{CHILD}涉案金额大于10000元的裁判文书案号有哪些？", ["（2021）皖0104民初2号"]),
        (f"{CHILD}作为被告参与了多少次案件？", ["1次"]),
        (f"{CHILD}被限高几次，总额是多少元（保留两位小数）？", ["2次", "2600.50元"]),
        (f"{CHILD}被限制高消费的案件的涉案金额平均是多少元（保留两位小数）？", ["1300.25元"]),
        (f"{CHILD}的限高案件的涉案金额最高与最低相差多少元（保留两位小数）？", ["2400.50元"]),
        (f"{CHILD}的限高案件中涉案金额第二高的是多少元（保留两位小数）？", ["100.00元"]),
        ("松雪科技从成立到上市隔了几年？", ["13年"]),
        (f"{COURT}2021年审理的限制高消费案件有几次？", ["1次"]),
        ("（2020）皖0104执3号的立案日期和限高发布日期相差多少天？", ["30天"]),
        (f"{COURT}审理的限高案件中金额最高的公司被终本的次数是多少次？", ["0次"]),
        (f"{COURT}所在区县注册资本大于100万元的律师事务所有几家？", ["1家"]),
        (f"{CHILD}是不是上市公司？", ["不是上市公司"]),
        (f"{CHILD}的限高案件按立案日期由早到晚排列，案号依次是什么？", ["（2020）皖0104执3号、（2021）皖0104执4号"]),
    ],
)
def test_answers(question: str, keys: list[str]) -> None:
    answer, _, _ = play(question)
    assert [key for key in keys if key not in answer.res] == []


@pytest.mark.parametrize(
    ("question", "tools"),
    [
        (f"{CHILD}的限高案件中涉案金额最高的那件，执行法院的负责人是谁？",
         ["get_restriction_case_company_list", "get_court_info"]),
        ("松雪科技投资金额最高的子公司，登记的注册资本是多少？",
         ["get_company_info", "get_sub_company_info_list", "get_company_register"]),
        ("（2020）皖0104民初1号的承办法院属于什么法院级别？", ["get_court_code"]),
        (f"{COURT}所在区县有哪些律师事务所？", ["get_court_info", "get_lawfirm_info_list"]),
    ],
)  # fmt: skip
def test_the_path_is_the_shortest_that_explains_the_question(question: str, tools: list[str]) -> None:
    _, events, calls = play(question)
    assert [call.tool for call in calls] == tools
    (planned,) = (event for event in events if isinstance(event, Planned))
    assert planned.tools == ("", *tools), "the plan that is shown is the one that is carried out"
    assert sum(isinstance(event, Thought) for event in events) == len(calls) + 1


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        (f"请查{PARENT}的法人", "company", PARENT),
        ("请查青岚松雪科技股份公司的法人", "company", PARENT),
        ("请查松雪科技的法人", "short", "松雪科技"),
        ("(2020)皖0104执3号的法院", "case", "（2020）皖0104执3号"),
        ("代码91340104MA2N0Q7X8K是哪家", "credit", "91340104MA2N0Q7X8K"),
        ("股票代码６８８００１的上市公司", "stock", "688001"),
        ("青岚望江区有哪些律所", "place", "青岚省青岚市望江区"),
        ("青岚市望江区人民法院的地址", "court", COURT),
    ],
)
def test_names_are_found(text: str, kind: str, name: str) -> None:
    assert [(one.kind, one.name) for one in INDEX.find(tidy(text))] == [(kind, name)]


@pytest.mark.parametrize("text", ["什么是合同？", "北岭霁日新能源有限公司的法人", "2021年有哪些规定？"])
def test_exchanged_characters_and_plain_words_are_no_names(text: str) -> None:
    assert INDEX.find(tidy(text)) == []


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("什么是合同？", "没有可以识别的实体"),
        ("民事起诉状。原告：甲某。诉讼请求：判令被告支付货款。请撰写答辩状。", "不撰写法律文书"),
    ],
)
def test_what_rules_cannot_do_they_say(question: str, said: str) -> None:
    answer, events, calls = play(question)
    planned = next(event for event in events if isinstance(event, Planned))
    assert calls == [] and said in answer.res and any(said in step for step in planned.steps)
    assert "未查到" in play("（2023）皖0999执99号的执行法院的负责人是谁？")[0].res


def test_no_call_is_made_twice_and_moves_need_no_memory() -> None:
    question = f"{PARENT}的子公司中涉案金额最高的案件的审理法院的负责人是谁？"
    first, second = play(question), play(question)
    assert len({(one.tool, str(one.input)) for one in first[2]}) == len(first[2])
    assert first[0] == second[0] and first[2] == second[2]


def test_the_answer_tells_the_way_and_the_summary_what_was_found() -> None:
    answer, _, _ = play(f"{COURT}审理的限高案件中金额最高的公司的母公司有几家子公司？")
    assert CHILD in answer.res and PARENT in answer.res
    assert "2500.5" in answer.summary and "（2021）皖0104执4号" in answer.summary
