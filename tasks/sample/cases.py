"""Texts of the LegalCases corpus: guiding cases in the order courts publish them, with real newlines."""

from __future__ import annotations

import tomllib
from importlib.resources import files


def cases() -> list[str]:
    """All guiding cases."""
    text = files("tasks.sample").joinpath("data/cases.toml").read_text(encoding="utf-8")
    return [_written(case) for case in tomllib.loads(text)["case"]]


def _written(case: dict[str, str]) -> str:
    return (
        f"{case['title']}\n\n——{case['point']}\n\n【基本案情】\n\n{case['facts']}\n\n"
        f"【裁判结果】\n\n{case['result']}\n\n"
        f"【裁判理由】\n\n{case['reason']}\n"
    )
