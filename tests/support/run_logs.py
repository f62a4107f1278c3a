"""Small run logs of our own writing, in the three layouts of the published ones, over a pack of two rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from store.builder import PackBuilder

PACK = "two-rows"
COMPANY, COURT, CODE = "墨泽弈堂商贸股份有限公司", "云溪市云津区人民法院", "云0101"
NO_DATA = "No data found for the specified identifier.原因可能是: 一, 调用的工具不合适. 请你反思并尝试纠正."
BAD_COLUMN = "One or more specified columns do not exist.原因可能是: 调用工具时传入的columns列表有误."
REFUSED = "行动格式非法, 行动一次只能调用一次工具, 请你反思并尝试纠正."

LISTED = f"请问{COMPANY}是哪一天上市的？"
CODED = f"{COURT}的法院代字是什么？\n\n\n请只写代字。"
BROKEN = "请问这家法院的负责人是谁？"
ENDLESS = f"{COMPANY}的代码是多少？"
TASKS = {"1": (LISTED, "2016年07月25日"), "3": (CODED, CODE), "5": (BROKEN, "没有"), "7": (ENDLESS, "990101")}


def make_pack() -> None:
    """Two fictional rows and one known miss; of everything else the pack knows nothing."""
    with PackBuilder(
        PACK, jurisdiction="虚构法域", source="test", licence="MIT", coverage="complete", as_of="2026"
    ) as pack:
        pack.add_row(
            "CompanyInfo", {"公司名称": COMPANY, "公司代码": "990101", "上市日期": "2016年07月25日"}, "authored"
        )
        pack.add_row("CourtCode", {"法院名称": COURT, "法院代字": CODE, "行政级别": "区县级"}, "authored")
        pack.known_miss("get_company_info", ("无此公司",))


def make_tasks(folder: Path) -> Path:
    """The task file; task 9 is in no log."""
    rows = [
        {
            "id": int(task),
            "question": question,
            "answer": key,
            "key": [key],
            "key_middle": [],
            "type": "1-1-1",
            "way": "",
        }
        for task, (question, key) in {**TASKS, "9": ("另一个问题？", "另")}.items()
    ]
    file = folder / "tasks.json"
    file.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return file


def action(tool: str, given: Any) -> str:
    """An action as the models of the logs wrote it, without newlines."""
    return "```json" + json.dumps({"action": tool, "action_input": given}, ensure_ascii=False) + "```"


def final(text: str) -> str:
    """The action that ends an episode."""
    return action("Final Answer", text)


def ended(answer: str, summary: str = "") -> str:
    """What the harness prints at the end."""
    return f"final_anwer is {answer}\nsummary_answer is {summary or answer}\n\n\n"


def crashed(question: str) -> str:
    """A task whose program broke off: the question, then two chained tracebacks, with no empty line before the next
    question."""
    frames = 'Traceback (most recent call last):\n  File "react.py", line 7, in <module>\n    agent.run()\n'
    chained = "\nDuring handling of the above exception, another exception occurred:\n\n"
    return f"{question}\n{frames}KeyError: 'x'\n{chained}{frames}openai.BadRequestError: too long\n"


def react(question: str, *steps: tuple[str, str, str | None], end: str = "") -> str:
    """An episode of a ReAct log: (thought, action, observation); None leaves the line of the observation out."""
    lines = [question, ""]
    for n, (thought, said, seen) in enumerate(steps, 1):
        lines += [f"思考 {n}:  {thought}", f"行动 {n}:  {said}", *([] if seen is None else [f"观察 {n}: {seen}"])]
    return "\n".join(lines) + "\n" + end


def plan(question: str, *steps: tuple[str, str], end: str = "") -> str:
    """An episode of a planning log: (step, result)."""
    lines = [question, "", *(f"第{n}步计划: {step} 执行结果: {seen}" for n, (step, seen) in enumerate(steps, 1))]
    return "\n".join(lines) + "\n" + end


LOOKUP = action("get_company_info", {"identifier": COMPANY, "columns": ["上市日期"]})
LISTING = "{'上市日期': '2016年07月25日'}"


def react_log() -> str:
    """Task 5 broke off; task 7 was refused ten times and answered all the same."""
    return "".join(
        (
            react(
                LISTED,
                ("先查公司信息。", LOOKUP, LISTING),
                ("列名不对。", action("get_company_info", {"identifier": COMPANY, "columns": ["邮编"]}), BAD_COLUMN),
                ("查无此公司。", action("get_company_info", {"identifier": "无此公司", "columns": []}), NO_DATA),
                ("可以回答。", final("2016年07月25日"), ""),
                end=ended("2016年07月25日上市。", "该公司2016年07月25日上市。\n\n详见公告。"),
            ),
            crashed(BROKEN),
            react(
                CODED,
                (
                    "查代字。",
                    action("get_court_code", {"identifier": COURT, "columns": ["法院代字"]}),
                    f"{{'法院代字': '{CODE}'}}",
                ),
                ("可以回答。", final(CODE), None),
                end=ended(CODE),
            ),
            react(ENDLESS, *[("再想想。", "我不知道。", REFUSED)] * 10, end=ended("代码是990101。")),
        )
    )


def plan_log(quoting: bool) -> str:
    """With `quoting`, the last steps name what only the first results can have told: the log of a replanning run."""
    code = CODE if quoting else "上一步得到的法院代字"
    return "".join(
        (
            plan(
                LISTED,
                (f"使用get_company_info工具，根据\"{COMPANY}\"查询，列名为['上市日期']。", LISTING),
                ("使用get_sum工具，对上一步的结果求和。", "求和时发生错误，请检查参数格式！"),
                ("根据上述步骤, 请回答用户的原始问题。计划结束。", "它的上市日期是'2016年07月25日'。\n就是这一天。"),
                end=ended("2016年07月25日上市。"),
            ),
            plan(
                CODED,
                (f'使用get_court_code工具，根据法院名称"{COURT}"查询法院代字。', f"{{'法院代字': '{CODE}'}}"),
                (f'使用get_court_code工具，根据"{code}"查询行政级别。', "{'行政级别': '区县级'}"),
                ("使用get_court_info工具查询，列名为['邮编']。", BAD_COLUMN),
                (f"使用get_court_info工具，查询\"{COURT}\"，列名为['法院名称', '邮编']。", BAD_COLUMN),
                (f'使用get_court_info工具，查询"{COURT}"的邮编。', BAD_COLUMN),
                ("整理结果。", REFUSED),
                end=ended(CODE),
            ),
        )
    )
