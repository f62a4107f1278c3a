"""The judgment of a civil trial as it is read out: facts, exhibits, reasons, articles, rulings, costs, appeal.

民事诉讼法第一百五十五条; 诉讼费用交纳办法第十三条、第十六条、第二十九条. Every part comes from what was heard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.courts.agents.civil.account import account
from tasks.courts.agents.civil.asks import acts_of, asks
from tasks.courts.agents.civil.case import Case, Finding
from tasks.courts.agents.civil.findings import is_divorce, sums_of
from tasks.courts.agents.civil.heard import Claim, numbered, numeral
from tasks.courts.agents.civil.law import (
    CODE,
    Reference,
    articles,
    burden,
    cause_of,
    cited,
    continued,
    late_interest,
    originals,
    proof,
    under_old_law,
)
from tasks.courts.agents.civil.quoting import gist, outer, quotable
from tasks.courts.agents.civil.reasons import reasons
from tasks.courts.agents.civil.sums import cents, chinese, days, spans, sums, yuan
from tasks.courts.agents.civil.weighing import Weighed, points
from tasks.courts.agents.court_above import court_above
from tasks.courts.checking.civil import court_fee

MOST_SIGNS = 20
"""More signs 第 in a judgment fail it by the published rule (runaway citations)."""
TOKEN_FEE = 10.0
"""A fee this small is not split."""
_ATTEMPTS: tuple[tuple[int, bool], ...] = (
    (17, True),
    (14, True),
    (10, True),
    (7, True),
    (7, False),
    (4, False),
    (2, False),
)
"""Signs 第 for articles, and whether exhibits are quoted at length; read out is the first that keeps within the limit and in
which no words of the parties would ask for something."""
_WITHIN = "于本判决生效之日起十日内"
_VERB = re.compile(
    r"被告(?=(?:应当|应)?(?:立即)?(?:支付|归还|返还|退还|赔偿|给付|偿还|补偿|向|对|按|腾|停止|排除|办理|出具|继续|交付|协助|在|就|承担))"
)
_GIVES = re.compile(r"支付|给付|返还|退还|归还|偿还|赔偿|补偿")
_LEAD = re.compile(r"^(?:请求|依法|判令|判决|请|、|，)+")
_NOTE = re.compile(r"[（(][^（）()]{0,300}[）)]")
_RUNS = re.compile(
    r"[，,；;]?(?P<run>(?:并|以及)?(?:支付|给付)?(?:自|此后|之后|其后)[^，,；;。]{0,40}(?:实际|清偿|付清|还清|履行)[^。；;]{0,60})"
)
_SAME = re.compile(
    r"按(?:照)?(?:(?:同一|同样|上述|该)标准|(?:月|年|日)?(?:利率|息)[0-9.]{1,6} ?%|月息[一二两三四五0-9.]{1,3}分)(?:计算)?"
)
_HEADS = re.compile(r"[，,]其中[^；;。]*")
_TOTAL = re.compile(r"[，,]?(?:共计|合计|总计|共)$")
_RECKONED = re.compile(r"按(?:照)?[^，,；;。]{0,40}?(?:倍|标准|比例)(?:计算)?的?(?=赔偿|支付|返还|给付)")
_NOUN = re.compile(r"股权转让款|转让款|工程款|货款|价款|租金|报酬|(?:服务|物业)费")
_CHARGE = re.compile(r"(?:逾期付款|逾期)?(?:利息|违约金|资金占用(?:损失|利息|费))")
_BEARS = re.compile(r"[，,]?(?=承担[^，,；;。]{0,10}责任$)")


def judgment(case: Case, held: Mapping[str, Any], found: Sequence[Finding]) -> str:
    """The judgment, from 经审理查明 to the notice of appeal."""
    made: list[str] = []
    for how in _ATTEMPTS:
        text = outer("\n".join(part for part in _parts(case, held, found, *how) if part))
        if text.count("第") <= MOST_SIGNS:
            made.append(text)
            if not any(asks(act.act) and act.act != "question" for act in acts_of(text)):
                return text
    return made[0] if made else text


def _parts(case: Case, held: Mapping[str, Any], found: Sequence[Finding], most: int, full: bool) -> list[str]:
    granted = [one for one in found if one.outcome != "rejected"]
    paid = any(one.claim.kind == "pay" for one in granted)
    procedure = held.get("court", {}).get("procedure", "普通程序")
    return [
        account(case) if full else _unnumbered(account(case)),
        _exhibits(case.weighed, full),
        reasons(case, found) if full else _unnumbered(reasons(case, found)),
        f"综上，依照{cited(_laws(case, found), most, proof(case.hearing))}的规定，判决如下：",
        *_rulings(case, found, granted),
        late_interest(case.hearing) if paid else "",
        _costs(case, found, procedure),
        _appeal(held, procedure),
        "当事人在本判决发生法律效力前，不得另行结婚。" if "离婚" in case.cause and "离婚后" not in case.cause else "",
    ]


# --- facts and exhibits -----------------------------------------------------------------------------------------------


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


def _unnumbered(text: str) -> str:
    """Words of the parties without the signs 第 that would count as articles, where those of the law need the room."""
    return text.replace("第", "")


def _crossed(one: Weighed) -> bool:
    """Whether a title names the other side, so that a number beside it could be anybody's."""
    return ("被告" if one.offer.side == "plaintiff" else "原告") in one.offer.title


def _why(one: Weighed) -> str:
    """The reason; what is refused is refused with the objection that was raised."""
    if one.admitted or not one.objection:
        return one.reason
    return f"对方以“{gist(one.objection, 60)}”为由提出异议，{one.reason}"


def titled(title: str) -> str:
    """An exhibit by its name as it was offered."""
    return quotable(title, 60)


def _listed(items: Sequence[Weighed], full: bool) -> str:
    """原告证据一借条、证据三聊天记录; titles that name the other side stand without their numbers."""
    me = "原告" if items[0].offer.side == "plaintiff" else "被告"
    if _crossed(items[0]):
        return f"{me}的{'、'.join(titled(one.offer.title) for one in items)}"
    named = [numbered(one.offer.number, titled(one.offer.title) if full else "") for one in items]
    return f"{me}{'、'.join(named)}"


# --- law ---------------------------------------------------------------------------------------------------------------


def _old(case: Case) -> bool:
    return under_old_law(cause_of(case.cause).moment, "".join(case.trial.story), case.hearing)


def _laws(case: Case, found: Sequence[Finding]) -> list[Reference]:
    claims = "\n".join(claim.text for claim in case.claims)
    everything = "\n".join([claims, *case.trial.story, case.trial.defence, case.shown])
    acted = next(iter(days("".join(case.trial.story))), None)
    old = _old(case)
    held = "\n".join(one.claim.text for one in found if one.outcome != "rejected")
    listed = articles(case.cause, claims, case.trial.defence, everything, acted, case.hearing, old=old, granted=held)
    if acted is not None and acted < CODE and not old and any("民法典" in one.law for one in listed):
        listed.append(continued())
    listed += [burden()] if any(one.unproven for one in found) else []
    return [*listed, originals()] if any("无法与原物核对" in one.reason for one in case.weighed) else listed


# --- rulings ----------------------------------------------------------------------------------------------------------


def _rulings(case: Case, found: Sequence[Finding], granted: Sequence[Finding]) -> list[str]:
    plaintiff, defendant = case.names["plaintiff"], case.names["defendant"]
    lines = [_ruling(case, one) for one in granted]
    if lines and re.search("保证", case.cause):
        lines.append(f"被告{defendant}承担保证责任后，有权向债务人追偿")
    refused = next((one for one in found if is_divorce(one.claim) and one.outcome == "rejected"), None)
    if refused is not None:
        lines = [f"不准予原告{plaintiff}与被告{defendant}离婚"]
    if not lines:
        lines.append(f"驳回原告{plaintiff}的诉讼请求")
    elif any(one is not refused and one.outcome != "granted" for one in found):
        lines.append(f"驳回原告{plaintiff}的其他诉讼请求")
    ends = ["；"] * (len(lines) - 1) + ["。"]
    return [f"{numeral(place)}、{line}{end}" for place, (line, end) in enumerate(zip(lines, ends, strict=True), 1)]


def _ruling(case: Case, one: Finding) -> str:
    """A ruling in the words of the claim, with names, the term of performance and the sum that is granted."""
    claim = one.claim
    text = _HEADS.sub("", _LEAD.sub("", _NOTE.sub("", one.worded or claim.text))).strip("，,；;。 ")
    runs = _RUNS.search(text)
    text = text[: runs.start()] if runs and runs.start() > 4 else text
    if claim.kind == "pay":
        text = _with_sum(text, claim, one)
    text = quotable(text)
    if claim.kind != "declare":
        text = _ordered(text, case.names["defendant"])
    if claim.kind == "pay" and "原告" not in text:
        text = _GIVES.sub(rf"\g<0>原告{case.names['plaintiff']}", text, count=1)
    text = text.replace("原、被告", f"原告{case.names['plaintiff']}与被告{case.names['defendant']}", 1)
    text = re.sub(rf"原告(?!{re.escape(case.names['plaintiff'])})", f"原告{case.names['plaintiff']}", text, count=1)
    if claim.kind == "declare":
        name = case.names["defendant"]
        text = re.sub(rf"被告(?!{re.escape(name)})", f"被告{name}", text, count=1)
    return text + (_goes_on(case, runs["run"], one) if runs and claim.kind == "pay" else "")


def _ordered(text: str, defendant: str) -> str:
    """由被告: the first place where the defendant is to do something gets name and term."""
    if match := _VERB.search(text):
        return f"{text[: match.start()]}被告{defendant}{_WITHIN}{text[match.end() :]}"
    return f"被告{defendant}{_WITHIN}{text.removeprefix('被告')}"


def _with_sum(text: str, claim: Claim, one: Finding) -> str:
    """The words of a claim with the sum that is granted: without heads that fail, other sums and how it was reckoned."""
    if one.outcome == "granted":
        return text
    for failed in one.dropped:
        text = re.sub(rf"(?:、|和|及)?{re.escape(failed)}(?:[0-9][0-9,.]*元)?", "", text)
    text = _RECKONED.sub("", text)
    named = [found for found in sums(text) if abs(found.yuan - (claim.amount or 0)) < 0.01]
    if not named:
        return f"{text}，以{yuan(one.amount or 0)}为限"
    place = named[-1]
    head = text[: place.start]
    if (
        "为基数" in head
        and (noun := _CHARGE.search(head))
        and (gives := _GIVES.search(head))
        and (run := spans(claim.text))
    ):
        return f"被告{gives[0]}原告截至{chinese(max(one.last for one in run))}的{noun[0]}{yuan(one.amount or 0)}"
    if _TOTAL.search(head):
        head = re.sub(r"[0-9][0-9,.]*元", "", head)
        head = head if "、" in head else _TOTAL.sub("", head)
    elif sums(head) and (gives := _GIVES.search(head)):
        head = f"被告{gives[0]}原告"
    return f"{head}{yuan(one.amount or 0)}{text[place.end :]}"


def _owed(case: Case) -> str:
    """What is owed, by its name: 借款本金, 工程款."""
    if re.search(r"借|保证", case.cause):
        return "借款本金"
    named = next((match[0] for one in case.claims if (match := _NOUN.search(one.text))), "款项")
    return named


def _goes_on(case: Case, run: str, one: Finding) -> str:
    """Interest that runs until payment, at the rate that was allowed."""
    words = quotable(run).lstrip("并以及支付给")
    if one.standard:
        words = _SAME.sub(f"按{one.standard}计算", words)
        if one.standard not in words:
            words = re.sub("计算至", f"按{one.standard}计算至", words, count=1)
    if (noun := _CHARGE.search(one.claim.text)) and not _CHARGE.search(words):
        words = f"{words.removesuffix('止')}的{noun[0]}"
    base = f"以尚欠{_owed(case)}{yuan(one.base)}为基数、" if one.base and "基数" not in words else ""
    bears = _BEARS.search(words)
    if bears:
        words = f"{words[: bears.start()]}，{words[bears.end() :]}"
        return f"，以及{base}{words}"
    return f"，并支付{base}{words}"


# --- costs and appeal -------------------------------------------------------------------------------------------------


def fee_of(case: Case, procedure: str) -> float:
    """案件受理费, halved in a simplified procedure."""
    asked, _ = sums_of([Finding(claim, "granted", claim.amount, ()) for claim in case.claims])
    flat = next((one["fee"] for one in points()["fees"] if re.search(one["cause"], case.cause)), None)
    full = float(flat) if flat is not None else court_fee(asked) if asked else 100.0
    return cents(full / 2 if procedure != "普通程序" else full)


def _whole(value: float) -> float:
    """Rounded to the yuan, half up."""
    return float(int(value + 0.5))


def _costs(case: Case, found: Sequence[Finding], procedure: str) -> str:
    fee = _whole(fee_of(case, procedure))
    asked, given = sums_of(found)
    won = sum({"granted": 1.0, "partly": 0.5, "rejected": 0.0}[one.outcome] for one in found)
    share = given / asked if asked else won / len(found) if found else 0.0
    if fee <= TOKEN_FEE:
        share = 1.0 if won else 0.0
    theirs = _whole(fee * min(1.0, share))
    if "离婚" in case.cause and "离婚后" not in case.cause:
        theirs = fee / 2 if any(is_divorce(one.claim) and one.outcome == "granted" for one in found) else 0.0
    own = cents(fee - theirs)
    plaintiff, defendant = case.names["plaintiff"], case.names["defendant"]
    if own and own == theirs:
        borne = f"由原告{plaintiff}、被告{defendant}各负担{yuan(own)}"
    elif own and theirs:
        borne = f"由原告{plaintiff}负担{yuan(own)}，被告{defendant}负担{yuan(theirs)}"
    else:
        borne = f"由{f'原告{plaintiff}' if own else f'被告{defendant}'}负担"
    return f"案件受理费{'减半收取计' if procedure != '普通程序' else ''}{yuan(fee)}，{borne}。"


def _appeal(held: Mapping[str, Any], procedure: str) -> str:
    if procedure == "小额诉讼程序":
        return "本判决为终审判决。"
    return (
        "如不服本判决，可以在判决书送达之日起十五日内，向本院递交上诉状，并按照对方当事人的人数提出副本，"
        f"上诉于{court_above(held.get('court', {}).get('name', ''))}。"
    )
