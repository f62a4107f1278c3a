"""Writing tasks: a complaint against companies of the tables, and the defence statement that answers it.

Text, amounts and law are authored (data/writing.toml); parties, firm and court are drawn; keys are the register data
of the defendants, head and telephone of the firm, and the citations. The path looks all of them up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from store.tables import beside
from tasks.sample.companies import Company, Market
from tasks.sample.courts import Judiciary
from tasks.sample.data import Table
from tasks.sample.firms import Bar
from tasks.sample.names import person

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
_TRADES = {
    "侵害商标权纠纷": ("食品", "商贸"), "运输合同纠纷": ("现代物流",), "产品责任纠纷": ("精密机械", "智能装备"),
    "建设工程施工合同纠纷": ("现代物流", "商贸"),
}  # fmt: skip


class Party(Protocol):
    """A defendant: its name and its row of the register."""

    @property
    def name(self) -> str:
        """Full name."""
        ...

    @property
    def register(self) -> Mapping[str, Any]:
        """Its row of CompanyRegister."""
        ...


class Counsel(Protocol):
    """A law firm as a statement of defence names it."""

    @property
    def name(self) -> str:
        """Full name."""
        ...

    @property
    def head(self) -> str:
        """Who leads it."""
        ...

    @property
    def phone(self) -> str:
        """Its telephone."""
        ...


def entries() -> list[Table]:
    """The authored complaints."""
    found: list[Table] = beside(__package__, "data/writing")["writing"]
    return found


def people(rng: Random) -> str:
    """An invented plaintiff."""
    return person(rng)


def writing_tasks(market: Market, bar: Bar, judiciary: Judiciary, rng: Random) -> Iterator[Table]:
    """The writing tasks of the pack, as task lines without id."""
    pool = [c for c in (*market.subsidiaries, *market.partners) if c.register["登记状态"] in ("存续", "在业")]
    rng.shuffle(pool)
    for entry in entries():
        defendants = [_taken(pool, entry["cause"]) for _ in range(entry["defendants"])]
        firm = bar.near(rng, defendants[0].place)
        plaintiff = person(rng) if entry["plaintiff"] == "person" else pool.pop().name
        court = judiciary.first_instance(defendants[0].place).name
        yield writing_task(entry, plaintiff, defendants, firm, court)


def _taken(pool: list[Company], cause: str) -> Company:
    trades = _TRADES.get(cause, ())
    found = next((c for c in pool if c.industry in trades), pool[0])
    pool.remove(found)
    return found


def writing_task(entry: Table, plaintiff: str, defendants: Sequence[Party], firm: Counsel, court: str) -> Table:
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


def _register(company: Party) -> list[Any]:
    return [company.register[column] for column in LOOKED_UP]


def _question(entry: Table, words: dict[str, str], names: list[str], court: str) -> str:
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


def _answer(entry: Table, words: dict[str, str], defendants: Sequence[Party], firm: Counsel) -> str:
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
