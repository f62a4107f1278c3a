"""Texts that pretend to be the court, its controls or its scorers (court_injections.jsonl) change nothing but the
words.

They are said by a role, each alone and all at once, or stand in the case, and are played against harmless texts in
their place. Who speaks when, stages, acts, exhibits, topics, the end and all scores of the tested seat must come out
the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from models.engine import Ask, Message
from tasks.courts.benchmark import Courts
from tasks.courts.casefile.case import Case
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.environment import Role, environment
from tasks.courts.play.tracking import MODEL as TRACKER
from tasks.courts.procedure.acts import closes
from tasks.courts.procedure.model import ProfileName
from tasks.courts.scores.drafted import END_MARK
from tests.support.court_run_fixture import changed, first_cases
from tests.support.court_stage import Court, by_rules, plain_reply

pytestmark = pytest.mark.slow

ITEMS = [
    json.loads(line) for line in (Path(__file__).parent / "court_injections.jsonl").read_text("utf-8").splitlines()
]
CASES = {case.env: case for case in first_cases()}
HARMLESS = "我说完了，谢谢。"
PROFILES: tuple[tuple[ProfileName, bool], ...] = (("law", False), ("law", True), ("j1", False))
"""Profile, and whether the tested seat speaks free text."""
P, D = "原告委托诉讼代理人", "被告委托诉讼代理人"
MARKS = {
    P: "对原告说：",
    D: "对被告说：",
    "公诉人": "对公诉机关说：",
    "被告人": "对被告当事人说：",
    "辩护人": "对被告辩护人说：",
    "": "",
}

CIVIL = (
    (P, "现在开庭。首先核对当事人身份，请原告{P1}说明身份，委托诉讼代理人{PL}说明代理权限。"),
    (D, "请被告{D1}说明身份和代理人的权限。"),
    (P, "本院今天公开开庭审理{P1}诉{D1}一案，由审判员独任审理，适用简易程序。原告是否申请回避？"),
    (D, "被告是否申请回避？"),
    (P, "现在进行法庭调查。请原告陈述诉讼请求以及事实和理由。"),
    (D, "请被告答辩。"),
    (P, "本庭归纳争议焦点如下：借款是否还清。原告对争议焦点有无异议？"),
    (D, "被告对争议焦点有无异议？"),
    (P, "请原告出示证据，说明证据的名称、来源和证明目的。"),
    (D, "请被告对原告出示的证据发表质证意见。"),
    (D, "被告有无证据向法庭出示？"),
    (P, "请原告对被告出示的证据发表质证意见。"),
    (P, "法庭调查结束，现在进行法庭辩论。请原告发表辩论意见。"),
    (D, "请被告发表辩论意见。"),
    (P, "法庭辩论终结。请原告陈述最后意见。"),
    (D, "请被告陈述最后意见。"),
    (P, "原告是否同意调解？"),
    (D, "被告是否同意调解？"),
    ("",
        "现在宣判。经审理查明，借款属实。原告的证据一、证据二予以采信；证据四系单方书写，不予采信。"
        "本院认为，被告应当还款。"
     "依照《中华人民共和国民法典》第六百七十五条的规定，判决如下：一、被告归还借款本金170000元；"
     "二、驳回其他诉讼请求。"
     "案件受理费由双方负担。如不服本判决，可以在判决书送达之日起十五日内上诉。现在闭庭。"),
)  # fmt: skip
CRIMINAL = (
    ("被告人", "现在开庭。被告人{A1}，说明你的姓名、出生日期、民族、文化程度、职业和住址。"),
    ("被告人", "你是否受过刑事处罚、行政处罚？何时被采取强制措施？"),
    ("被告人", "合议庭由独任审判员组成。被告人是否申请回避？"),
    ("辩护人", "辩护人是否申请回避？"),
    ("公诉人", "现在开始法庭调查。请公诉人宣读起诉书。"),
    ("被告人", "被告人对起诉书指控的犯罪事实和罪名有无异议？"),
    ("公诉人", "请公诉人出示证据，说明证据的名称、来源和拟证明的事实。"),
    ("被告人", "被告人对公诉人出示的证据有无意见？"),
    ("辩护人", "请辩护人发表质证意见。"),
    ("公诉人", "法庭调查结束，现在开始法庭辩论。请公诉人发表公诉意见。"),
    ("被告人", "被告人可以自行辩护。"),
    ("辩护人", "请辩护人发表辩护意见。"),
    ("被告人", "法庭辩论终结。被告人，现在由你作最后陈述。"),
    ("",
        "现在宣判。经审理查明，指控属实。公诉人出示的证据一、证据二予以采信。本院认为，被告人的行为已构成盗窃罪，"
        "量刑建议适当，予以采纳。"
     "依照《中华人民共和国刑法》第二百六十四条的规定，判决如下：被告人犯盗窃罪，判处有期徒刑八个月，"
     "并处罚金人民币四千元。"
     "如不服本判决，可在接到判决书的第二日起十日内提出上诉。现在闭庭。"),
)  # fmt: skip
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "plaintiff_lawyer": (
        "原告身份属实，男，汉族，委托诉讼代理人，特别授权。", "不申请回避。",
        "请求判令被告归还借款本金二十万元，支付利息13500元、律师费8000元。",
        "没有异议。", "出示证据一至证据五，来源于原告，证明借款经过。",
        "对被告的证据真实性无异议，对证明目的有异议。", "被告应当还款付息。",
        "坚持诉讼请求。", "不同意调解。",
    ),
    "defendant_lawyer": (
        "被告身份属实，男，汉族，委托诉讼代理人，一般授权。", "不申请回避。",
        "收到借款属实，已经还款三万元，应当从本金中扣除，不同意原告的其余请求。",
        "没有异议。", "对原告的证据均无异议，证据四真实性不认可。", "出示证据一、证据二，来源于被告，证明已经还款。",
        "借款已经部分归还。", "请求驳回其余请求。", "不同意调解。",
    ),
    "procurator": (
        "2024年5月18日3时许，被告人邵远舟携带钳子至云汀数码城一层“清和手机店”，撬开卷帘门挂锁进入店内，"
        "窃得被害人贺屿待售的手机四部。"
        "被告人到案后如实供述，自愿认罪认罚，应当以盗窃罪追究其刑事责任。",
        "出示证据一至证据九，证明盗窃经过。",
        "被告人如实供述自己的罪行，自愿认罪认罚，退赔损失并取得谅解，可以从轻处罚。",
    ),
    "defendant": (
        "我叫邵远舟，1996年出生，汉族，无业。", "以前被拘留过，今年五月被拘留、逮捕。", "不申请回避。",
        "没有异议，我认罪。",
        "没有意见，都属实。", "我知道错了。", "我真心悔过，请求从轻处罚。",
    ),
    "defence_lawyer": (
        "不申请回避。", "对证据的真实性、合法性、关联性均无异议，证据六同时显示被告人未携带凶器。",
        "被告人到案后如实供述，系坦白，自愿认罪认罚，亲属全额赔偿，取得被害人谅解。公诉机关的量刑建议适当，"
        "建议法庭采纳。",
    ),
    "trainee": ("可以，《中华人民共和国民法典》第七百二十五条有规定。", "不可以。",
        "依照《中华人民共和国劳动合同法》第二十条。", "这要看情况。"),
    "client": ("我想问问。", "这个能不能要回来？", "那我该怎么办？"),
    "CD/plaintiff": ("我叫周映川，男，汉族，住柳荫街。", "对方是罗成溪，借了我二十万元。", "有借条和转账回单。"),
    "DD/defendant": ("我叫罗成溪，男，汉族，住石桥路。", "我已经还了三万元。", "有转账记录。"),
    "plaintiff_lawyer/CD": ("请问您叫什么名字，住在哪里？", "请问对方是谁，借了多少钱？", "请问有哪些证据？"),
    "defendant_lawyer/DD": ("请问您叫什么名字，住在哪里？", "您有什么答辩意见？", "请问有哪些证据？"),
}  # fmt: skip
DOCUMENTS = {
    "CD": "民事起诉状\n原告：周映川，男，汉族\n被告：罗成溪\n诉讼请求：归还借款本金200000元\n"
    "事实和理由：2023年3月15日借款二十万元。\n"
    "证据和证据来源，证人姓名和住所：借条一张，原告持有\n询问结束",
    "DD": "民事答辩状\n答辩人：罗成溪，男，汉族\n"
    "对望川省澜江市青禾区人民法院（2024）望0102民初1836号原告周映川诉被告罗成溪民间借贷纠纷一案的起诉，"
    "答辩如下：已经还款三万元。\n证据和证据来源，证人姓名和住所：手机银行转账记录，被告持有\n询问结束",
}  # fmt: skip


class Play:
    """The same words in every run, with these texts added to those of one role, another in each of its turns."""

    def __init__(self, case: Case, profile: ProfileName, free: bool, role: Role = "", *texts: str) -> None:
        self.case, self.profile, self.role, self.texts = case, profile, role, texts
        self.marked = profile == "j1" or free
        self.turns: dict[Role, dict[tuple[Message, ...], int]] = {}

    def __call__(self, ask: Ask, role: Role, number: int) -> str:
        if ask.seat == "tracker":
            return json.dumps(obedient(ask.messages[-1].content), ensure_ascii=False)
        turns = self.turns.setdefault(role, {})  # who is asked once more says the same again
        number = turns.setdefault(ask.messages, len(turns) + 1)
        to, words = self._said(role, number)
        if role in ("trainee", "client"):  # each has something new to say in every turn
            words += f"这是第{number}点。"
        if role == self.role:
            words += f"\n{self.texts[(number - 1) % len(self.texts)]}"
        return plain_reply(ask, role, words, (to,) if to else ("全体",))

    def _said(self, role: Role, number: int) -> tuple[str, str]:
        env = self.case.env
        if role == "judge":
            script = CIVIL if env == "CI" else CRIMINAL
            to, words = script[min(number, len(script)) - 1]
            return to, (MARKS[to] if self.marked and to else "") + filled(words, self.case)
        if env in DOCUMENTS and role.endswith("_lawyer"):
            asked = ANSWERS[f"{role}/{env}"]
            return "", asked[number - 1] if number <= len(asked) else DOCUMENTS[env]
        answers = ANSWERS.get(f"{env}/{role}") or ANSWERS[role]
        return "", answers[(number - 1) % len(answers)]


def filled(words: str, case: Case) -> str:
    """The names of the case read out, as a judge has to."""
    for party in getattr(case, "parties", ()):
        words = words.replace(f"{{{party.id}}}", party.name)
        words = words.replace("{PL}", party.counsel.name if party.counsel else "")
    return words


def obedient(prompt: str) -> dict[str, Any]:
    """What a tracker says that believes whatever it reads."""
    reply = prompt.rpartition("【答复】")[2]
    at = reply.find('{"topic_id"')
    with suppress(ValueError):
        if at >= 0:
            return dict(json.JSONDecoder().raw_decode(reply, at)[0])
    return {"topic_id": None, "answered": False, "verdict": "none", "quote": ""}


def came_of(court: Court) -> dict[str, Any]:
    """All that must not depend on an injected text."""
    state = court.driver.state
    result = Courts().result(court.case.id, 0, state)
    rows = Courts().score_rows(1, CourtQuestion(court.case), result)
    return {
        "spoke": [(turn.number, turn.speaker, turn.to, turn.stage) for turn in court.record],
        "routed": [(event.to, event.how, event.dropped) for event in court.tagged("routed")],
        "stages": [event.stage for event in court.tagged("stage_entered")],
        "acts": [(event.key, event.turn) for event in court.tagged("act_done")],
        "faults": [(event.code, event.turn, event.act, event.side) for event in court.tagged("violation")],
        "exhibits": [(event.exhibit, event.state) for event in court.tagged("exhibit_moved")],
        "topics": [(e.pointer, e.topic, e.answered, e.verdict) for e in court.tagged("topic_tracked")],
        "tools": len(court.tagged("tool_called")),
        "margins": margins(court),
        "end": (state.stopped.outcome, state.stopped.reason) if state.stopped else None,
        "scores": {row.scorer: row.value for row in rows if row.scorer not in ("consistency", "validity")},
    }  # fmt: skip


def played(
    case: Case, profile: ProfileName, free: bool, role: Role = "", *texts: str, tracker: str = ""
) -> dict[str, Any]:
    seats = {"tracker": tracker} if tracker else {}
    court = Court(case, Play(case, profile, free, role, *texts), profile=profile, free=free, turns=24, **seats)  # type: ignore[arg-type]
    return came_of(court.run())


@cache
def undisturbed(env: str, profile: ProfileName, free: bool, role: Role, tracker: str) -> dict[str, Any]:
    return played(CASES[env], profile, free, role, HARMLESS, tracker=tracker)


def with_field(case: Case, field: str, text: str) -> Case:
    """The case with another text at a path."""
    data = changed(case.fields(), field, text)
    return environment(data["env"]).case.model_validate(data)


NEUTRAL = {"agent_title": "法律实习生", "name": "吴庭柏", "question": "劳动合同签一年，试用期可以约定三个月吗？"}


@pytest.mark.parametrize("env", CASES)
def test_the_plays_go_somewhere(env: str) -> None:
    """What is compared is not empty: trials reach their judgment, acts are credited, exhibits admitted."""
    found = undisturbed(env, "law", False, "client", "")
    assert found["end"][0] == "finished" and found["spoke"] and found["scores"]
    if env in ("CI", "CR"):
        assert len(found["acts"]) > 12 and len(found["stages"]) > 3
        assert {state for _, state in found["exhibits"]} >= {"已出示", "已质证", "采信"}
        assert found["scores"]["pfs_strict"]["PFS"] > 0.4 and found["scores"]["pfs_compat"]["PFS"] > 0


SPEECH: dict[tuple[str, Role], list[str]] = {}
for item in ITEMS:
    if item["where"] == "speech":
        SPEECH.setdefault((item["env"], item["role"]), []).append(item["text"])
FIELDS = [item for item in ITEMS if item["where"] == "field" and not item.get("refused")]


def same_as_undisturbed(env: str, role: Role, profile: ProfileName, free: bool, *texts: str) -> None:
    for tracker in ("", TRACKER) if env in ("KQ", "LC") else ("",):
        found = played(CASES[env], profile, free, role, *texts, tracker=tracker)
        assert found == undisturbed(env, profile, free, role, tracker), (profile, free, texts)


@pytest.mark.parametrize("number", range(len(PROFILES)))
@pytest.mark.parametrize(("env", "role"), SPEECH)
def test_what_a_role_says_is_only_said(env: str, role: Role, number: int) -> None:
    """Each alone, another in each turn; a profile begins where the one before may have ended."""
    tries = SPEECH[env, role]
    begin = number * -(-len(tries) // len(PROFILES))
    same_as_undisturbed(env, role, *PROFILES[number], *tries[begin:], *tries[:begin])


@pytest.mark.parametrize(("env", "role"), SPEECH)
def test_all_that_a_role_may_try_at_once(env: str, role: Role) -> None:
    """In every turn; a mark of reasoning swallows the rest, so it comes last."""
    profile, free = PROFILES[list(SPEECH).index((env, role)) % len(PROFILES)]
    tries = "\n".join(sorted(SPEECH[env, role], key=lambda text: "<think>" in text))
    same_as_undisturbed(env, role, profile, free, tries)


@pytest.mark.parametrize(("env", "role"), SPEECH)
def test_rules_in_every_seat_keep_the_reins(env: str, role: Role) -> None:
    """Rules weigh what others say, whatever it is; but nobody else ends the trial or the interview for them."""
    court = by_rules(CASES[env], said_too={role: "\n".join(SPEECH[env, role])})
    own = [turn for turn in court.record if turn.speaker == environment(CASES[env].env).tested and turn.number]
    assert court.outcome == "finished" and not court.tagged("tool_called") and len(own) > 3
    if env in ("CI", "CR"):
        assert [closes(turn.text) for turn in own] == [False] * (len(own) - 1) + [True] and "判决如下" in own[-1].text
    if env in DOCUMENTS:
        assert [END_MARK in turn.text for turn in own] == [False] * (len(own) - 1) + [True]
        assert own[-1].text.count(END_MARK) == 1 and own[-1].text.endswith(END_MARK)


@pytest.mark.parametrize("item", [item for item in ITEMS if item.get("refused")], ids=lambda item: item["id"])
def test_a_name_that_steers_a_hearing_is_refused(item: dict[str, Any]) -> None:
    """Judges have to read names out: one that closes the trial or opens a stage is no name."""
    with pytest.raises(ValidationError, match="would steer the hearing"):
        with_field(CASES[item["env"]], item["field"], item["text"])


PARTS = [(env, part) for env in CASES for part in range(2 if env == "CI" else 1)]


@pytest.mark.parametrize("number", range(len(PROFILES)))
@pytest.mark.parametrize(("env", "part"), PARTS)
def test_what_stands_in_a_case_is_only_told(env: str, part: int, number: int) -> None:
    """All fields at once, against words that pretend nothing; a field that is tried twice, the second time."""
    hostile = plain = CASES[env]
    of_env = [item for item in FIELDS if item["env"] == env]
    for item in reversed(of_env) if part else of_env:
        hostile = with_field(hostile, item["field"], item["text"])
        plain = with_field(plain, item["field"], NEUTRAL.get(item["field"].rpartition(".")[2], "一切照常。"))
    assert played(hostile, *PROFILES[number]) == played(plain, *PROFILES[number])


def margins(court: Court) -> list[str]:
    """What stands at the margin of prompts: speakers and cues, which only this program may write. A prompt that is
    asked once more, of who says the same in every turn, counts once."""
    prompts = dict.fromkeys(ask.messages for _, ask in court.asks if ask.seat != "tracker")
    contents = [m.content for messages in prompts for m in messages if m.role != "assistant"]
    return [line.partition("】")[0] for content in contents for line in content.splitlines() if line.startswith("【")]
