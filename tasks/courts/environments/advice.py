"""KQ and LC: somebody asks for advice, a trainee answers; a tracker reads which question a reply answers."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.courts.casefile.case import AdviceCase
from tasks.courts.environment import Environment, Seat
from tasks.courts.environments.grants import PERSONA, fields_of
from tasks.scoring.metrics import Rule

_METRICS = ("BIN", "NBIN", "BIN_all", "NBIN_all", "COV")
_BY_RULE: Mapping[Rule, tuple[str, ...]] = {
    "compat": _METRICS,
    "strict": (*_METRICS, "NBIN_proxy", "NBIN_all_proxy"),
}
_TRAINEE, _CLIENT = "tasks.courts.agents.trainee:Trainee", "tasks.courts.agents.clients.seat:AskingClient"
_GOLD = "tasks.courts.agents.gold:GoldTrainee"
_TRACKER = Seat("话题记录员", frozenset(("topics[].question", "topics[].aliases", "topics[].type")))
_ASKED = ("topics[].question", "topics[].aliases", *fields_of("client", PERSONA))

KQ = Environment(
    "KQ", ("法律知识问答", "knowledge questions"), "advice", AdviceCase,
    {
        "trainee": Seat("法律实习生", frozenset(("agent_title", "client.occupation")), (), _TRAINEE, "court-trainee/1"),
        "client": Seat(
            "咨询人", frozenset(("client.occupation", "theme", *_ASKED)),
            ("一轮只问一个问题", "不得说出问题清单", "不得说出或者暗示答案", "先笼统问主题，再依次提问"), _CLIENT, "court-client/1",
        ),
        "tracker": _TRACKER,
    },
    opening="您好，我是{title}，请问有什么法律问题要咨询？", opener="trainee", turns=15, metrics=_BY_RULE, reported=("BIN", "NBIN"),
    expert="advice", gold=_GOLD, finds=frozenset(("topics[].answer", "topics[].points")),
)  # fmt: skip
LC = Environment(
    "LC", ("法律咨询", "legal consultation"), "advice", AdviceCase,
    {
        "trainee": Seat("法律实习生", rules=_TRAINEE, card="court-trainee/1"),
        "client": Seat(
            "咨询人", frozenset(("client.role", "client.background", *_ASKED)),
            ("不得一次说完全部背景", "不得跳过或者合并问题", "不得说出或者暗示答案"), _CLIENT, "court-client/1",
        ),
        "tracker": _TRACKER,
    },
    opening="您好，我遇到了一件麻烦事，想请您从法律上帮我看看。", turns=10, metrics=_BY_RULE, reported=("BIN", "NBIN"),
    expert="advice", gold=_GOLD, finds=frozenset(("topics[].answer", "topics[].points")),
)  # fmt: skip
