"""Defence statements of the rules policy: parties, form, articles as retrieved, nothing made up."""

from __future__ import annotations

from typing import Any

from tasks.legalagentbench.rules.complaint import deducted_principal, read_complaint
from tasks.legalagentbench.rules.defence import cited, points_for
from tasks.legalagentbench.rules.execute import Outcome
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.writing import is_writing, write, writing_steps

QUESTION = (
    """林某向 北岭霁月新能源有限公司和北岭霁月置业有限公司 发起起诉，以下是起诉状内容。
【起诉状开始】

民事起诉状
原告：林某
被告一：北岭霁月新能源有限公司
被告二：北岭霁月置业有限公司
被告三：王某

诉讼请求：
请求判令三被告共同偿还借款本金100,000元；

事实与理由：
2020年1月2日，被告一向原告借款100,000元，约定月利率2%。在扣除当月利息2,000元后，原告实际向被告一转账98,000元。被告至今未还。

此致
青岚市望江区人民法院
【起诉状结束】

北岭霁月新能源有限公司、北岭霁月置业有限公司委托给了青岚和颂律师事务所，你是青岚和颂律师事务所的负责人，请你针对上述内容撰写一份答辩状。

你在之前的信息整理过程中确认了以下起诉状中未提及的事实：
1. 2021年5月6日，北岭霁月新能源有限公司已经归还30,000元

答辩状格式：

答辩人：XXX
地址：XXX
"""
    + "（以下略）" * 30
)
ARTICLE = "民间借贷规定第二十六条：预先在本金中扣除利息的，人民法院应当将实际出借的金额认定为本金。\\n\\n第二款。"


def written(register: dict[str, dict[str, Any]]) -> tuple[str, str]:
    work = write(QUESTION, NameIndex({}))
    outcome = Outcome("no_data")
    try:
        call = next(work)
        while True:
            if call.tool == "get_company_register" and call.input["identifier"] in register:
                outcome = Outcome("ok", register[call.input["identifier"]])
            elif call.tool == "get_lawfirm_info":
                outcome = Outcome(
                    "ok", {"律师事务所名称": "青岚和颂律师事务所", "律师事务所负责人": "周某", "通讯电话": "0551-1"}
                )
            elif call.tool == "legal_article_retriever":
                outcome = Outcome("ok", [ARTICLE, "没有标题的文字"])
            else:
                outcome = Outcome("no_data")
            call = work.send(outcome)
    except StopIteration as stop:
        result: tuple[str, str] = stop.value
        return result


def test_the_complaint_is_read() -> None:
    complaint = read_complaint(QUESTION)
    assert complaint.plaintiffs == ("林某",)
    assert complaint.clients == ("北岭霁月新能源有限公司", "北岭霁月置业有限公司")
    assert complaint.companies == complaint.clients
    assert complaint.firm == "青岚和颂律师事务所"
    assert complaint.cause == "民间借贷纠纷"
    assert complaint.court == "青岚市望江区人民法院"
    assert complaint.own_facts == ("2021年5月6日，北岭霁月新能源有限公司已经归还30,000元",)
    assert deducted_principal(complaint.body) == 98000


def test_the_document_has_the_form_and_cites_what_was_retrieved() -> None:
    cells = {"企业地址": "云汉路1号", "法定代表人": "丁某", "统一社会信用代码": "91X", "联系电话": "123"}
    document, summary = written({"北岭霁月新能源有限公司": cells})
    for text in (
        "答辩人一：北岭霁月新能源有限公司", "地址：云汉路1号", "法定代表人：丁某", "答辩人二：北岭霁月置业有限公司",
        "委托诉讼代理人：青岚和颂律师事务所，周某，0551-1", "被答辩人：林某", "民间借贷规定第二十六条", "98,000元",
        "100,000元",
        "2020年1月2日", "30,000元", "此致\n青岚市望江区人民法院",
    ):  # fmt: skip
        assert text in document
    assert "王某" not in document.split("案由")[0]
    assert document in summary


def test_what_the_pack_lacks_is_said() -> None:
    document, _ = written({})
    assert "法定代表人：（数据包未收录）" in document


def test_the_plan_names_a_tool_for_each_step() -> None:
    steps, tools = writing_steps(QUESTION, NameIndex({}))
    assert len(steps) == len(tools) and tools.count("get_company_register") == 2 and tools[-1] == ""
    assert is_writing(QUESTION) and not is_writing("答辩状是什么？")


def test_articles_are_cited_as_they_begin() -> None:
    assert cited(ARTICLE) == (
        "民间借贷规定第二十六条",
        "预先在本金中扣除利息的，人民法院应当将实际出借的金额认定为本金。第二款。",
    )
    assert cited("没有标题的文字") is None


def test_points_end_with_the_burden_of_proof() -> None:
    titles = [point.title for point in points_for(read_complaint(QUESTION))]
    assert "关于借款本金数额" in titles and titles[-1] == "关于举证责任"


def test_an_empty_complaint_is_no_error() -> None:
    complaint = read_complaint("请撰写一份答辩状。")
    assert complaint.plaintiffs == () and points_for(complaint)
