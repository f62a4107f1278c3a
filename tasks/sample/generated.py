"""Generated texts of the three document corpora: regulations of generated provinces and cities, notes on them, cases.

Each text is a function of its number, so that no list of them stands in memory, and no two are alike: regulation and
article number, or case number, name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

from store.tables import beside
from store.text.numerals import int_to_chinese
from tasks.sample.land import PROVINCES, city_names
from tasks.sample.names import masked, person

PER_LAW = 40
"""Articles of a generated regulation."""


def _parts() -> Mapping[str, Any]:
    return beside(__package__, "data/full/articles")


def _words(rng: Random, subject: str, place: str) -> dict[str, str | int]:
    low = rng.choice((500, 1000, 2000, 5000, 10000, 20000))
    return {
        "s": subject, "p": place, "o": rng.choice(_parts()["objects"]), "u": rng.choice(_parts()["authorities"]),
        "n": rng.choice((3, 5, 7, 10, 15, 20)), "n2": rng.choice((24, 30, 45, 60, 90)), "m": low,
        "m2": low * rng.choice((2, 3, 5, 10)), "k": rng.randint(1, 9) * 5, "y": rng.randint(2009, 2023),
        "mo": rng.randint(1, 12),
    }  # fmt: skip


@cache
def _lawgivers() -> tuple[str, ...]:
    return (*PROVINCES, *(f"{name}市" for name in city_names()))


def _named(number: int) -> tuple[str, str]:
    """Lawgiver and subject of a regulation."""
    subjects = _parts()["subjects"]
    return _lawgivers()[number // len(subjects)], subjects[number % len(subjects)]


def article(rng: Random, number: int) -> str:
    """The article of a number, as the corpus writes it: 法名第X条：…."""
    place, subject = _named(number // PER_LAW)
    position = number % PER_LAW
    parts = _parts()
    forms = [parts["opening"], *parts["forms"]] if position == 0 else parts["forms"]
    form = forms[0] if position == 0 else parts["closing"] if position == PER_LAW - 1 else rng.choice(forms)
    text = form.format(**_words(rng, subject, place))
    return f"{place}{subject}条例第{int_to_chinese(position + 1)}条：{text}"


def note(rng: Random, number: int) -> str:
    """A short explanation, led by its subject and place."""
    forms: list[str] = _parts()["knowledge"]
    law, form = divmod(number, len(forms))
    place, subject = _named(law)
    return f"{place}地方法规 " + forms[form].format(**_words(rng, subject, place))


def case(rng: Random, number: int) -> str:
    """A guiding case in the order courts publish them, with real newlines."""
    place, subject = _named(number * 7 % (len(_lawgivers()) * len(_parts()["subjects"])))
    words = _words(rng, subject, place)
    rule = rng.choice(_parts()["forms"]).format(**words)
    issue = rng.choice(_parts()["disputes"]).format(**words)
    plaintiff, judge, year = masked(rng), person(rng), rng.randint(2015, 2023)
    granted = rng.random() < 0.6
    result = "支持原告的主要诉讼请求" if granted else "驳回原告的诉讼请求"
    why = "符合该条规定的条件" if granted else "没有提交足以证明其主张的材料"
    return (
        f"{plaintiff}诉{place}某{words['o']}{subject}纠纷案（地方参阅案例第{number + 1}号）\n\n"
        f"——{subject}纠纷中{issue}\n\n"
        f"【基本案情】\n\n{year}年，{plaintiff}与某{words['o']}因{subject}发生争议，涉及金额{words['m2']}元。"
        f"双方对{issue}各执一词，"
        f"协商{words['n2']}日未果，原告诉至法院。\n\n【裁判结果】\n\n法院判决{result}。双方均未上诉。审判长{judge}。"
        "\n\n"
        f"【裁判理由】\n\n《{place}{subject}条例》规定：{rule}本案中，当事人{why}，故对其主张作出上述认定。\n"
    )


MAKERS: dict[str, Callable[[Random, int], str]] = {
    "LegalKnowledge": note,
    "LegalArticle": article,
    "LegalCases": case,
}


def texts(corpus: str, count: int, seed: int) -> Iterator[str]:
    """So many generated texts of a corpus, one at a time."""
    make, rng = MAKERS[corpus], Random(f"moot-sample/{seed}/{corpus}")
    return (make(rng, number) for number in range(count))
