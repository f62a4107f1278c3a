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
_TRAINEE, _CLIENT = "tasks.courts.agents.clients:Trainee", "tasks.courts.agents.clients:AskingClient"
_GOLD = "tasks.courts.agents.references:GoldTrainee"
_TRACKER = Seat("话题记录员", frozenset(("topics[].question", "topics[].aliases", "topics[].type")))
_ASKED = ("dates.asked", "topics[].question", "topics[].aliases", *fields_of("client", PERSONA))

KQ = Environment(
    "KQ", ("法律知识问答", "knowledge questions"), "advice", AdviceCase,
    {
        "trainee": Seat("法律实习生", frozenset(("agent_title", "client.occupation", "dates.asked")), (), _TRAINEE,
            "court-trainee/1"),
        "client": Seat(
            "咨询人", frozenset(("client.occupation", "theme", *_ASKED)),
            ("一轮只问一个问题", "不得说出或者暗示答案"), _CLIENT, "court-client/1",
        ),
        "tracker": _TRACKER,
    },
    opening="您好，我是{title}，请问有什么法律问题要咨询？", opener="trainee", turns=15, metrics=_BY_RULE,
    reported=("BIN", "NBIN"),
    gold=_GOLD, finds=frozenset(("topics[].answer", "topics[].points")),
)  # fmt: skip
LC = Environment(
    "LC", ("法律咨询", "legal consultation"), "advice", AdviceCase,
    {
        "trainee": Seat("法律实习生", frozenset(("dates.asked",)), (), _TRAINEE, "court-trainee/1"),
        "client": Seat(
            "咨询人", frozenset(("client.role", "client.background", *_ASKED)),
            ("一轮只问一个问题", "不得说出或者暗示答案"), _CLIENT, "court-client/1",
        ),
        "tracker": _TRACKER,
    },
    opening="您好，我遇到了一件麻烦事，想请您从法律上帮我看看。", turns=10, metrics=_BY_RULE,
    reported=("BIN", "NBIN"),
    gold=_GOLD, finds=frozenset(("topics[].answer", "topics[].points")),
)  # fmt: skip
