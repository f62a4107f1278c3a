"""The judgment of a civil trial as it is read out: facts, exhibits, reasons, articles, rulings, costs, appeal.

民事诉讼法第一百五十五条; 诉讼费用交纳办法第十三条、第十六条、第二十九条. Every part comes from what was heard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.courts.agents.citing import court_above, late_interest, listed, proof, within
from tasks.courts.agents.civil.case import NAME, OTHER, Case, Finding, Substance, Weighed, hearing
from tasks.courts.agents.own_words import gist, outer, quotable
from tasks.courts.agents.trial.agenda import orders
from tasks.courts.agents.trial.exhibits import numbered
from tasks.courts.casefile.people import divorce
from tasks.courts.checking.civil import court_fee
from tasks.courts.procedure.acts import parse
from tasks.courts.procedure.tables import profile
from tasks.courts.scores.slots import yuan

MOST_SIGNS = 20
"""More signs 第 in a judgment fail it by the published rule (runaway citations)."""
TOKEN_FEE = 10.0
"""A fee this small is not split."""
MOST_FACTS = 8
_ATTEMPTS: tuple[tuple[int, bool], ...] = ((17, True), (10, True), (7, False), (2, False))
"""Signs 第 for articles, and whether exhibits are quoted at length; read out is the first that keeps within the limit
and in which no words of the parties would ask for something."""
_WITHIN = "于本判决生效之日起十日内"
_VERB = re.compile(
    r"被告(?=(?:应当|应)?(?:立即)?(?:支付|归还|返还|退还|赔偿|给付|偿还|补偿|向|对|按|腾|停止|排除|办理|出具|继续"
    r"|交付|协助|在|就|承担))"
)
_GIVES = re.compile(r"支付|给付|返还|退还|归还|偿还|赔偿|补偿")


def judgment(case: Case, decided: Substance) -> str:
    """The judgment, from 经审理查明 to the notice of appeal."""
    made: list[str] = []
    acts = [one.id for one in profile("law", "CI").acts.values() if one.asked]
    for how in _ATTEMPTS:
        text = outer("\n".join(part for part in _parts(case, decided, *how) if part))
        if text.count("第") <= MOST_SIGNS:
            made.append(text)
            if not any(act.act in acts and act.act != "question" for act in parse(text, "CI")):
                return text
    return made[0] if made else text


def _parts(case: Case, decided: Substance, most: int, full: bool) -> list[str]:
    granted = [one for one in decided.found if one.outcome == "granted"]
    procedure = case.bench.get("procedure", "普通程序")
    told = [_account(case, decided.weighed), _reasons(case, decided.found)]
    # Words of the parties stand without the signs 第 that would count as articles, where those of the law need room.
    account, reasons = told if full else (text.replace("第", "") for text in told)
    return [
        account,
        _exhibits(decided.weighed, full),
        reasons,
        f"综上，依照{listed(within(decided.laws, most, proof(case.view.day)))}的规定，判决如下：",
        *_rulings(case, decided.found, granted),
        late_interest(case.view.day) if any(one.claim.kind == "pay" for one in granted) else "",
        _costs(case, granted, procedure),
        _appeal(case, procedure),
        "当事人在本判决发生法律效力前，不得另行结婚。" if divorce(case.cause) else "",
    ]


# --- facts, exhibits, reasons ---------------------------------------------------------------------------------------


def _account(case: Case, weighed: Sequence[Weighed]) -> str:
    """What exhibits show that are relied on, and what the court has found itself."""
    offers = (one.offer for one in weighed if one.undisputed and one.offer.purpose)
    shown = [quotable(f"{quotable(one.title, 60)}能够证明{one.purpose}", 200) for one in offers]
    facts = "；".join([*shown[:MOST_FACTS], *([quotable(case.findings, 400)] if case.findings else [])])
    none = "双方对本案主要事实有争议，没有自认的事实，也没有双方对证明目的均无异议的证据可以直接认定"
    return f"经审理查明：{facts or none}。"


def _reasons(case: Case, found: Sequence[Finding]) -> str:
    said = [f"关于{quotable(one.claim.brief, 120)}的请求，{'，'.join(one.reasons)}。" for one in found]
    none = "原告没有陈述明确的诉讼请求和事实，其起诉缺乏事实依据，应当予以驳回。"
    return f"本院认为，本案系{case.cause or '民事纠纷'}。{''.join(said) or none}"


def _exhibits(weighed: Sequence[Weighed], full: bool) -> str:
    """认证: exhibits of a side that share result and reason share a sentence."""
    if not weighed:
        return "双方均未向法庭出示证据，各自所述没有证据印证的部分，本院不予认定。"
    grouped: dict[tuple[str, bool, bool, str], list[Weighed]] = {}
    for one in weighed:
        grouped.setdefault((one.offer.side, _crossed(one), one.admitted, _why(one)), []).append(one)
    return "".join(
        f"{_listed(items, full)}，{why}，本院{'予以' if admitted else '不予'}采信。"
        for (_, _, admitted, why), items in grouped.items()
    )


def _crossed(one: Weighed) -> bool:
    """Whether a title names the other side, so that a number beside it could be anybody's."""
    return NAME[OTHER[one.offer.side]] in one.offer.title


def _why(one: Weighed) -> str:
    """The reason; what is refused is refused with the objection that was raised."""
    if one.admitted or not one.objection:
        return one.reason
    return f"对方以“{gist(one.objection, 60)}”为由提出异议，{one.reason}"


def _listed(items: Sequence[Weighed], full: bool) -> str:
    """原告证据一借条、证据三聊天记录; titles that name the other side stand without their numbers."""
    me = NAME[items[0].offer.side]
    if _crossed(items[0]):
        return f"{me}提交的{'、'.join(quotable(one.offer.title, 60) for one in items)}"
    named = [numbered(one.offer.number, quotable(one.offer.title, 60) if full else "") for one in items]
    return f"{me}{'、'.join(named)}"


# --- rulings --------------------------------------------------------------------------------------------------------


def _rulings(case: Case, found: Sequence[Finding], granted: Sequence[Finding]) -> list[str]:
    plaintiff = case.names["plaintiff"]
    lines = [_ruling(case, one) for one in granted]
    if not lines:
        lines.append(f"驳回原告{plaintiff}的诉讼请求")
    elif len(granted) < len(found):
        lines.append(f"驳回原告{plaintiff}的其他诉讼请求")
    return orders([*(f"{line}；" for line in lines[:-1]), f"{lines[-1]}。"])


def _ruling(case: Case, one: Finding) -> str:
    """A ruling in the words of the claim, with names and the term of performance."""
    plaintiff, defendant = case.names["plaintiff"], case.names["defendant"]
    text = quotable(one.claim.order)
    if one.claim.kind != "declare":
        match = _VERB.search(text)
        head, tail = (text[: match.start()], text[match.end() :]) if match else ("", text.removeprefix("被告"))
        text = f"{head}被告{defendant}{_WITHIN}{tail}"
    if one.claim.kind == "pay" and "原告" not in text:
        text = _GIVES.sub(rf"\g<0>原告{plaintiff}", text, count=1)
    text = text.replace("原、被告", f"原告{plaintiff}与被告{defendant}", 1)
    text = re.sub(rf"原告(?!{re.escape(plaintiff)})", f"原告{plaintiff}", text, count=1)
    bare = rf"被告(?!{re.escape(defendant)})" if one.claim.kind == "declare" else r"(?!)"
    return re.sub(bare, f"被告{defendant}", text, count=1)


# --- costs and appeal -----------------------------------------------------------------------------------------------


def _costs(case: Case, granted: Sequence[Finding], procedure: str) -> str:
    """案件受理费 in whole yuan, halved in a simplified procedure, by the share that was granted; 离婚案件 by
    halves."""
    listed = [claim for claim in case.claims if claim.kind != "costs"]
    asked = sum(claim.amount or 0 for claim in listed)
    flat = next((one["fee"] for one in hearing()["fees"] if re.search(one["cause"], case.cause)), None)
    full = float(flat) if flat is not None else court_fee(asked) if asked else 100.0
    fee = _whole(full if procedure == "普通程序" else full / 2)
    given = sum(one.claim.amount or 0 for one in granted)
    share = given / asked if asked else len(granted) / len(listed) if listed else 0.0
    if fee <= TOKEN_FEE or divorce(case.cause):
        share = (1.0 if fee <= TOKEN_FEE else 0.5) if granted else 0.0
    theirs = _whole(fee * min(1.0, share))
    own = fee - theirs
    plaintiff, defendant = f"原告{case.names['plaintiff']}", f"被告{case.names['defendant']}"
    if own and own == theirs:
        borne = f"由{plaintiff}、{defendant}各负担{yuan(own)}"
    elif own and theirs:
        borne = f"由{plaintiff}负担{yuan(own)}，{defendant}负担{yuan(theirs)}"
    else:
        borne = f"由{plaintiff if own else defendant}负担"
    return f"案件受理费{'减半收取计' if procedure != '普通程序' else ''}{yuan(fee)}，{borne}。"


def _whole(value: float) -> float:
    """Rounded to the yuan, half up."""
    return float(int(value + 0.5 + 1e-9))


def _appeal(case: Case, procedure: str) -> str:
    if procedure == "小额诉讼程序":
        return "本判决为终审判决。"
    return (
        "如不服本判决，可以在判决书送达之日起十五日内，向本院递交上诉状，并按照对方当事人的人数提出副本，"
        f"上诉于{court_above(case.bench.get('name', ''))}。"
    )
