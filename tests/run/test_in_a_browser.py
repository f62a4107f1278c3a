"""Pages of Moot, and the viewer of Inspect AI on its logs, as a headless Chromium shows them with the network off."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.courts.papers.made import papers_of, write_paper
from tasks.exchange.inspect_log import export_inspect
from tasks.reports.comparison import FORMATS as COMPARISONS
from tasks.reports.formats import FORMATS
from tasks.run.comparing import compare
from tasks.run.rescoring import read_stored, summary_of
from tasks.scoring.metrics import Report
from tests.run.test_other_programs import INSPECT, RUNS, golden  # noqa: F401
from tests.support.browser import CHROMIUM, Page, page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: pages were not opened"),
]
HOSTILE = "<img src=http://198.51.100.7/x onerror='window.taken=1'><script>window.taken=1</script>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with page(tmp_path_factory.mktemp("profile")) as one:
        one.offline()
        yield one


def shown(browser: Page, text: str, out: Path) -> str:
    """The text of a page, which asked for nothing but itself, said nothing and ran nothing."""
    out.write_text(text, encoding="utf-8")
    browser.asked.clear()
    browser.open(out.as_uri())
    read = browser.until(lambda text: len(text) > 200)
    assert browser.asked == [out.as_uri()] and browser.console == [], (browser.asked, browser.console)
    assert browser.value("window.taken === undefined && document.scripts.length === 0")
    return read


@pytest.mark.parametrize("name", RUNS)
def test_reports_ask_for_nothing_and_hostile_names_stay_text(golden: Path, browser: Page, name: str) -> None:  # noqa: F811
    stored = read_stored(Path(f"{name}.moot"))
    spec = {**stored.header["spec"], "model": HOSTILE, "agent": HOSTILE}
    header = {**stored.header, "spec": spec, "command": [HOSTILE]}
    report = Report(replace(summary_of(stored), run=HOSTILE), header)
    for reports in ([report], [report, report]):
        read = shown(browser, FORMATS["html"](reports, "zh"), golden / "report.html")
        assert HOSTILE in read and "严格口径" in read
        assert browser.value("document.querySelectorAll('svg text').length") > 5, (
            "plots are text that can be selected"
        )


def test_comparisons_and_court_papers_ask_for_nothing(golden: Path, browser: Page) -> None:  # noqa: F811
    twin = golden / "twin.moot"
    twin.write_bytes(Path("courts.moot").read_bytes())
    made = compare([Path("courts.moot"), twin])
    assert "成对比较" in shown(browser, COMPARISONS["html"](made, "zh"), golden / "compare.html")
    kinds = set()
    for row in (one.result for one in read_stored(Path("courts.moot")).attempts):
        for kind, paper in papers_of("courts.moot", row.task_id).items():
            write_paper(paper, "html", out := golden / f"{row.task_id} {kind}.html")
            read = shown(browser, out.read_text("utf-8"), out)
            assert "仅供评测演示" in read and "虚构数据" in read
            kinds.add(kind)
    assert "transcript" in kinds


@contextmanager
def viewer(folder: Path) -> Iterator[str]:
    """The address of Inspect's viewer over the folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "inspect_ai",
        "view",
        "start",
        "--log-dir",
        str(folder),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert server.stdout is not None
            assert any("Running on" in line for line in server.stdout), "the viewer did not start"
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


@pytest.mark.skipif(not INSPECT, reason="inspect_ai is not installed; nothing of the product needs it")
def test_the_viewer_of_inspect_shows_every_sample(golden: Path, tmp_path: Path) -> None:  # noqa: F811
    n = export_inspect(Path("legalagentbench.moot"), golden / "logs" / "a.eval")
    with viewer(golden / "logs") as address, page(tmp_path / "profile") as one:
        one.open(address)
        read = one.until(lambda text: f"{n} rows" in text)
        assert "moot/legalagentbench" in read and "strict/success" in read
        assert all(url.startswith((address, "data:")) for url in one.asked)
