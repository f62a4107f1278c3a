"""A client and a drafting lawyer by rules: many ways to ask, free ways to answer, and whatever else may be said."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.courts.agents.clients.asking import wanted
from tasks.courts.agents.clients.seat import AskingClient, TellingClient
from tasks.courts.agents.drafting.dossier import learnt
from tasks.courts.agents.drafting.seat import Drafter
from tasks.courts.agents.trainee import Trainee
from tasks.courts.casefile.case import AdviceCase, CivilCase
from tasks.courts.casefile.visibility import leaks
from tasks.courts.environment import environment
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.drafted import END_MARK
from tests.support.advice_plays import CASES, Play, said_by

PHRASES = (
    ("CD-0001", "请问您怎么称呼？", "周映川"),
    ("CD-0001", "请说一下您的姓名、性别、民族、出生日期。", "周映川，男，汉族，1979年4月12日"),
    ("CD-0001", "您家住在哪里？", "柳荫街26号3幢502室"),
    ("CD-0001", "您的联系电话是多少？", "0417"),
    ("CD-0001", "您是做什么工作的？", "茶叶店经营者"),
    ("CD-0001", "您的工作单位是哪里？", "不方便透露"),
    ("CD-0001", "对方叫什么名字？住在哪儿？", "石桥路9号1幢301室"),
    ("CD-0001", "被告的电话是多少？", "我不清楚"),
    ("CD-0001", "被告的性别、民族和出生年月呢？", "男，汉族，1981年11月3日"),
    ("CD-0001", "请您把双方的基本信息都说一下。", "罗成溪"),
    ("CD-0001", "您有哪些诉讼请求？", "归还我借款本金200000元"),
    ("CD-0001", "您希望法院判对方做什么？", "律师费8000元"),
    ("CD-0001", "这些钱是怎么算出来的？", "200000元为基数"),
    ("CD-0001", "请把借款的来龙去脉讲一遍。", "装修其经营的面馆"),
    ("CD-0001", "您是什么时候把钱借出去的？", "2023年3月15日"),
    ("CD-0001", "利息付到哪一天？", "2023年9月14日"),
    ("CD-0001", "您手上有什么证据吗？", "借条一张"),
    ("CD-0001", "借条是原件还是复印件？", "我持有的原件"),
    ("CD-0001", "微信聊天记录能证明什么？", "多次催要"),
    ("CD-0001", "有证人吗？", "没有证人"),
    ("CD-0001", "您想向哪个法院起诉？", "不懂"),
    ("CD-0001", "起诉状怎么写，您有要求吗？", "您是律师"),
    ("CD-0001", "您家养狗吗？", "不清楚"),
    ("CD-0003", "对方公司的全称是什么，法定代表人是谁，担任什么职务？", "司徒瑞"),
    ("CD-0004", "谁能作证？请说证人的姓名和住址。", "詹守田，住在望川省石堰县禾溪镇桥头村"),
    ("DD-0007", "贵公司的全称、住所地和法定代表人的姓名、职务是什么？", "温庭昀，职务是执行董事"),
    ("DD-0007", "原告叫什么名字，住哪里？", "虞星眠"),
    ("DD-0007", "对原告的起诉，您有什么意见？", "不构成欺诈"),
    ("DD-0007", "原告的哪些说法您不同意？", "不应退款"),
    ("DD-0007", "您有什么证据材料？从哪里来的？", "我们公司从店铺后台打印"),
    ("DD-0001", "您同意归还本金吗？", "现欠本金17万元"),
)


@pytest.mark.parametrize(("case_id", "question", "answer"), PHRASES)
def test_a_lawyer_may_ask_in_many_words(case_id: str, question: str, answer: str) -> None:
    case = CASES[case_id]
    role, record = (
        environment(case.env).others[0],
        [
            Turn(0, environment(case.env).others[0], (), "律师您好。"),
            Turn(1, environment(case.env).tested, (), question),
        ],
    )
    told = said_by(TellingClient(None), case, role, record)
    assert answer in told
    assert leaks(told, case, case.env, role, [turn.text for turn in record]) == []


def test_several_questions_are_answered_in_their_order() -> None:
    case = CASES["CD-0001"]
    record = [
        Turn(0, "plaintiff", (), "您好。"),
        Turn(1, "plaintiff_lawyer", (), "您叫什么名字？有什么诉讼请求？有哪些证据？"),
    ]
    told = said_by(TellingClient(None), case, "plaintiff", record)
    assert told.index("周映川") < told.index("200000元") < told.index("借条一张")


def test_days_and_sums_come_roughly_first_and_exactly_when_asked_again() -> None:
    case = CASES["CD-0001"]
    careless = {"conscientiousness": "low", "extraversion": "medium"}
    record = [Turn(0, "plaintiff", (), "您好。"), Turn(1, "plaintiff_lawyer", (), "您的诉讼请求是什么？")]
    first = said_by(TellingClient(None), case, "plaintiff", record, traits=careless)
    record += [Turn(1, "plaintiff", (), first), Turn(2, "plaintiff_lawyer", (), "诉讼请求的金额请说准确。")]
    second = said_by(TellingClient(None), case, "plaintiff", record, traits=careless)
    assert "200000元" not in first and "几十万" in first
    assert "200000元" in second and "13500元" in second


# --- the lawyer -----------------------------------------------------------------------------------------------------


def interview(answers: dict[str, str], turns: int = 20) -> tuple[list[str], str]:
    """The questions of the drafter to somebody who answers in words of their own, and the document."""
    case = CASES["CD-0001"]
    record = [Turn(0, "plaintiff", (), "我要起诉。")]
    for turn in range(1, turns + 1):
        asked = said_by(Drafter(None), case, "plaintiff_lawyer", record, turn=turn, limit=turns)
        record.append(Turn(turn, "plaintiff_lawyer", ("plaintiff",), asked))
        if END_MARK in asked:
            break
        reply = next((said for words, said in answers.items() if re.search(words, asked)), "没有了。")
        record.append(Turn(turn, "plaintiff", ("plaintiff_lawyer",), reply))
    return [turn.text for turn in record if turn.speaker == "plaintiff_lawyer"], record[-1].text


OWN_WORDS = {
    "^请问您的姓名": "陈小满，女，汉族，1990年5月6日生，家住北河省南江市东城区槐树街3号。",
    "^您的职业": "我的手机号是13900001111",
    "^对方": "他叫刘大海，是男的，身份证我没见过，住在北河省南江市西城区柳巷9号。",
    "^您希望": "我就是要他把五万块钱还我：1、要求被告归还借款50000元；2、支付逾期利息；3、诉讼费由他出。",
    "^请把事情": "2024年1月10日他说做生意周转，向我借了50000元，说好半年还。到期以后我去要过好几次，他都说没钱。"
    "谢谢律师，麻烦您了。",
    "^您手里": "1、借条，在我手里，是原件。2、微信转账截图，我手机里截的。",
    "^这些证据": "借条能证明他借了钱；微信转账截图证明我把钱给他了。",
    "证人": "证人叫赵春生，住在北河省南江市东城区杏花路8号。",
}


def test_free_wording_is_understood() -> None:
    asked, document = interview(OWN_WORDS)
    for part in (
        "原告：陈小满，女，1990年5月6日出生，汉族，住北河省南江市东城区槐树街3号。", "被告：刘大海，男",
        "住北河省南江市西城区柳巷9号",
        "归还借款50000元", "逾期利息", "2024年1月10日", "借条", "微信转账截图",
        "证人：赵春生，住北河省南江市东城区杏花路8号。",
        "北河省南江市西城区人民法院",
    ):  # fmt: skip
        assert part in document, part
    assert "谢谢" not in document and "麻烦" not in document
    assert len(asked) < 16


def test_rough_figures_are_asked_for_once_more_and_silence_too() -> None:
    rough = {**OWN_WORDS, "^您希望": "一是要求被告归还借款几万", "^诉讼请求里": "一是要求被告归还借款50000元"}
    asked, document = interview(rough)
    assert sum("再说准确一点" in text and "诉讼请求" in text for text in asked) == 1
    assert "50000元" in document and "几万" not in document.split("事实和理由")[0]
    silent, empty = interview({".": "。"})
    assert sum("诉讼请求是什么" in text for text in silent) == 1
    assert empty.startswith("民事起诉状") and empty.endswith(END_MARK)


@pytest.mark.parametrize("turns", [1, 2, 4, 6])
def test_a_document_is_handed_in_before_the_turns_are_over(turns: int) -> None:
    asked, document = interview(OWN_WORDS, turns)
    assert len(asked) <= turns
    assert document.startswith("民事起诉状") and END_MARK in document
    for case_id in ("CD-0009", "DD-0011"):
        one = Play(CASES[case_id], "law", turns=turns)
        assert one.outcome == "finished" and len(one.own) <= turns


@pytest.mark.parametrize(
    ("question", "slots"),
    [
        ("您的诉讼请求是什么？", ["claims"]), ("这些证据从哪里来？", ["source"]), ("还有别的证据吗？", ["evidence"]),
        ("证人的姓名和住址是什么？", ["witness"]), ("好的，我记下了。", []), ("事情的经过是怎样的？", ["facts"]),
    ],
)  # fmt: skip
def test_what_a_question_asks_for(question: str, slots: list[str]) -> None:
    assert [want.slot for want in wanted(question, "plaintiff")] == slots


# --- anything may be said -------------------------------------------------------------------------------------------

WORDS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from("第一是。；，？吗2023年3月5日20万元《民法典》我对方证据证人叫住在（）“”\n没有了询问结束"),
        max_size=60,
    ).map("".join),
)
FREELY = settings(max_examples=25)


@FREELY
@given(WORDS, st.sampled_from(["CD-0004", "DD-0007", "LC-0004", "KQ-0002"]))
def test_the_other_side_may_say_anything(text: str, case_id: str) -> None:
    case = CASES[case_id]
    tested, other = environment(case.env).tested, environment(case.env).others[0]
    policy: Any = Trainee(None) if case.env in ("KQ", "LC") else Drafter(None)
    client: Any = AskingClient(None) if case.env in ("KQ", "LC") else TellingClient(None)
    heard = [Turn(0, other, (), text), Turn(1, tested, (), text), Turn(1, other, (), text)]
    assert said_by(policy, case, tested, heard).strip()
    assert isinstance(said_by(client, case, other, [*heard, Turn(2, tested, (), text)]), str)


@FREELY
@given(WORDS)
def test_the_drafter_always_ends(text: str) -> None:
    asked, document = interview({".": text}, 12)
    assert len(asked) <= 12 and END_MARK in document
    assert learnt([Turn(1, "plaintiff", (), text)], "plaintiff").client == "plaintiff"


def test_what_a_client_said_is_no_leak_in_the_words_of_a_document() -> None:
    case = CASES["CD-0001"]
    assert isinstance(case, CivilCase)
    heard = ["2023年3月15日，对方因装修其经营的面馆向我借款20万元，我当日通过银行转账交付。"]
    written = "2023年3月15日，被告因装修其经营的面馆向原告借款20万元，原告当日通过银行转账交付。"
    assert leaks(written, case, "CD", "plaintiff_lawyer", heard) == []
    assert leaks(written, case, "CD", "plaintiff_lawyer", [])[0].field == "complaint"
    advice = CASES["LC-0004"]
    assert isinstance(advice, AdviceCase)
    assert leaks("。".join(advice.topics[0].points), advice, "LC", "trainee") == []
    assert leaks("。".join(advice.topics[0].points), advice, "LC", "client") != []
