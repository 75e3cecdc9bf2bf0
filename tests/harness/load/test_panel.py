"""The page of a recorded load."""

import shutil
from pathlib import Path

import pytest

from harness.load.panel import latency_series, render_page, write_page
from harness.load.recording import read_load

RECORDED = Path(__file__).parents[2] / "recordings" / "load"
EVIL = "</title><script>alert(1)</script>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECORDED, tmp_path / "load"))


def test_the_page_has_the_rate_and_names_every_log(folder: Path) -> None:
    assert write_page(folder) == folder / "report.html"
    page = (folder / "report.html").read_text()
    assert "Load on " in page
    for series in latency_series(read_load(folder)):
        assert series.name in page
    assert "achieved" in page
    assert write_page(folder, folder / "other.html") == folder / "other.html"


def test_only_latencies_from_the_intended_start_count_requests(folder: Path) -> None:
    series = latency_series(read_load(folder))
    assert [item.name for item in series if item.counts_requests] == [
        "latency, from the intended start"
    ]


def test_texts_of_the_page_are_escaped(folder: Path) -> None:
    series = latency_series(read_load(folder))
    page = render_page(series, title=EVIL, recording_name=EVIL, facts={EVIL: EVIL})
    assert "<script>alert" not in page
