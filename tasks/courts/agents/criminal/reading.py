"""The facts that are charged, as the prosecution has read them out."""

from __future__ import annotations

import re

from tasks.courts.agents.criminal.heard import Heard

_FACTS = re.compile(
    r"(?:审查查明|查明|指控)[：:，,]?\s*(?P<facts>.+?)(?=认定(?:上述|以上)事实的证据|(?:上述|以上)事实[，,]?(?:被告人|且?有|经)|本院认为|被告人[\u4e00-\u9fff·]{1,8}的行为(?:触犯|应当|已?构成)|量刑建议[：:]|$)",
    re.DOTALL,
)
_QUALIFIED = re.compile(r"，?其行为(?:已经?)?(?:构成|触犯)[^。]{0,60}。")


def charged_facts(heard: Heard) -> str:
    """What the prosecution says happened, without heading, law and request; '' where nothing was read."""
    read = heard.answers("procurator", "indictment")
    match = _FACTS.search(read, max(0, read.rfind("审理查明")))
    return _QUALIFIED.sub("。", (match["facts"] if match else read).strip())
