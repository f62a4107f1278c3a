"""Texts of the LegalCases corpus: guiding cases in the order courts publish them, with real newlines."""

from __future__ import annotations

from store.tables import beside


def cases() -> list[str]:
    """All guiding cases."""
    return [_written(case) for case in beside(__package__, "data/cases")["case"]]


def _written(case: dict[str, str]) -> str:
    return (
        f"{case['title']}\n\n——{case['point']}\n\n【基本案情】\n\n{case['facts']}\n\n"
        f"【裁判结果】\n\n{case['result']}\n\n"
        f"【裁判理由】\n\n{case['reason']}\n"
    )
