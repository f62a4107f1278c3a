"""A reader of prompts alone: it sees nothing but the text that a model in a seat reads, and says who, what, how much,
when, which exhibit, and what is open. It must find all that the seat is granted and nothing else, in every case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from models.engine import Ask
from tasks.courts.agents.model import replies
from tasks.courts.agents.model.card import Form, card, worded
from tasks.courts.agents.model.conversation import CORE, portions
from tasks.courts.casefile.case import AdviceCase, CivilCase, CriminalCase
from tasks.courts.casefile.people import CUES, LawRef
from tasks.courts.casefile.roles import standpoints
from tasks.courts.casefile.visibility import leaks
from tasks.courts.environment import PUBLISHED, environment
from tasks.courts.scores.simulators import objections
from tasks.courts.scores.transcript import CourtTranscript
from tasks.courts.settings import CourtSettings
from tasks.errors import UsageError
from tasks.reports.words import phrase
from tasks.run.spec import RunSpec
from tasks.sample.build import court_cases
from tasks.scoring.result import ScoreContext
from tests.support.court_stage import Court, plain_reply, talk, views

CASES = {case.id: case for case in court_cases()}
SEATS = [(env, role) for env in PUBLISHED for role in environment(env).seats if role not in ("clerk", "tracker")]
PROFILES: tuple[tuple[Any, Form], ...] = (("law", "lean"), ("law", "free"), ("j1", "free"))
ELSEWHERE = r"topics\..*|client\.background"
"""Told turn by turn."""
IDS = r"(?:.*\.)?(?:id|side|owner|by|facts|proves|answers)|(?:evidence|parties|claims)\.kind"
WORDS = {
    "refuse": "不同意调解", "accept_if": "附条件同意调解", "admit": "（承认）", "partly": "（部分承认）",
    "deny": "（否认）",
    "guilty": "认罪", "partial": "部分认罪", "not_guilty": "不认罪", "none": "不懂法律，不用法律术语。",
    "some": "懂一点法律常识。",
}  # fmt: skip


class Reader:
    """Answers from a prompt."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines()
        self.plain = "".join(text.split())

    def facts(self) -> dict[str, list[str]]:
        """Heading -> facts under it."""
        made: dict[str, list[str]] = {}
        heading = ""
        for line in self.lines:
            if line.endswith("：") and "的事实" in line:
                heading = line
            elif match := re.fullmatch(r"　\d+\. (.*)", line):
                made.setdefault(heading, []).append(match[1])
        return made


@cache
def read(name: str, role: str, profile: Any = "law", form: Form = "lean") -> Reader:
    return Reader(card(views(CASES[name], role, profile=profile), form))


def granted(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Fields of what is held, lists left out of the path."""
    if isinstance(value, dict):
        table = path in ("statements", "mediation")
        for key, item in value.items():
            yield from granted(item, path if table else f"{path}.{key}".strip("."))
    elif isinstance(value, list):
        for item in value:
            yield from granted(item, path)
    else:
        yield path, value


def expected(path: str, value: Any, traits: Any) -> str:
    """How a prompt says a field; '' for what it says otherwise."""
    name = path.rpartition(".")[2]
    if re.fullmatch(IDS, path) or re.fullmatch(ELSEWHERE, path) or ".laws." in path:
        return ""
    if path.startswith(("criminal.request.", "claims.amount")) and name != "text":
        return ""  # the text of the request, or of the claim, says it
    if "big5" in path:
        return CUES[name][traits[name]]
    if name == "public":
        return "公开审理" if value else "不公开审理"
    if name == "signed":
        return "已签署认罪认罚具结书" if value else "没有签署认罪认罚具结书"
    if isinstance(value, str) and value in WORDS and name in ("stance", "position", "legal_literacy"):
        return WORDS[value]
    return "".join(worded(value).split()).rstrip("。；")


@pytest.mark.parametrize(("env", "role"), SEATS)
@pytest.mark.parametrize(("profile", "form"), PROFILES)
def test_a_prompt_says_all_that_its_seat_is_granted_and_nothing_else(
    env: str, role: str, profile: Any, form: Form
) -> None:
    """In every case, and in every fourth where only the words around what is granted differ."""
    said = 0
    of_env = [case for case in CASES.values() if case.env == env]
    for case in of_env if (profile, form) == PROFILES[0] else of_env[::4]:
        reader, view = read(case.id, role, profile, form), views(case, role)
        for path, value in granted(view.held):
            if words := expected(path, value, view.traits):
                assert words in reader.plain, (case.id, path, value)
                said += 1
        for charge in view.held.get("criminal", {}).get("charges", ()):
            assert all(LawRef.model_validate(law).chinese in reader.plain for law in charge.get("laws", ()))
        # Under the words of another role: nothing that this one is there to find is free, either.
        assert leaks(reader.text, case, env, role) == [], case.id
        before = reader.text.split("回复形式：")[0]
        assert not re.search(r"[a-z]_[a-z]|plaintiff|True|False|None|\d{4}-\d\d-\d\d|[{}]", before), case.id
        assert "钢琴" not in before and "琴行" not in before, "the example is of no case"
    assert said > 12 or role == "trainee" or env == "CD"


# --- postures -------------------------------------------------------------------------------------------------------


def test_nobody_is_handed_what_the_other_side_asserts_as_his_own() -> None:
    seen = {"contested": 0, "open": 0, "own": 0, "agreed": 0}
    one = ("defendant",)
    roles = {"CI": ("plaintiff_lawyer", "defendant_lawyer"), "CD": ("plaintiff",), "DD": one, "CR": one}
    for case in CASES.values():
        for role in roles.get(case.env, ()):
            side = role.removesuffix("_lawyer")
            facts = read(case.id, role).facts()
            words = {
                "contested": "(?:不承认|有争议)的事实",
                "open": "说法不一",
                "agreed": "没有争议",
                "own": "(?:主张|自己说|照实说)的事实",
            }
            for fact in case.fields()["facts"]:
                stance = standpoints(case, side)[fact["id"]]
                under = [heading for heading, texts in facts.items() if fact["text"] in texts]
                if under:
                    assert len(under) == 1 and re.search(words[stance], under[0]), (case.id, role, fact["id"])
                    seen[stance] += 1
    assert all(count > 10 for count in seen.values()), seen


def test_the_bench_and_the_procedure_have_their_words() -> None:
    for case in CASES.values():
        if not isinstance(case, CivilCase | CriminalCase) or not environment(case.env).trial:
            continue
        text = read(case.id, "judge").text
        alone = not case.court.panel
        assert ("独任审判员" in text, "审判长" in text) == (alone, not alone), case.id
        assert ("休庭" in text and "合议庭评议" in text) == (not alone)
        assert ("不公开审理" in text) == (not case.court.public) and "公开审理" in text
        assert f"适用{case.court.procedure}" in text
        for role in environment(case.env).others:
            if role != "clerk":
                assert not alone or "审判长" not in read(case.id, role).text, (case.id, role)
        assert ("一般不再举证质证" in text) == (case.court.procedure == "速裁程序")
        assert len(text) < 2000, case.id


@pytest.mark.parametrize(("env", "role"), [("KQ", "trainee"), ("CI", "judge"), ("CR", "procurator")])
@pytest.mark.parametrize(("profile", "form"), PROFILES)
def test_each_form_is_told_in_words(env: str, role: str, profile: Any, form: Form) -> None:
    """What a small model sees it writes: no object with placeholders, no sentence that could be a reply."""
    name = next(name for name, case in CASES.items() if case.env == env)
    for offered in ((), ("search_law", "show_law")):
        view = views(CASES[name], role, profile=profile, offered=offered)
        told = card(view, form).split("回复形式：")[1]
        assert '{"' not in told and "例如" not in told
        schemas = replies.schema_of(view).get("anyOf", [replies.schema_of(view)])
        keys = {key for one in schemas for key in one["properties"]} if form == "lean" else set()
        assert all(f"键 {key} 的值" in told for key in keys)


# --- the story of a client ------------------------------------------------------------------------------------------


def told(asks: list[Ask]) -> list[str]:
    """What a client was handed in each of its turns."""
    return ["".join(re.findall(r"可以说的（用自己的话）：(.*)", ask.messages[-1].content)) for ask in asks]


@pytest.mark.parametrize("name", ["LC-0001", "LC-0002", "LC-0007"])
def test_a_client_hears_its_story_in_portions(name: str) -> None:
    case = CASES[name]
    assert isinstance(case, AdviceCase)
    court = Court(case, talk(lambda role, number: "可以的，依照法律规定，对方应当赔偿。")).run()
    portion = told(court.prompts("client"))
    parts = portions(case.client.background, [topic.model_dump() for topic in case.topics])
    every = [part for texts in parts.values() for part in texts]
    assert sorted("".join(every)) == sorted("".join(case.client.background.split("\n")))
    assert all(part in "".join(portion) for part in every) and parts[CORE]
    assert max(map(len, portion)) < 0.75 * len(case.client.background)
    system = court.prompts("client")[0].messages[0].content
    assert not any(part in system for part in every)


# --- what comes next ------------------------------------------------------------------------------------------------


def told_next(ask: Ask) -> str:
    return "".join(re.findall("【提示】.*", ask.messages[-1].content))


@pytest.mark.parametrize(("env", "role"), [("CD", "plaintiff"), ("DD", "defendant")])
@pytest.mark.parametrize(("profile", "asked"), [("law", True), ("j1", False)])
def test_a_party_is_told_to_answer_as_who_it_is(env: str, role: str, profile: Any, asked: bool) -> None:
    """Where nothing tells it so, a small model takes the lawyer's part and gives the question back."""
    court = Court(
        CASES[f"{env}-0001"], lambda ask, role, n: plain_reply(ask, role, f"第{n}句。", ()), profile=profile
    )
    court.run(6)
    last = [ask.messages[-1].content.splitlines()[-1] for ask in court.prompts(role)]
    assert last and all(line.startswith("【提示】你是") == asked for line in last)


def test_a_judge_with_the_aid_is_told_the_one_thing_that_is_next() -> None:
    lines = {
        1: "请原告说明身份和代理权限。",
        2: "请继续。",
        3: "请被告说明身份和代理权限。",
        5: "现在开庭。本案案由为民间借贷纠纷，公开审理，由独任审判员程思砚独任审判，书记员韩小满担任记录。",
    }
    to = {1: ("原告委托诉讼代理人",), 3: ("被告委托诉讼代理人",)}
    court = Court(
        CASES["CI-0001"],
        lambda ask, role, number: plain_reply(
            ask, role, lines.get(number, f"第{number}次。") if role == "judge" else "本人，代理人宋知遥，特别授权。",
            to.get(number, ("全体",)),
        ),
        turns=40, aided=True,
    ).run(12)  # fmt: skip
    cues = [told_next(ask) for ask in court.prompts("judge")]
    ask = "【提示】接下来是“开庭”，对{}委托诉讼代理人说："
    assert cues[0].startswith(ask.format("原告") + "现在开庭。") and "当事人的基本情况" in cues[0]
    assert cues[1].startswith(ask.format("被告")) and cues[1] == cues[2], "what was not put is still the next"
    assert cues[3].startswith("【提示】接下来是“开庭”，对全体说：") and "公开开庭审理" in cues[3]
    assert all(one.count("【提示】") == 1 for one in cues)
    assert all("接下来" not in m.content for ask in court.prompts("judge") for m in ask.messages[:-1])
    assert not any("接下来" in m.content for ask in court.prompts("plaintiff_lawyer") for m in ask.messages)


@pytest.mark.parametrize(("profile", "aided"), [("law", False), ("j1", True)])
def test_nothing_is_told_without_the_aid_and_where_the_published_profile_plays(profile: Any, aided: bool) -> None:
    words = lambda role, number: f"对原告说：第{number}问。"  # noqa: E731
    court = Court(
        CASES["CI-0001"], talk(words, lambda role, number: ("全体",)), profile=profile, turns=2, aided=aided
    ).run()
    assert not any("接下来是" in m.content for ask in court.prompts("judge") for m in ask.messages)


def test_a_run_with_the_aid_is_not_comparable() -> None:
    nothing = CourtTranscript()
    for aid, made in (("off", []), ("duties", ["the judge was aided: duties"])):
        spec = RunSpec(benchmark="courts", agent="rules", settings={"aid": aid})
        assert objections(ScoreContext(spec=spec), [(CASES["CI-0001"], nothing)], []) == made
        assert objections(ScoreContext(spec=spec), [(CASES["KQ-0001"], nothing)], []) == [], "nobody judges there"
    assert "下一件" in phrase("the judge was aided: duties", "zh")


def test_the_aid_is_refused_where_the_published_profile_plays() -> None:
    for settings, says in (({"profile": "j1"}, "profile j1 knows no aid"), ({"aid": "law"}, "aid")):
        with pytest.raises(UsageError, match=says):
            CourtSettings.of({"aid": "duties", **settings}, "courts")
