"""The judgment of the rules as it is read out. It decides what was admitted or is undisputed: claims that the answer
admits, exhibits that nobody contests, a charge to which the accused pleads guilty, a 量刑建议 that nobody opposes.
What is disputed rules do not decide: it is refused for want of a decision, and the judgment says so.

民事诉讼法第一百五十五条; 刑事诉讼法第二百条、第二百零一条. Every part comes from what was said in court. An article
is cited by its number on the day of the hearing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from store.statutes.model import ArticleNumber
from store.text.numerals import int_to_chinese
from tasks.courts.agents.own_words import quotable
from tasks.courts.agents.trial.record import (
    NAME,
    OTHER,
    CourtCase,
    StatedClaim,
    TakenExhibit,
    filled,
    hearing,
    numbered,
)
from tasks.courts.casefile.people import divorce
from tasks.courts.procedure.acts import parse
from tasks.courts.procedure.model import profile

_Versions = Sequence[tuple[date, int]]
"""First day of a version -> the number that an article has in it, the newest first."""
_PROOF: _Versions = ((date(2022, 1, 1), 67), (date.min, 64))
_VERDICT: _Versions = ((date(2018, 10, 26), 200), (date(2013, 1, 1), 195), (date.min, 162))
MOST_SIGNS = 20
"""More signs 第 in a judgment fail it by the published rule (runaway citations)."""
_NO_DECISION = (
    "双方对该项请求有争议，本规则席位只就当事人承认或者没有争议的事项裁判，不就争议作裁判，对该项请求不予支持"
)
_WITHIN = "于本判决生效之日起十日内"
_VERB = re.compile(
    r"被告(?=(?:应当|应)?(?:立即)?(?:支付|归还|返还|退还|赔偿|给付|偿还|补偿|向|对|腾|停止|出具|交付|承担))"
)
_DECLARES = re.compile(r"确认|解除|撤销|离婚|无效|终止|变更|抚养")
_GIVES = re.compile(r"支付|给付|返还|退还|归还|偿还|赔偿|补偿")


def judgment(case: CourtCase) -> str:
    """From the facts to the notice of appeal."""
    return _criminal(case) if case.env == "CR" else _civil(case)


def _article(versions: _Versions, day: date | None) -> str:
    number = next(number for since, number in versions if day is None or day >= since)
    return ArticleNumber(number, 0).chinese


def _orders(items: Sequence[str]) -> list[str]:
    """The items of a ruling, numbered where there are several."""
    many = [f"{int_to_chinese(place)}、{item}" for place, item in enumerate(items, 1)]
    return many if len(items) > 1 else list(items)


# --- civil ----------------------------------------------------------------------------------------------------------


def _civil(case: CourtCase) -> str:
    """With what was said at length, or without where words of the parties would ask for something in court, or cite
    too much."""
    asking = {one.id for one in profile("law", "CI").acts.values() if one.asked} - {"question"}
    for full in (True, False):
        text = "\n".join(part for part in _civil_parts(case, full) if part)
        if text.count("第") <= MOST_SIGNS and not any(act.act in asking for act in parse(text, "CI")):
            break
    return text


def _civil_parts(case: CourtCase, full: bool) -> list[str]:
    plaintiff, defendant = (f"{NAME[side]}{case.names.get(side, '')}" for side in ("plaintiff", "defendant"))
    granted = [claim for claim in case.claims if claim.admitted]
    lines = [_ruling(claim, plaintiff, defendant) for claim in granted]
    lines += (
        [f"驳回{plaintiff}的{'其他' if granted else ''}诉讼请求"] if len(granted) < max(1, len(case.claims)) else []
    )
    borne = (
        plaintiff
        if not granted
        else defendant
        if len(granted) == len(case.claims)
        else f"{plaintiff}、{defendant}各半"
    )
    reasons = [
        f"关于{quotable(claim.brief, 120 if full else 40)}的请求，"
        f"{'被告对该项请求没有异议，本院予以支持' if claim.admitted else _NO_DECISION}。"
        for claim in case.claims
    ]
    none = "原告没有陈述明确的诉讼请求和事实，其起诉缺乏事实依据，应当予以驳回。"
    facts = [
        f"{quotable(one.offer.title, 60)}能够证明{one.offer.purpose}" for one in case.evidence.shown if one.agreed
    ]
    account = "；".join([*(quotable(one, 200) for one in facts[:8]), *filter(None, [quotable(case.findings, 400)])])
    account = account if full and account else "双方对本案主要事实有争议的，本规则席位不作认定"
    law = f"《中华人民共和国民事诉讼法》{_article(_PROOF, case.view.day)}第一款"
    small = case.procedure == "小额诉讼程序"
    parts = [
        f"经审理查明：{account}。",
        _civil_exhibits(case, full),
        f"本院认为，本案系{case.cause or '民事纠纷'}。{''.join(reasons) or none}",
        f"综上，依照{law}的规定，判决如下：",
        *_orders([*(f"{line}；" for line in lines[:-1]), f"{lines[-1]}。"]),
        f"案件受理费由{borne}负担。",
        "本判决为终审判决。"
        if small
        else "如不服本判决，可以在判决书送达之日起十五日内，向本院递交上诉状，并按照对方当事人"
        "的人数提出副本，上诉于上一级人民法院。",
        "当事人在本判决发生法律效力前，不得另行结婚。" if divorce(case.cause) else "",
    ]  # fmt: skip
    return parts if full else [parts[0], parts[1], parts[2].replace("第", ""), *parts[3:]]


def _civil_exhibits(case: CourtCase, full: bool) -> str:
    """认证, exhibit by exhibit; one against which something was said is left undecided (民诉法解释第一百零三条)."""
    said = []
    for one in sorted(case.evidence.shown, key=lambda one: (one.owner != "plaintiff", one.offer.number)):
        title = quotable(one.offer.title, 60) if full else ""
        name = numbered(one.offer.number, title)
        if NAME[OTHER[one.owner]] in title:  # beside the other side's name a number could be anybody's
            name = title
        whose = f"{NAME[one.owner]}{'提交的' if name == title else ''}{name}"
        said.append(f"{whose}，{_finding(one)}采信。")
    return "".join(said) or "双方均未向法庭出示证据，各自所述没有证据印证的部分，本院不予认定。"


def _finding(one: TakenExhibit) -> str:
    if one.assented:
        return "双方对真实性、合法性、关联性均无异议，本院予以"
    if one.agreed:
        return "对方未提出异议，本院予以"
    if not one.objection:
        return "因未经质证，不能作为认定事实的根据，本院不予"
    why = f"对方以“{quotable(one.objection, 60)}”为由提出异议，"
    return f"{why}因双方有争议，本规则席位不就争议作裁判，无法认定其证明力，本院不予"


def _ruling(claim: StatedClaim, plaintiff: str, defendant: str) -> str:
    """A ruling in the words of the claim, with names and the term of performance."""
    text = quotable(claim.brief)
    if not _DECLARES.search(text):
        match = _VERB.search(text)
        head, tail = (text[: match.start()], text[match.end() :]) if match else ("", text.removeprefix("被告"))
        text = f"{head}{defendant}{_WITHIN}{tail}"
    if _GIVES.search(text) and "原告" not in text:
        text = _GIVES.sub(rf"\g<0>{plaintiff}", text, count=1)
    text = text.replace("原、被告", f"{plaintiff}与{defendant}", 1)
    return re.sub(rf"原告(?!{re.escape(plaintiff[2:])})", plaintiff, text, count=1)


# --- criminal -------------------------------------------------------------------------------------------------------


def _criminal(case: CourtCase) -> str:
    """Who pleads guilty without reserve is convicted, and punished as is asked for where nobody objects to that."""
    text, order, charges = hearing("CR")["undisputed"], hearing("CR")["order"], case.charges
    agreed = [one for one in case.evidence.shown if one.agreed]
    guilty = bool(charges) and case.admits and (case.procedure.startswith("速裁") or bool(agreed))
    asked = _REQUEST.findall(case.all_of("procurator")) if guilty and not case.request_contested else []
    request = re.sub(r"，?不(?:适用|宣告)缓刑", "", asked[-1]) if asked else ""
    punishment = "" if _SPAN.search(request) else request
    values = {
        "name": case.names.get("accused", ""), "charges": "、".join(charges) or "罪名",
        "facts": f"{case.facts.rstrip('。')}。",
    }  # fmt: skip
    reasons = filled(text["guilty" if guilty else "not_guilty" if case.disputed else "not_shown"], values)
    reasons += text["followed" if punishment else "left_open"] if guilty else ""
    cited = _ACCUSED_UNDER.search(case.all_of("procurator")) if guilty else None
    laws = f"《中华人民共和国刑事诉讼法》{_article(_VERDICT, case.view.day)}"
    laws = f"{cited['laws']}、{laws}" if cited else laws
    verdict = order["acquit"] if not guilty else order["count"] if punishment else order["convicted"]
    rulings = [filled(verdict, {**values, "charge": values["charges"], "punishment": f"{punishment}。"})]
    if "缓刑" in punishment:
        rulings[0] += order["suspended"] + filled(order["supervised"], values)
    elif "有期徒刑" in punishment:
        rulings[0] += order["served"]
    if case.property_due:
        seized = "扣押" in case.all_of("procurator")
        rulings.append(filled(order["gains"], values) if guilty and not seized else order["no_things"])
    return "\n".join(
        part
        for part in (
            filled(text["charge"], values) if charges else "",
            filled(text["found"], values) + text["not_denied"]
            if guilty
            else text["found_none" if case.disputed else "found_unshown"],
            _criminal_exhibits(case) or (text["bare"] if guilty else ""),
            f"本院认为，{reasons}",
            filled(order["head"], {"laws": laws}),
            *_orders(rulings),
            filled(order["appeal"], {"court": "上一级人民法院"}),
        )
        if part
    )


def _criminal_exhibits(case: CourtCase) -> str:
    text = hearing("CR")["undisputed"]
    sorted_out: dict[str, list[str]] = {"admitted": [], "open": [], "unheard": []}
    for one in case.evidence.shown:
        sorted_out["admitted" if one.agreed else "open" if one.objection else "unheard"].append(one.offer.title)
    return "".join(filled(text[key], {"titles": "，".join(titles)}) for key, titles in sorted_out.items() if titles)


_REQUEST = re.compile(r"量刑建议：(?:建议)?([^。\n]*(?:判处|处以)[^。\n]*)")
_SPAN = re.compile(r"至|到|以上|以下|幅度|-|—")
"""A request that names a span leaves the sentence open."""
_ACCUSED_UNDER = re.compile(r"触犯了(?P<laws>《[^。]{4,200}?)，应当")
