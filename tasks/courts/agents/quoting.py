"""Words of the parties as a judge may quote them: short, on one line, and free of words that would do something in
court."""

from __future__ import annotations

import re

_DOES = re.compile(r"闭庭|庭审(?:到此)?结束|判决如下|本院认为|<[^<>]{0,12}>|公诉人")
_SPEAKER = re.compile(r"(原告|被告)([^：:，,。\n]{0,8})[：:]")
_MARKS = str.maketrans("“”「」『』", "‘’‘’‘’")


def quotable(text: str, most: int = 400) -> str:
    """A text that can stand between quotation marks, with inner ones in their place."""
    plain = _DOES.sub("", " ".join(text.split())).translate(_MARKS)
    plain = plain.replace("被答辩人", "原告").replace("答辩人", "被告")
    return _SPEAKER.sub(r"\1\2，", plain)[:most].strip("，,；;。、 ")


def outer(text: str) -> str:
    """‘’ that stand in no “” become “”: single marks are for a quotation within a quotation."""
    kept, depth = [], 0
    for sign in text:
        depth = max(0, depth + (sign == "“") - (sign == "”"))
        kept.append({"‘": "“", "’": "”"}.get(sign, sign) if not depth else sign)
    return "".join(kept)


def gist(text: str, most: int = 40) -> str:
    """The first clauses of a point, without its end mark."""
    kept = ""
    for clause in re.split(r"(?<=[，,；;。])", text):
        if kept and len(kept) + len(clause) > most:
            break
        kept += clause
    return quotable(kept.replace("；", "，").replace("。", "，"), most + 20)
