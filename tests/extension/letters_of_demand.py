"""A court environment from elsewhere: a creditor tells a lawyer of a debt, who writes the 律师函."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import moot


class Debt(moot.CaseFile):
    """Who owes whom how many yuan."""

    env: Literal["LH"]
    creditor: str
    debtor: str
    amount: int


class Creditor:
    """Tells all that it knows, whatever it is asked."""

    def __init__(self, search: object) -> None:
        del search

    def move(self, view: moot.CourtView) -> moot.Move:
        """One utterance."""
        yield from ()
        return moot.Say("我是{creditor}，{debtor}欠我{amount}元。".format(**view.held), view.there)


class Lawyer:
    """Asks once, then writes down what was answered."""

    def __init__(self, search: object) -> None:
        del search

    def move(self, view: moot.CourtView) -> moot.Move:
        """A question, or the letter."""
        yield from ()
        if len(view.own) < 1:
            return moot.Say("请问您是谁，对方欠您多少钱？", view.there)
        told = view.asked.text if view.asked else ""
        return moot.Say(f"律师函\n委托人说：{told}\n请收函后七日内支付。\n{moot.END_MARK}", view.there)


def score(case: Debt, record: Sequence[moot.Turn]) -> Mapping[str, float | None]:
    """TOLD: share of creditor, debtor and sum that the last words of the lawyer name."""
    letter = next((turn.text for turn in reversed(record) if turn.speaker == "lawyer"), "")
    wanted = (case.creditor, case.debtor, f"{case.amount}元")
    return {"TOLD": sum(word in letter for word in wanted) / len(wanted)}


LH = moot.Environment(
    "LH",
    ("律师函撰写", "letter of demand"),
    "talk",
    Debt,
    {
        "lawyer": moot.CourtSeat(
            "律师", frozenset({"cause"}), rules=Lawyer, duty="债权人请你写一份催款的律师函，先问清楚再写。"
        ),
        "creditor": moot.CourtSeat(
            "债权人", frozenset({"creditor", "debtor", "amount"}), rules=Creditor, duty="你来请律师写律师函。"
        ),
    },
    opening="律师您好，有人欠钱不还，请您写一份律师函。",
    turns=4,
    metrics={"compat": (), "strict": ("TOLD",)},
    reported=("TOLD",),
    score=score,
    perfect=lambda case: [
        "请问是什么情况？",
        f"律师函：{case.debtor}应付{case.creditor}{case.amount}元。{moot.END_MARK}",
    ],
)
