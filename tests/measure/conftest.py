"""What measurements share: the published statutes, imported once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import made_once, shared_data


@pytest.fixture(scope="session")
def published_statutes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The statutes of LegalSearch-R1, imported by the command once in a session: to be read only."""
    from click.testing import CliRunner

    from app.cli.data import data as commands

    folder = shared_data("legalsearch_r1", "statutes.jsonl").parent

    def bring_in() -> None:
        done = CliRunner().invoke(commands, ["import", "legalsearch", str(folder), "--name", "statutes"])
        assert done.exit_code == 0, done.output

    return made_once(tmp_path_factory, "statutes", bring_in)
