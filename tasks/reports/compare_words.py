"""The words of a comparison in both languages."""

from __future__ import annotations

from tasks.scoring.names import Names

COMPARE_WORDS: dict[str, Names] = {
    "compare.page": ("模拟法庭评测台 评测比较", "Moot: comparison of runs"),
    "compare.title": ("成对比较", "Paired comparison"),
    "compare.first": ("甲", "A"),
    "compare.second": ("乙", "B"),
    "compare.n": ("题数", "n"),
    "compare.clusters": ("题簇", "clusters"),
    "compare.difference": ("差（乙－甲）", "B − A"),
    "compare.p": ("p", "p"),
    "compare.holm": ("p（Holm）", "p (Holm)"),
    "compare.detectable": ("可检出的差", "detectable"),
    "compare.axis": ("乙减甲，百分制；空心表示偶然性即可解释", "B minus A, points of 100; hollow: chance could do it"),
    "compare.note": (
        "只计两次评测都有得分的题；“可检出的差”：以这样的题数与离散程度，真实差距达到它时十次中有八次能检出（5% 水平）",
        "Only tasks that both runs have a score of; detectable: a true difference that 8 of 10 comparisons of this size and spread would find at 5 %",
    ),
    "compare.fourfold": ("四格表", "Fourfold table"),
    "compare.both": ("都答对", "both"),
    "compare.only_first": ("仅甲", "only A"),
    "compare.only_second": ("仅乙", "only B"),
    "compare.none": ("都未答对", "none"),
    "compare.mcnemar": ("McNemar p", "McNemar p"),
    "compare.mcnemar_note": (
        "McNemar 精确检验把各题当作相互独立；上表的 p 按题簇翻转符号，以上表为准",
        "McNemar's exact test takes tasks as independent; the p above flips the signs of whole clusters, and counts",
    ),
    "compare.differing": ("得分不同的题", "Tasks that differ"),
    "compare.task": ("题目", "Task"),
    "compare.in_group": ("组", "Group"),
    "compare.ended_first": ("甲的结局", "A ended"),
    "compare.ended_second": ("乙的结局", "B ended"),
    "compare.tasks_note": ("{of} 题中有 {n} 题得分不同", "{n} of {of} tasks differ"),
    "compare.only_in_first": ("另有 {n} 题仅甲评测过", "{n} more tasks only in A"),
    "compare.only_in_second": ("另有 {n} 题仅乙评测过", "{n} more tasks only in B"),
    "compare.apart": ("两次评测的不同之处", "What is different about the runs"),
    "compare.unfinished": ("有 {n} 题至少一次评测还没有做完，不列入", "{n} tasks that a run has not ended yet are left out"),
    "compare.fact": ("项目", "What"),
    "compare.fact.agent": ("智能体", "agent"),
    "compare.fact.model": ("模型", "model"),
    "compare.fact.imported": ("导入的文件", "imported file"),
    "compare.fact.calls": ("调用格式", "form of calls"),
    "compare.fact.paper": ("论文形式", "form of the paper"),
    "compare.fact.seed": ("种子", "seed"),
    "compare.fact.epochs": ("重复次数", "repeats"),
    "compare.fact.parent": ("分叉自", "forked from"),
    "compare.fact.pack": ("数据包", "pack"),
    "compare.fact.moot": ("程序版本", "version of Moot"),
    "compare.fact.seats": ("席位", "seat"),
    "compare.fact.limits": ("上限", "limit"),
    "compare.part.turns": ("步数", "steps"),
    "compare.part.tokens": ("词元", "tokens"),
    "compare.part.seconds": ("秒数", "seconds"),
    "compare.fact.prompts": ("提示词", "prompt"),
    "compare.verdict.better": (
        "{ahead}优于{behind}：{measure} {best} 对 {least}，高 {difference} 分（95% 区间 {low} 至 {high}，{n} 题，p {p}）",
        "{ahead} is better than {behind}: {measure} {best} against {least}, {difference} points more (95% {low} to {high}, n = {n}, p {p})",
    ),
    "compare.verdict.single": (
        "{ahead}的{measure}高 {difference} 分（{n} 题），但只有一个题簇，分不出高下",
        "{ahead} has {difference} points more ({measure}, n = {n}), but a single cluster of tasks shows nothing",
    ),
    "compare.verdict.few": (
        "{ahead}的{measure}高 {difference} 分（95% 区间 {low} 至 {high}，{n} 题，p {p}），但题簇只有 {k} 个，检验分不出高下",
        "{ahead} has {difference} points more ({measure}, 95% {low} to {high}, n = {n}, p {p}), but {k} clusters of tasks are too few for the test",
    ),
    "compare.verdict.alike": (
        "{ahead}与{behind}得分相同：{measure} {best}，{n} 题",
        "{ahead} and {behind} score alike: {measure} {best}, n = {n}",
    ),
    "compare.verdict.chance": (
        "{ahead}的{measure}高 {difference} 分（95% 区间 {low} 至 {high}，{n} 题，p {p}），但偶然性即可解释，未能分出高下",
        "{ahead} has {difference} points more ({measure}, 95% {low} to {high}, n = {n}, p {p}), but chance could do it: neither is shown to be better",
    ),
    "compare.called": ("{side}（{name}）", "{side} ({name})"),
    "compare.joined": ("；", "; "),
}  # fmt: skip
"""Key -> (Chinese, English)."""

COMPARE_PHRASES: tuple[tuple[str, str], ...] = (
    (r"sign flips of clusters, exact", "按题簇翻转符号的精确检验"),
    (r"sign flips of clusters, ([\d,]+) draws, seed (\d+)", r"按题簇翻转符号 \1 次，种子 \2"),
    (r"no cluster differs", "各题簇无差异"),
    (r"a single cluster says nothing", "单个题簇说明不了什么"),
    (r"clustered t\b", "按题簇的 t 区间"),
    (r"Wilson \(no spread\)", "Wilson 区间（题间无差异）"),
)
"""As `words.PHRASES`."""
