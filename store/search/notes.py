"""What a search of statutes notes about its answer, as sentences: no text on the day, a filter that was left out."""

from __future__ import annotations

from collections.abc import Sequence

SENTENCES: dict[str, str] = {
    "later": "《{0}》{1}在{2}尚未施行，自{3}起施行；所列为当日施行的条文。",
    "later_near": "《{0}》{1}在{2}尚未施行，自{3}起施行；当日施行的相邻条文是{4}。所列为当日施行的条文。",
    "ended": "《{0}》{1}在{2}已经废止，施行至{3}；所列为当日施行的条文。",
    "gap": "《{0}》的版本表在{1}没有文本，这是数据的缺口；所列为前后相邻的文本，不是当日的文本。",
    "as_of": "数据截至{0}，此后是否修改不明。",
    "doubtful": "《{0}》所解释或者实施的《{1}》已于{2}起废止，此后是否适用存疑。",
    "not_yet": "《{0}》在{1}尚未施行。",
    "repealed": "《{0}》在{1}已经废止。",
    "counterpart": "《{0}》{1}的对应条文是《{2}》{3}（按条标或者条文推断，未经核对）。",
    "succeeded": "《{0}》的内容已由《{1}》取代。",
    "unknown_law": "没有收录《{0}》，未按该法筛选。",
    "unknown_version": "没有“{0}”这个文本。",
    "no_such_date": "“{0}”不是存在的日期，未按它筛选。",
    "reversed_range": "“{0}”前后颠倒，未按它筛选。",
    "relative_date": "不知道“{0}”是哪一天，未按它筛选。",
    "unclear_time": "“{0}”没有说明具体时间，未按它筛选；请写明日期。",
    "unclear_version": "“{0}”可能指几个文本，未按它筛选；请写明年份。",
    "no_article:not_yet": "《{0}》第{1}条在所问日期尚未施行；所列为按其余条件检索的条文。",
    "no_article:repealed": "《{0}》第{1}条在所问日期已经不存在；所列为按其余条件检索的条文。",
    "no_article:no_text": "《{0}》第{1}条在所问日期的文本未收录；所列为按其余条件检索的条文。",
    "no_article:gap": "《{0}》第{1}条在所问日期落在版本表的缺口里；所列为按其余条件检索的条文。",
    "no_article": "《{0}》没有第{1}条；所列为按其余条件检索的条文。",
    "before_all": "{0}早于所收录的最早文本（{1}）。",
    "dropped": "按全部条件没有结果，已放宽条件。",
}
"""Code of a note, with its state where it has one -> the sentence; codes without one are for people only."""
MOST = 6


def sentences(notes: Sequence[str]) -> list[str]:
    """The notes of an answer as sentences, at most six."""
    said = []
    for note in notes:
        code, *parts = note.split(":")
        words = SENTENCES.get(f"{code}:{parts[-1]}" if parts else code, SENTENCES.get(code, ""))
        if words:
            said.append(words.format(*parts, "", ""))
    return list(dict.fromkeys(said))[:MOST]
