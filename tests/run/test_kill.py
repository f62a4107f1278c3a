from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.kill_harness import run_trials

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="kills with POSIX signals")]


def test_a_killed_run_loses_nothing_it_acknowledged(moot_home: Path) -> None:
    report = run_trials(moot_home, kills=20, tasks=3)
    assert report.kills >= 20
    assert report.lost == []
    assert report.different == []
