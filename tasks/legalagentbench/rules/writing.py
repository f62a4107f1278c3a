"""Writes a defence statement (答辩状): register data and law firm through tools, articles through the retriever.

The form is the one the task shows; what the pack does not hold is said so, never made up.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field

from tasks.legalagentbench.rules.complaint import Complaint, deducted_principal, read_complaint
from tasks.legalagentbench.rules.defence import Point, cited, closeness, points_for
from tasks.legalagentbench.rules.execute import Call, Outcome
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.values import known

ABSENT = "（数据包未收录）"
ARTICLES = 5
QUOTED = 2
LONGEST_QUOTE = 260
_REGISTER = ["企业地址", "法定代表人", "统一社会信用代码", "联系电话"]
_NUMERALS = "一二三四五六七八九十"


@dataclass
class Material:
    """What the tools gave: register cells by company, the firm's cells, articles by point."""

    register: dict[str, dict[str, str]] = field(default_factory=dict)
    firm: dict[str, str] = field(default_factory=dict)
    articles: list[tuple[Point, list[tuple[str, str]]]] = field(default_factory=list)


def is_writing(question: str) -> bool:
    """Whether a question asks for a defence statement."""
    return bool(re.search(r"答辩[状书]", question)) and len(question) > 200


def writing_steps(question: str, names: NameIndex) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(steps, tools) of the plan."""
    complaint = read_complaint(question)
    steps = [(f"查答辩人{name}的工商登记信息", "get_company_register") for name in complaint.companies]
    if complaint.firm:
        steps.append((f"查{complaint.firm}的负责人和电话", "get_lawfirm_info"))
    steps += [(f"检索法条：{point.title}", "legal_article_retriever") for point in points_for(complaint)]
    steps.append(("撰写答辩状", ""))
    return tuple(step for step, _ in steps), tuple(tool for _, tool in steps)


def write(question: str, names: NameIndex) -> Generator[Call, Outcome, tuple[str, str]]:
    """The document, and the document with what was found on the way."""
    complaint = read_complaint(question)
    material = Material()
    for company in complaint.companies:
        material.register[company] = yield from _company(company, names)
    if complaint.firm:
        material.firm = yield from _firm(complaint.firm, names)
    used: set[str] = set()
    for point in points_for(complaint):
        found = yield from _articles(point)
        fresh = [entry for entry in found if entry[0] not in used]
        used |= {law for law, _ in fresh}
        material.articles.append((point, fresh))
    document = compose(complaint, material)
    return document, f"{document}\n\n{_record(complaint, material)}"


def _company(name: str, names: NameIndex) -> Generator[Call, Outcome, dict[str, str]]:
    cells: dict[str, str] = {}
    outcome = yield Call(
        "get_company_register", {"identifier": name, "columns": _REGISTER}, f"查答辩人{name}的工商登记信息。"
    )
    if outcome.status != "ok" and (near := names.near("company", name)):
        outcome = yield Call(
            "get_company_register",
            {"identifier": near, "columns": _REGISTER},
            f"名称相近的登记企业是{near}，查其登记信息。",
        )
    if isinstance(outcome.value, dict):
        cells = {column: str(cell) for column, cell in outcome.value.items() if known(cell)}
    missing = {"企业地址": "注册地址", "法定代表人": "法人代表", "联系电话": "联系电话"}
    wanted = [other for column, other in missing.items() if column not in cells]
    if wanted:
        other = yield Call(
            "get_company_info",
            {"identifier": name, "columns": wanted},
            f"登记信息不全，换查上市公司信息表中的{name}。",
        )
        if isinstance(other.value, dict):
            for column, source in missing.items():
                if column not in cells and known(other.value.get(source)):
                    cells[column] = str(other.value[source])
    return cells


def _firm(name: str, names: NameIndex) -> Generator[Call, Outcome, dict[str, str]]:
    columns = ["律师事务所名称", "律师事务所负责人", "通讯电话"]
    outcome = yield Call(
        "get_lawfirm_info", {"identifier": name, "columns": columns}, f"查{name}的负责人和联系电话。"
    )
    if outcome.status != "ok" and (near := names.near("firm", name)):
        outcome = yield Call(
            "get_lawfirm_info",
            {"identifier": near, "columns": columns},
            f"名称相近的律所是{near}，查其负责人和电话。",
        )
    if not isinstance(outcome.value, dict):
        return {}
    return {column: str(cell) for column, cell in outcome.value.items() if known(cell)}


def _articles(point: Point) -> Generator[Call, Outcome, list[tuple[str, str]]]:
    scored: dict[str, tuple[float, str]] = {}
    for query in point.queries:
        outcome = yield Call(
            "legal_article_retriever",
            {"identifier": query, "k": ARTICLES},
            f"检索与“{point.title.removeprefix('关于')}”有关的法条。",
        )
        texts = outcome.value if isinstance(outcome.value, list) else []
        for text in texts:
            entry = cited(str(text))
            if entry is None or (point.mentions and not re.search(point.mentions, entry[1])):
                continue
            score = closeness(query, entry[1])
            if score > scored.get(entry[0], (0.0, ""))[0]:
                scored[entry[0]] = (score, entry[1])
    best = sorted(scored.items(), key=lambda item: -item[1][0])
    least = 0.3 if point.mentions else 0.15
    good = [(law, text) for law, (score, text) in best if score >= least][: QUOTED + 1]
    return good or [(law, text) for law, (_, text) in best[:1]]


def compose(complaint: Complaint, material: Material) -> str:
    """The document in the form the task shows."""
    parts = [_parties(complaint, material)]
    clients = "、".join(complaint.clients)
    opponents = "、".join(complaint.plaintiffs) or "被答辩人"
    parts.append(f"案由：{complaint.cause}")
    parts.append(
        f"答辩人{clients}就被答辩人{opponents}提起的{complaint.cause}一案，现根据事实和法律，提出如下答辩意见："
    )
    parts.append(f"答辩请求：\n请求人民法院依法驳回被答辩人{opponents}的全部诉讼请求，本案诉讼费用由被答辩人承担。")
    parts.append("事实与理由：\n" + "\n\n".join(_reasons(complaint, material)))
    parts.append(
        f"综上所述，被答辩人{opponents}的诉讼请求缺乏事实和法律依据，答辩人请求人民法院查明事实，"
        "依法驳回被答辩人的全部诉讼请求，以维护答辩人的合法权益。"
    )
    if complaint.court:
        parts.append(f"此致\n{complaint.court}")
    parts.append(f"答辩人：{clients}")
    return "\n\n".join(parts)


def _parties(complaint: Complaint, material: Material) -> str:
    blocks: list[str] = []
    several = len(complaint.clients) > 1
    for number, name in enumerate(complaint.clients):
        mark = _NUMERALS[number] if several and number < len(_NUMERALS) else ""
        lines = [f"答辩人{mark}：{name}"]
        if name in complaint.companies:
            cells = material.register.get(name, {})
            lines += [
                f"地址：{cells.get('企业地址', ABSENT)}",
                f"法定代表人：{cells.get('法定代表人', ABSENT)}",
                f"统一社会信用代码：{cells.get('统一社会信用代码', ABSENT)}",
                f"联系电话：{cells.get('联系电话', ABSENT)}",
            ]
        blocks.append("\n".join(lines))
    firm = complaint.firm or material.firm.get("律师事务所名称", ABSENT)
    leader, phone = material.firm.get("律师事务所负责人", ABSENT), material.firm.get("通讯电话", ABSENT)
    blocks.append(f"委托诉讼代理人：{firm}，{leader}，{phone}")
    blocks.append(f"被答辩人：{'、'.join(complaint.plaintiffs)}")
    return "\n\n".join(blocks)


def _reasons(complaint: Complaint, material: Material) -> list[str]:
    texts: list[str] = []
    opening = _known_facts(complaint)
    if opening:
        texts.append(opening)
    for point, articles in material.articles:
        texts.append(f"{point.title}\n{_argument(complaint, point, articles)}")
    return [f"{_NUMERALS[number]}、{text}" for number, text in enumerate(texts[: len(_NUMERALS)])]


def _known_facts(complaint: Complaint) -> str:
    lines = ["关于本案的基本事实"]
    if complaint.own_facts:
        lines.append("答辩人补充并请求法庭查明以下事实：" + "".join(_ended(fact) for fact in complaint.own_facts))
    claims = [re.sub(r"^\d+[.、．]\s*", "", claim).rstrip("；;。") for claim in complaint.claims]
    if claims:
        lines.append(f"被答辩人请求：{'；'.join(claims)}。答辩人对上述请求不予认可。")
    named = [
        f"时间（{'、'.join(complaint.dates[:14])}）" if complaint.dates else "",
        f"金额（{'、'.join(complaint.amounts[:14])}）" if complaint.amounts else "",
        f"文件（{'、'.join(f'《{title}》' for title in complaint.contracts[:8])}）" if complaint.contracts else "",
    ]
    named = [text for text in named if text]
    if named:
        lines.append(f"起诉状所涉{'、'.join(named)}应当以原始证据核对为准，被答辩人负有举证责任。")
    return "\n".join(lines) if len(lines) > 1 else ""


def _ended(text: str) -> str:
    return text if text.endswith(("。", "！", "？")) else f"{text.rstrip('；;，,')}。"


def _argument(complaint: Complaint, point: Point, articles: list[tuple[str, str]]) -> str:
    text = point.argument
    principal = deducted_principal(complaint.body) if "本金" in point.title else None
    if principal is not None:
        text += f"按被答辩人自述的实际转账数额计算，本案借款本金应认定为{principal:,}元。"
    quotes = [f"{law}规定：“{_short(body)}”" for law, body in articles[:QUOTED]]
    if quotes:
        text += "\n根据" + "；".join(quotes) + "。"
    others = [law for law, _ in articles[QUOTED:]]
    if others:
        text += f"另可参照{'、'.join(others)}。"
    return text + "据此，被答辩人的相应主张不能成立。"


def _short(body: str) -> str:
    if len(body) <= LONGEST_QUOTE:
        return body
    cut = body[:LONGEST_QUOTE]
    end = max(cut.rfind("。"), cut.rfind("；"))
    return cut[: end + 1] if end > 80 else f"{cut}……"


def _record(complaint: Complaint, material: Material) -> str:
    """What was used, for the summary."""
    lines = ["写作依据："]
    for name, cells in material.register.items():
        lines.append(f"{name}：" + "，".join(f"{column}{cell}" for column, cell in cells.items()))
    lines.append(f"{complaint.firm}：" + "，".join(f"{column}{cell}" for column, cell in material.firm.items()))
    lines.append("起诉状要点：" + "；".join((*complaint.claims, *complaint.own_facts)))
    lines.append("检索到的法条：" + "；".join(law for _, articles in material.articles for law, _ in articles))
    return "\n".join(lines)
