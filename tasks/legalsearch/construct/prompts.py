"""The instructions of a constructed task, by the form of its answer, in the four fields of the published records.

`system_prompt` and `system_prompt_cot` go with `task_prompt` to a model without tools; `deepresearch_task_prompt`
stands before the question for an agent with tools. The wording is ours; `@` stands for the law the tasks are about.
"""

from __future__ import annotations

from tasks.legalsearch.settings import KINDS

_SYSTEM = "你是熟悉@的法律专业人员。请按照题目给出的时间适用当时施行的法律，回答准确、简洁。"
_TAGGED = "请只把最终答案写在<answer>与</answer>之间。"
_THOUGHT = "请先在<think>与</think>之间写出分析过程，再把最终答案写在<answer>与</answer>之间。"

_ASKS: dict[str, tuple[str, str]] = {
    # form of the answer: (what is asked, an example of the answer)
    "article": (
        "请根据题目给出的法律名称、条次和时间，逐字写出当时施行的条文。"
        "条文有标题的，连同标题一并写出；不要写法律名称、条次和说明。", "条文全文",
    ),
    "letters": ("请从选项中选出全部正确的选项。只写选项字母，多个字母按顺序连写。", "AC"),
    "charges": ("请根据案件事实写出应当认定的罪名。只写罪名，不带“罪”字；有多个罪名的，用分号隔开。", "盗窃;诈骗"),
    "months": ("请根据案件事实和相关法条，计算应当判处的刑期。只写总月数。", "12个月"),
    "consultation": (
        "请回答咨询人的问题，并写明依据。先以“回答:”写出结论和理由，再以“法律依据:”写出条文。", "回答:……法律依据:……",
    ),
}  # fmt: skip
_LAP = "请根据案件事实，从选项中选出应当适用的全部法条。只写选项字母，多个字母按顺序连写。"
_LCA = "请阅读案情和选项，选出全部正确的说法。只写选项字母，多个字母按顺序连写。"


def prompts(kind: str, law: str = "中国法律") -> dict[str, str]:
    """The four prompt fields of a task of this kind.

    Args:
        kind: id of one of the 13 tasks.
        law: whose law it is, as the prompt names it.
    """
    ask, example = _ASKS[KINDS[kind].form]
    ask = {"lap": _LAP, "lca": _LCA}.get(kind, ask)
    system = _SYSTEM.replace("@", law)
    return {
        "system_prompt": f"{system}\n{_TAGGED}",
        "system_prompt_cot": f"{system}\n{_THOUGHT}",
        "task_prompt": f"{ask}\n答案格式：\n<answer>\n{example}\n</answer>",
        "deepresearch_task_prompt": f"{ask}例如“{example}”。",
    }


def record(
    kind: str, task_id: str, question: str, answer: str, *, law: str = "中国法律", pair: str = "", cluster: str = "",
    **more: object,
) -> dict[str, object]:  # fmt: skip
    """A task line: the published fields, pair and cluster where they are set, and whatever else tells how it was
    made."""
    extra = {"pair": pair, "cluster": cluster}
    return {
        "id": task_id,
        "type": kind,
        **prompts(kind, law),
        "question": question,
        "answer": answer,
        **{name: value for name, value in extra.items() if value},
        **more,
    }


def choice(text: str, options: list[str]) -> str:
    """A question with its options, laid out as the published files do."""
    lines = "\n".join(f"{chr(ord('A') + place)}: {option}" for place, option in enumerate(options))
    return f"问题: {text}\n选项:\n{lines}\n"
