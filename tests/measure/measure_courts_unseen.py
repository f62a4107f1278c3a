"""Cases by authors who had not seen the rules: every one ends, nothing leaks, no duty is missed; the figures are
printed.

What the rules earn in substance is shown by `pytest -s`, not demanded: see `tests/court_unseen/README.md`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tasks.courts.casefile.case import Env
from tasks.courts.checking.case import check_files
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec

FOLDER = Path(__file__).parents[1] / "court_unseen"
ENVS: dict[Env, str] = {
    "KQ": "knowledge", "LC": "consultation", "CD": "disputes", "DD": "disputes", "CI": "disputes", "CR": "criminal",
}  # fmt: skip
SHOWN = ("BIN", "NBIN_proxy", "FOR", "DOC_proxy", "PFS", "JUD_claims", "CRI", "VER", "REA_points", "LAW", "LAW_FAKE")


def test_they_are_sound() -> None:
    found = list(check_files([FOLDER]))
    assert sum(cases for _, cases in found) == 60
    assert not [line for lines, _ in found for line in lines if ": error: " in line]


@pytest.mark.parametrize(("env", "agent"), [*((env, "rules") for env in ENVS), ("CI", "gold"), ("CR", "gold")])
def test_every_case_ends_without_leak_or_fault(env: Env, agent: str, sample_pack: Path, tmp_path: Path) -> None:
    spec = RunSpec(benchmark="courts", agent=agent, tasks=str(FOLDER / ENVS[env]), env=env)
    with start_run(spec, out=tmp_path / "all.moot") as run:
        run.go()
        block = run.summary().block()
        print(f"\n{env} {agent}: {_figures(block)}", end="")
    assert block["outcomes"]["finished"] == block["n"] == 10
    assert not block["flags"]["leak"] and not block["violations"]
    if env in ("CI", "CR"):
        assert block["strict"]["PFS"] == 100 and block["strict"]["LAW_FAKE"] == 0


def _figures(block: dict[str, Any]) -> str:
    """Strict scores with their floor in brackets."""
    strict, floor = block["strict"], block["floor"]["strict"]
    return "  ".join(
        f"{name} {strict[name]:.1f} ({floor[name] or 0:.1f})" for name in SHOWN if strict.get(name) is not None
    )
