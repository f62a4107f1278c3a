"""What each party of a civil trial said to mediation, as far as the bench has to ask again. Rules bring nobody together:
where no agreement is told, they give judgment (民事诉讼法第一百四十五条).
"""

from __future__ import annotations

import re

from tasks.courts.agents.civil.sums import sums
from tasks.courts.agents.civil.trial import SIDES, Trial
from tasks.courts.procedure.turns import Side

_ACCEPTS = re.compile(r"同意|愿意|可以|接受|没有异议")
_REFUSES = re.compile(r"不同意|不愿|拒绝|不接受|不调解|不可以|不能接受|差距较大")
_TERMS = re.compile(r"(?:条件|方案)(?:是|为)?[：:]?[^。\n]{2}")


def accepts(text: str) -> bool:
    """Whether a reply agrees."""
    return bool(_ACCEPTS.search(text)) and not _REFUSES.search(text)


def owes_terms(trial: Trial, side: Side) -> bool:
    """Whether both sides would settle, and this one has not been asked a second time on which terms."""
    if not all(accepts(trial.last("mediate", one)) for one in SIDES):
        return False
    said = trial.last("mediate", side)
    return trial.asked["mediate", side] < 2 and not sums(said) and not _TERMS.search(said)
