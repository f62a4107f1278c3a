"""Writing tasks over a pack: authored complaints whose law the pack holds, cast with companies, firms and courts of
its rows. A complaint whose citations the article retriever does not find is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from store.tables import beside
from tasks.legalagentbench.construct.generate import Generator, Task
from tasks.legalagentbench.construct.source import missing

CASTS = 2
_SURNAMES = "沈顾陆纪程祝容柏岳温闻骆傅喻施邵邹尹谷向卓季游桑苗阮蓝费凌褚宁穆简翁莫裴丛管宗荆靳滕"
_GIVEN = (
    "知云怀景若清书允望明思静亦远宛承见嘉可令修子时君启以闻疏",
    "舟川和遥宁岚秋行一晏之筠初棠桐白泽渊阑安野深衡朴南霖辞",
)
LOOKED_UP = ["企业地址", "法定代表人", "统一社会信用代码", "联系电话"]
_LABELS = ("地址", "法定代表人", "统一社会信用代码", "联系电话")
_FORM = """答辩状格式：

答辩人：XXX
地址：XXX
法定代表人：XXX
统一社会信用代码：XXX
联系电话：XXX

（有多个答辩人的，依次写答辩人一、答辩人二）

委托诉讼代理人：[律师事务所名称]，[律师事务所负责人]，[律师事务所联系电话]

被答辩人：XXX

[答辩状正文]"""


@dataclass(frozen=True, slots=True)
class DefendantEntry:
    """A defendant: its name and its row of the register."""

    name: str
    register: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DefenceFirm:
    """A law firm as a statement of defence names it."""

    name: str
    head: str
    phone: str


def complaints() -> list[dict[str, Any]]:
    """The authored complaints."""
    found: list[dict[str, Any]] = beside(__package__, "writing")["writing"]
    return found


def person(rng: Random) -> str:
    """Full name of an invented person."""
    return rng.choice(_SURNAMES) + rng.choice(_GIVEN[0]) + (rng.choice(_GIVEN[1]) if rng.random() < 0.82 else "")


def writing_set(made: Generator, wanted: int) -> list[Task]:
    """So many writing tasks, two casts a complaint; fewer where the pack lacks law, companies or firms."""
    tasks: list[Task] = []
    for _ in range(CASTS):
        for entry in complaints():
            if len(tasks) < wanted and (task := _cast(made, entry)) is not None:
                tasks.append(task)
                made.progress("writing", len(tasks), wanted)
    return tasks


def _cast(made: Generator, entry: dict[str, Any]) -> Task | None:
    rng = made.rng
    names = [value for (value,) in made._entities("CompanyRegister.公司名称")]
    firms = [value for (value,) in made._entities("LawfirmInfo.律师事务所名称")]
    courts = [
        value for (value,) in made._entities("CourtInfo.法院名称") if value.endswith(("区人民法院", "县人民法院"))
    ]
    defendants = _drawn(made, names, entry["defendants"])
    firm = next((c for name in rng.sample(firms, min(30, len(firms))) if (c := _counsel(made, name))), None)
    if len(defendants) < entry["defendants"] or firm is None or not courts:
        return None
    plaintiff = person(rng) if entry["plaintiff"] == "person" else _drawn(made, names, 1)[0].name
    task = writing_task(entry, plaintiff, defendants, firm, rng.choice(courts))
    given = [key for key in task["key"] if key in task["question"]]
    task["key"] = [key for key in task["key"] if key not in given]
    task["key_middle"] = [text for text in task["key_middle"] if text not in task["question"]]
    return task if _works(made, task, [c for group in entry["cite"] for c in group[1:]]) else None


def _drawn(made: Generator, names: Sequence[str], count: int) -> list[DefendantEntry]:
    found: list[DefendantEntry] = []
    for name in made.rng.sample(list(names), min(200, len(names))):
        rows = made.source.find("get_company_register", [name]) or []
        if len(found) < count and len(rows) == 1 and not any(missing(rows[0].get(column)) for column in LOOKED_UP):
            found.append(DefendantEntry(name, dict(rows[0])))
    return found


def _counsel(made: Generator, name: str) -> DefenceFirm | None:
    rows = made.source.find("get_lawfirm_info", [name]) or []
    if len(rows) != 1 or any(missing(rows[0].get(column)) for column in ("律师事务所负责人", "通讯电话")):
        return None
    return DefenceFirm(name, str(rows[0]["律师事务所负责人"]), str(rows[0]["通讯电话"]))


def _works(made: Generator, task: Task, citations: Sequence[str]) -> bool:
    results = [made.toolbox.call(call["tool"], call["input"]) for call in task["path"]]
    texts = "\n".join(result.observation for result in results)
    if any(result.status != "ok" for result in results) or not all(citation in texts for citation in citations):
        made.fallen["the pack lacks the law of a writing task"] += 1
        return False
    return True


def writing_task(
    entry: dict[str, Any], plaintiff: str, defendants: Sequence[DefendantEntry], firm: DefenceFirm, court: str
) -> Task:
    """A writing task without id: an authored complaint, cast with parties, firm and court."""
    names = [company.name for company in defendants]
    words = {"p": plaintiff, "d": names[0], "d2": names[-1], "firm": firm.name}
    citations = [citation for group in entry["cite"] for citation in group[1:]]
    path = [
        *({"tool": "get_company_register", "input": {"identifier": name, "columns": LOOKED_UP}} for name in names),
        {"tool": "get_lawfirm_info", "input": {"identifier": firm.name, "columns": ["律师事务所负责人", "通讯电话"]}},
        {"tool": "legal_knowledge_retriever", "input": {"identifier": entry["cause"], "k": 3}},
        *({"tool": "legal_article_retriever", "input": {"identifier": group[0], "k": 5}} for group in entry["cite"]),
        {"tool": "legal_case_retriever", "input": {"identifier": entry["cause"], "k": 1}},
    ]
    keys = [str(value) for company in defendants for value in (company.name, *_register(company))]
    return {
        "question": _question(entry, words, names, court),
        "answer": _answer(entry, words, defendants, firm),
        "key": [*keys, firm.name, firm.head, firm.phone, *citations],
        "key_middle": [plaintiff, entry["cause"], *entry["middle"]],
        "type": "", "way": "", "hops": "writing", "path": path,
    }  # fmt: skip


def _register(company: DefendantEntry) -> list[Any]:
    return [company.register[column] for column in LOOKED_UP]


def _question(entry: dict[str, Any], words: dict[str, str], names: list[str], court: str) -> str:
    accused = "和".join(names)
    numerals = ("",) if len(names) == 1 else ("一", "二", "三")
    claims = (
        "\n".join(f"{n}、{claim}；" for n, claim in zip("一二三四", entry["claims"], strict=False)).rstrip("；")
        + "。"
    )
    known = "\n".join(f"{n}. {fact.format(**words)}。" for n, fact in enumerate(entry["known"], start=1))
    parties = "\n".join(f"被告{number}：{name}" for number, name in zip(numerals, names, strict=False))
    return (
        f"{words['p']}向{accused}提起诉讼，以下是起诉状的内容。\n\n【起诉状开始】\n\n民事起诉状\n\n"
        f"原告：{words['p']}\n{parties}\n\n"
        f"诉讼请求：\n{claims}\n\n事实与理由：\n{entry['facts'].strip().format(**words)}\n\n此致\n{court}\n\n"
        "【起诉状结束】\n\n"
        f"{accused}委托{words['firm']}代理本案，你是{words['firm']}的负责人，请针对上述起诉状撰写一份答辩状。\n\n"
        f"你在此前的信息整理过程中，确认了以下起诉状没有提到的事实：\n{known}\n\n{_FORM}"
    )


def _answer(
    entry: dict[str, Any], words: dict[str, str], defendants: Sequence[DefendantEntry], firm: DefenceFirm
) -> str:
    many = len(defendants) > 1
    blocks = []
    for number, company in zip("一二三", defendants, strict=False):
        lines = [f"答辩人{number if many else ''}：{company.name}"]
        lines += [f"{label}：{value}" for label, value in zip(_LABELS, _register(company), strict=True)]
        blocks.append("\n".join(lines))
    heads = "\n\n".join(blocks)
    return (
        f"{heads}\n\n委托诉讼代理人：{firm.name}，{firm.head}，{firm.phone}\n\n被答辩人：{words['p']}\n\n"
        f"答辩人因被答辩人{words['p']}提起的{entry['cause']}一案，"
        f"现提出答辩如下：\n{entry['defence'].strip().format(**words)}"
    )
