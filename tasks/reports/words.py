"""The words of a report in both languages; terms agree with the interface's table (a test compares them)."""

from __future__ import annotations

import math
import re
import unicodedata

from tasks.reports.compare_words import COMPARE_PHRASES, COMPARE_WORDS
from tasks.reports.court_texts import COURT_PHRASES, COURT_WORDS, with_names
from tasks.scoring.metrics import Metric

SCALE = 100.0
"""The one scale on which people read shares; JSON and CSV keep the unit of the measure."""

WORDS: dict[str, tuple[str, str]] = {
    "title": ("模拟法庭评测台 评测报告", "Moot: evaluation report"),
    "run": ("评测", "Run"),
    "overview": ("总览", "Overview"),
    "measure": ("指标", "Measure"),
    "value": ("值", "Value"),
    "group": ("组", "Group"),
    "n": ("题数", "n"),
    "n_scored": ("计分题数", "n scored"),
    "clusters": ("题簇", "Clusters"),
    "design_effect": ("设计效应", "Design effect"),
    "effective_n": ("有效题数", "Effective n"),
    "epochs": ("重复", "Repeats"),
    "interval": ("95% 区间", "95% interval"),
    "method": ("区间方法", "Interval method"),
    "floor": ("下限", "Floor"),
    "reference": ("上限：参照答案", "Ceiling: reference answer"),
    "walker": ("上限：沿参照路径", "Ceiling: path walker"),
    "evidence_rate": ("证据率", "Evidence rate"),
    "evidence_rate_literal": ("证据率（可直接见到的关键词）", "Evidence rate (literal keys)"),
    "retrieval_recall": ("检索召回率（应引法条）", "Retrieval recall (articles needed)"),
    "tokens": ("词元", "Tokens"),
    "repeats.title": ("重复之间的离散", "Spread over repeats"),
    "repeats.within": ("同题标准差", "SD within a task"),
    "repeats.changed": ("结果有变的题", "Tasks that changed"),
    "tokens_plot": ("各局用去的词元", "Tokens of each attempt"),
    "median": ("中位数", "median"),
    "outcomes": ("结局", "Outcomes"),
    "flags": ("标记", "Flags"),
    "failures": ("失败主因", "Main reasons of failure"),
    "bounds": ("严格口径成功率上下界（故障计 0 / 不计 / 计 1）", "Strict success with errors as 0 / left out / as 1"),
    "added": ("另加的评分", "Further scores"),
    "not_available": ("无", "none"),
    "outcome.finished": ("完成", "Finished"),
    "outcome.turn_limit": ("步数用尽", "Turn limit"),
    "outcome.token_limit": ("词元用尽", "Token limit"),
    "outcome.time_limit": ("超时", "Time limit"),
    "outcome.context_full": ("上下文已满", "Context full"),
    "outcome.loop": ("陷入循环", "Loop"),
    "outcome.stalled": ("停滞", "Stalled"),
    "outcome.error": ("故障", "Error"),
    "outcome.cancelled": ("已取消", "Cancelled"),
    "outcome.unfinished": ("未完成", "Unfinished"),
    "group.all": ("全部", "All"),
    "flag.outside_pack": ("数据包未收录", "Outside the pack"),
    "applies": ("适用", "Applies"),
    "applies.not": (
        "否：{tasks}。规则代理不适用：低于最佳固定答案",
        "no: {tasks}. The rules agent does not apply: below the best constant answer",
    ),
    "beside.printed": ("与论文 {table} 并列（论文口径）", "Beside {table} of the paper (compat)"),
    "beside.way": ("方式", "Way"),
    "beside.source": ("出处", "Source"),
    "beside.run": ("评测", "Run"),
    "beside.note": (
        "论文各行为每项 128 题的刊印数字，咨询由另一模型评分；与本机数字并列，不作逐位比较。",
        "Rows of the paper are printed figures on 128 questions a task, consultations graded by another model.",
    ),
    "beside.years": ("法条背诵，按题目所问年份（论文图 2）", "Recitals by the year asked about (Figure 2)"),
    "beside.queries": ("带时间的检索式（论文图 3）", "Temporally aware queries (Figure 3)"),
    "beside.queries.all": ("检索式", "Queries"),
    "beside.queries.aware": ("带时间", "With a time"),
    "beside.queries.explicit": ("写明时间", "Explicit"),
    "beside.queries.share": ("比例", "Share"),
    "beside.queries.least": ("论文基线，最少", "Baselines of the paper, least"),
    "beside.queries.most": ("论文基线，最多", "Baselines of the paper, most"),
    "beside.queries.in": ("LegalSearch-R1，域内", "LegalSearch-R1, in domain"),
    "beside.queries.out": ("LegalSearch-R1，域外", "LegalSearch-R1, out of domain"),
    "beside.queries.note": (
        "论文没有给出计数规则；这里按年、日期或版本年计一条检索式，论文数字为全部题目的总数。",
        "The paper gives no rule; a query counts that names a year, a day or the year of a version. Its figures are totals"
        " over all of its questions.",
    ),
    "flag.abstained": ("弃答", "Abstained"),
    "flag.leak": ("泄漏", "Leak"),
    "flag.repaired": ("动作经修正", "Action repaired"),
    "flag.rejected": ("动作被拒", "Action rejected"),
    "agent": ("策略", "Agent"),
    "agent.rules": ("规则，无模型", "Rules, no model"),
    "agent.react": ("ReAct", "ReAct"),
    "compat.all": ("论文口径", "Compat"),
    "strict.all": ("严格口径", "Strict"),
    "in_domain": ("域内", "in domain"),
    "out_of_domain": ("域外", "out of domain"),
    "unscored": ("未评分", "unscored"),
    "lar_by_window": ("法条背诵，按时间筛选", "Recitals by window"),
    "window.on": ("按所问日期", "on"),
    "window.off": ("不筛选", "off"),
    "window.newest": ("只取最新版本", "newest"),
    "tools": ("工具", "Tools"),
    "covered": ("其中有文本", "of these covered"),
    "coverage": ("法条背诵：数据包有文本的题", "Recitals whose text the pack holds"),
    "wrong_version": ("误引其他版本的比率（%）", "Wrong-version rate (%)"),
    "ungraded": ("未评分（须评分员）", "Not scored (needs a grader)"),
    "left_out": ("平均值不含", "Not in the means"),
    "settings": ("设置", "Settings"),
    "flag.rag_only": ("仅检索法条（无网页快照）", "Statutes only (no web snapshot)"),
    "agent.search": ("检索", "Search"),
    "agent.direct": ("直接作答", "Direct"),
    "agent.direct-cot": ("直接作答（先推理）", "Direct, with reasoning"),
    "flag.human": ("本人参与", "A person took part"),
    "flag.human_role": ("本人扮演模拟角色", "A person in a simulated role"),
    "role.helped": ("（其中 {n} 题有本人扮演）", " (a person played in {n} of the tasks)"),
    "agent.took_over": ("（分叉后接手，之前为 {who}）", " (took over a fork from {who})"),
    "agent.helped": ("（其中 {n} 题有本人作答）", " (a person answered in {n} of the tasks)"),
    "agent.human": ("本人", "A person"),
    "agent.gold": ("参照答案", "Reference answer"),
    "agent.echo": ("复述下限", "Echo (floor)"),
    "agent.imported": ("导入的结果", "Imported predictions"),
    "pack": ("数据包", "Pack"),
    "fictional": ("虚构数据", "Fictional data"),
    "task_file": ("题目文件", "Task file"),
    "engines": ("模型", "Engine"),
    "engine.file": ("文件", "file"),
    "engine.source": ("来源", "source"),
    "engine.url": ("地址", "address"),
    "engine.urls": ("地址", "addresses"),
    "engine.model": ("模型名", "model"),
    "engine.parameters": ("参数量", "parameters"),
    "engine.quantisation": ("量化", "quantisation"),
    "engine.context": ("上下文词元", "tokens of context"),
    "engine.sha256": ("SHA-256", "SHA-256"),
    "harness": ("程序", "Harness"),
    "scorers": ("评分规则", "Scorers"),
    "created": ("时间", "Created"),
    "command": ("命令", "Command"),
    "parent": ("分叉自", "Forked from"),
    "merged": ("合并自", "Merged from"),
    "merged.parts": ("{n} 次评测", "{n} runs"),
    "merged.missing": ("，缺 {n} 局", ", {n} episodes missing"),
    **COURT_WORDS,
    **COMPARE_WORDS,
}
"""Key -> (Chinese, English)."""


def word(key: str, language: str = "zh") -> str:
    """The word of a key; a key without one is shown as it is, without its section."""
    pair = WORDS.get(key)
    return key.rpartition(".")[2] if pair is None else pair[language == "en"]


def width(text: str) -> int:
    """Cells that a text fills in a terminal."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1 for c in text
    )


def show(value: float | None, places: int = 4) -> str:
    """A figure for a table; a dash when there is none."""
    return "–" if value is None else f"{value:.{places}f}"


def figure(row: Metric, value: float | None, places: int | None = None) -> str:
    """A figure of a row for people: a share on the scale of 100 that every screen has, a count as it is."""
    unit = row.measure.unit
    if not math.isfinite(unit.top):
        return show(value, unit.places)
    return show(in_hundreds(row, value), unit.places if places is None else places)


def in_hundreds(row: Metric, value: float | None) -> float | None:
    """A value of a row with a best one, from 0 to 100."""
    return None if value is None else SCALE * value / row.measure.unit.top


PHRASES: tuple[tuple[str, str], ...] = (
    (r"Wilson over (\d+) clusters \(no spread\)", r"按 \1 个题簇的 Wilson 区间（题间无差异）"),
    (r"Wilson, effective n ([\d.]+)", r"Wilson 区间，有效题数 \1"),
    (r"clustered t, (\d+) df", r"按题簇的 t 区间，自由度 \1"),
    (r"cluster bootstrap, (\d+) draws, seed (\d+)", r"按题簇自助抽样 \1 次，种子 \2"),
    (r", by group", "，分组抽样"),
    (r", only (\d+) clusters", r"，仅 \1 个题簇"),
    (r"needs a run of --agent gold on the same tasks", "需先用 --agent gold 运行相同题目"),
    *COURT_PHRASES,
    *COMPARE_PHRASES,
)
"""What score blocks say in English, and how a Chinese report says it."""


def phrase(text: str, language: str = "zh") -> str:
    """A sentence of a score block in the language of the report; the block itself keeps one wording."""
    text = with_names(text, language)
    if language != "en":
        for english, chinese in PHRASES:
            text = re.sub(english, chinese, text)
    return text
