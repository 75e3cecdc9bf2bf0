"""A short demo with the real server and loader: its pages, and that no process is left."""

import os
from functools import partial
from pathlib import Path

import psutil
import pytest

from harness.demo import __main__ as demo
from harness.demo.cstates import sleep_part
from harness.demo.diagnosis import diagnose_server
from harness.demo.disk import disk_part
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import FIXED_RATE

pytestmark = pytest.mark.live


def test_the_demo_leaves_pages_and_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs: one for the server, one for the loader")

    def brief(output: Path) -> StagesOptions:
        return StagesOptions(
            "kv", output, pairs=1, duration_s=0.2, warmup_s=0.1, loads=(FIXED_RATE,),
            profile_s=0.0, replay=False,
        )  # fmt: skip

    assert demo.demo_options(tmp_path).path == "codec"
    monkeypatch.setattr(demo, "demo_options", brief)
    monkeypatch.setattr(demo, "diagnose_server", partial(diagnose_server, seconds=0.5))
    monkeypatch.setattr(demo, "sleep_part", partial(sleep_part, seconds=0.3))
    monkeypatch.setattr(demo, "disk_part", partial(disk_part, disk="sim:servers=4,service=2ms"))
    before = psutil.Process().children(recursive=True)
    demo.run_demo(tmp_path / "demo")
    printed = capsys.readouterr()
    assert "index.html" in printed.out
    assert "open loop at 60 %" in printed.out
    assert "Advice for this machine:" in printed.out
    assert (tmp_path / "demo" / "idle" / "report.html").is_file()
    assert (tmp_path / "demo" / "disk-curve" / "report.html").is_file()
    assert set(psutil.Process().children(recursive=True)) <= set(before)
    index = (tmp_path / "demo" / "index.html").read_text()
    for path in (
        "report.html",
        "idle/report.html",
        "disk-curve/report.html",
        "disk-storm/report.html",
    ):
        assert f'<a href="{path}">' in index
    if "The server was not diagnosed" in printed.out:
        pytest.skip("needs perf events: they are refused here")
    assert "recording the staged server by its pid" in printed.err
    assert index.index("<h1>") < index.index('id="pages"') < index.index('id="timeline"')
    for section in ("stages", "idle", "curve", "storm", "diff"):
        assert f'id="{section}"' in index
