"""The words of court reports in both languages: environments, heads of tables, what a block says in English."""

from __future__ import annotations

import re

from tasks.courts.casefile.roles import role_name
from tasks.courts.environment import codes, environment
from tasks.courts.simulated.wording import REASONS

COURT_WORDS: dict[str, tuple[str, str]] = {
    "disclaimer": (
        "仅供评测演示，不构成法律意见，非人民法院裁判",
        "仅供评测演示，不构成法律意见，非人民法院裁判 (for evaluation demos only: no legal advice, no judgment of a court)",
    ),
    "overall_of": ("总分", "Overall"),
    "overall.only": ("仅计 {names}", "rests on {names} only"),
    "limits": ("下限与上限", "Floor and ceiling"),
    "limits.order": ("两种口径不同时写作“论文口径/严格口径”", "where the rules differ: published rule / strict rule"),
    "compat_ceiling": ("论文口径上限低于 100", "Published ceiling under 100"),
    "ceiling.labels": ("论文规则把答辩状的三个标签按五个计，最高 60", "the published rule divides the three labels of a defence by five: 60 at most"),
    "ceiling.gold": ("参照文书本身不合论文口径的计分规则", "the gold text itself does not meet the published rule"),
    "court.run": ("评测", "Run"),
    "court.agent": ("被测方", "Agent"),
    "court.driver": ("模拟角色", "Simulated roles"),
    "court.rule": ("口径", "Rule"),
    "court.rater": ("评分者", "Rater"),
    "court.limit": ("轮数上限", "Turn limit"),
    "court.seed": ("种子", "Seed"),
    "court.size": ("参数量（十亿）", "Parameters (billions)"),
    "court.overall": ("总分", "Overall"),
    "court.by_env": ("按环境平均", "Mean of environments"),
    "court.default": ("默认", "default"),
    "court.rules": ("规则", "rules"),
    "court.others": ("其余规则", "others rules"),
    "court.published": ("已发表", "published"),
    "court.paper": ("论文", "paper"),
    "court.counts": ("计分数 / 总数", "scored / all"),
    "court.clusters": ("簇", "clusters"),
    "court.floor": ("下限", "floor"),
    "court.ceiling": ("上限", "ceiling"),
    "court.walker": ("上限：参照代理人的评测", "ceiling: run of gold"),
    "court.mean": ("均值", "mean"),
    "court.sd": ("标准差", "SD"),
    "court.range": ("极差", "range"),
    "court.repeat": ("第 {n} 次", "run {n}"),
    "court.cases": ("案件数", "Cases"),
    "court.turns": ("平均轮数", "Average turns"),
    "court.tau": ("Kendall τ-b", "Kendall tau-b"),
    "court.rho": ("Spearman ρ", "Spearman rho"),
    "court.common": ("共同的被测方", "Agents in common"),
    "court.by_rules": ("规则核对", "rules"),
    "court.by_grader": ("评分员", "grader"),
    "court.by_gpt": ("GPT-4o", "GPT-4o"),
    "court.by_people": ("人工", "people"),
    "court.consistency": ("一致性", "Consistency"),
    "court.validity": ("有效应答率", "Turns that are answers"),
    "court.asked": ("被问到的评测次数", "Attempts with a turn"),
    "court.invalid": ("没有作出回答的发言", "Turns that are no answer"),
    "court.role": ("模拟角色", "Simulated role"),
    "court.validity_note": ("每次发言按所问、案卷交给该角色的内容和所听到的话核对；有角色低于 {least} 的评测不可比较", "Each turn is held against what was asked, what the case file gives the role and what it heard; a run with a role below {least} is not comparable"),
    "court.reference": ("已发表的行：另一批案件、另一评分员（{grader}），不可与本机结果直接比较；“–”为未能完成任务", "Published rows: other data, other grader ({grader}), not to be compared directly; – is a failed task"),
    "court.lower": ("标 ↓ 的越低越好；严格口径一方缓刑一方实刑的，刑期差距按实际执行的月数计（缓刑为 0，刑法第七十二条、第七十六条）；不在索引不等于虚构；论文口径的量刑按本次评测的最小最大值换算，不同评测之间不可比较", "↓: less is better; in strict, prison against probation is as far apart as the months served, 0 on probation (Criminal Law, articles 72 and 76); a law that is not in the index is not an invented one; the sentence by the published rule is scaled over its run and cannot be compared between runs"),
    "court.overall_note": ("总分为所列各列除量刑外的平均；括号内为计入的列数", "Overall: mean of the columns shown but the sentence; in brackets how many are in it"),
    "court.intervals": ("方括号内为 95% 区间，按案件簇抽样；起诉状、答辩状与民事庭审同出一案的为一簇", "In brackets 95% intervals over clusters; complaint, defence and civil trial of one dispute are one cluster"),
    "court.grading": ("未评分的列须评分员：moot score RUN --seat grader=SPEC", "Columns not scored need a grader: moot score RUN --seat grader=SPEC"),
    "court.no_size": ("未列入图中（参数量未知或总分缺列）：{names}", "Not in the plot (size unknown, or columns missing): {names}"),
    "court.misprint": ("论文表 9 中 GLM4 的罚金印作 4.21，与其量刑不符（应为 40.21）", "Table 9 prints a fine of 4.21 for GLM4, which does not fit its sentence (40.21 would)"),
    "court.table3": ("论文表 3 中 GPT-4o 所评均值与表 11 各列均值不符，均按原文列出", "The means by GPT-4o in Table 3 are not those of Table 11; both as printed"),
    "court.table11": ("论文把民事庭审两方律师列在其委托人名下", "The paper heads the lawyers of the civil trial by their clients"),
    "court.figure8": ("论文图 8、图 9 比较的上限：民事 {ci}，刑事 {cr}；图中数值未印出", "Figures 8 and 9 of the paper compare limits {ci} (civil) and {cr} (criminal); their values are not printed"),
    "table.2": ("表 2 主要结果", "Table 2: main results"),
    "table.3": ("表 3 模拟角色的行为一致性", "Table 3: behaviour consistency of the simulated roles"),
    "table.valid": ("模拟角色是否作答", "Whether the simulated roles answer"),
    "table.4": ("表 4 案件数", "Table 4: cases"),
    "table.5": ("表 5 模拟角色由不同模型扮演时的结果", "Table 5: results before roles that another model plays"),
    "table.6": ("表 6 起诉状各部分", "Table 6: parts of the complaint"),
    "table.7": ("表 7 答辩状各部分", "Table 7: parts of the defence"),
    "table.8": ("表 8 民事庭审程序各部分", "Table 8: parts of the civil procedure"),
    "table.9": ("表 9 刑事庭审程序与量刑各部分", "Table 9: parts of the criminal procedure and the sentence"),
    "table.10": ("表 10 平均轮数", "Table 10: average turns"),
    "table.11": ("表 11、表 12 各模拟角色的行为一致性", "Tables 11 and 12: behaviour consistency by role"),
    "table.13": ("表 13、表 14 重复评测", "Tables 13 and 14: repeated runs"),
    "figure.4": ("图 4 总分与参数量", "Figure 4: overall score by model size"),
    "figure.5": ("图 5 各阶段完成率", "Figure 5: completion of stages"),
    "figure.6": ("图 6 两种模拟角色下的排序是否一致", "Figure 6: do two sets of simulated roles rank agents alike"),
    "figure.8": ("图 8、图 9 轮数上限的影响", "Figures 8 and 9: turn limits"),
    "comparable": ("可与其他评测比较", "Comparable with other runs"),
    "comparable.yes": ("是", "yes"),
    "comparable.no": ("否：{why}", "no: {why}"),
    "profile": ("程序依据", "Profile"),
    "profile.law": ("法律", "law"),
    "profile.j1": ("原基准", "j1"),
    "unmet": ("未得有效回应的诉讼行为（法庭依法作出而模拟角色没有作答，严格口径的程序遵循、阶段与诉讼行为完成率不计）", "Duties done that no simulator met with an answer (not in the strict scores of the procedure)"),
    "violations": ("程序瑕疵", "Faults in the procedure"),
    "unfinished": ("未问完全部话题的对话（论文口径不计）", "Dialogues that did not reach every topic (not in the published scores)"),
    "moved_by_text": ("论文口径受案卷原文影响的庭审（审判席复述的案卷文字被原规则当作审判席自己的话）", "Trials in which words read out of the case file move a published score"),
    "walker_run": ("参照代理人的评测", "Run of gold"),
}  # fmt: skip
"""Key -> (Chinese, English)."""

COURT_PHRASES: tuple[tuple[str, str], ...] = (
    *((english, chinese) for chinese, english in REASONS.values()),
    (r"(\d+) attempts below (\d+)", r"\1 次低于 \2"),
    (r"no grader", "无评分员"),
    (r"(\d+) gradings failed", r"\1 次评分失败"),
    (r"(\d+) not graded", r"\1 次未评分"),
    (r"no dialogue reached every topic", "没有问完全部话题的对话"),
    (r"no attempt was scored", "没有可计分的评测"),
    (r"nothing to rate", "无可评内容"),
    (
        r"scaled over the trials of this run: one alone, or all alike, comes to 0 whatever it is",
        "按本次评测内的庭审缩放：只有一件或者全部相同时总是 0，不说明好坏",
    ),
    (
        r"(\w+) (\w+) is consistent in ([\d.]+) of 100 messages, below (\d+)",
        r"\1的\2每 100 条发言仅 \3 条一致，低于 \4",
    ),
    (
        r"(\w+) (\w+) answers in ([\d.]+) of 100 turns, below (\d+)",
        r"\1的\2每 100 次发言仅 \3 次作出回答，低于 \4",
    ),
    (r"(\d+) duties that got no valid answer are left out", r"\1 项未得有效回应，不计"),
    (
        r"turns were limited to (\d+), not as the profile has it, in (\d+) attempts",
        r"轮数上限改为 \1，\2 次评测与程序依据所定的不同",
    ),
    (r"the record of the published procedure was folded \(--fold\)", "按论文的程序而折叠了笔录（--fold）"),
    (r"(\w+) (\w+) was played by a person in (\d+) attempts", r"\1的\2有 \3 次由本人扮演"),
    (r"(\w+) (\w+) was not held by one player: (.+)", r"\1的\2先后由不同的扮演者担任：\3"),
    (r"profile j1 knows no tools, (\d+) were called", r"原基准没有工具，却调用了 \1 次"),
    (
        r"profile j1 routes by markers, (\d+) turns of the judge were routed otherwise",
        r"原基准按标记确定发言对象，审判席有 \1 次另由别的方式确定",
    ),
    (r"the judge was aided: duties", "审判席得到提示，逐轮列出未完成的法定事项"),
    (r"statutes were imported: pack (\S+)", r"法条为另行导入：数据包 \1"),
)
"""As `PHRASES`."""


def with_names(text: str, language: str) -> str:
    """The sentence of a score block with environment and role called as people call them."""

    def named(found: re.Match[str]) -> str:
        env, role = found.groups()
        if env not in codes():
            return found[0]
        who = role.replace("_", " ") if language == "en" else role_name(role, env)
        return f"{environment(env).label[language == 'en']} {who}"

    return re.sub(r"(\w+) (\w+)(?= (?:is consistent in|answers in|was played by|was not held by) )", named, text)
