"""`stallscope cstates latency`, `explain` and `advise` on this machine's own kernel."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from harness.cli.command_line import main
from stallscope.programs import program

pytestmark = pytest.mark.live


def test_settings_are_compared_with_what_the_cpus_entered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root: /dev/cpu_dma_latency is its own")
    words = ["--kind", "timer,futex", "--think-us", "200", "--rounds", "2", "--seconds", "0.05"]
    status = main(["cstates", "latency", "--json", *words])
    written = capsys.readouterr()
    if status == 3 and "nothing to compare" in written.err:
        pytest.skip("needs the kernel's cpuidle with two states")
    assert status == 0, written.err
    document = json.loads(written.out)
    assert {result["test"] for result in document["results"]} == {"timer, 200 us", "futex, 200 us"}
    for result in document["results"]:
        assert result["samples"] > 0
        assert result["latency_us"]["p50"] > 0
        assert len(result["rounds_p50_us"]) == 2
    for verdict in document["verdicts"]:
        assert verdict["text"].startswith(("CPUs never idled", "no verdict: 2 rounds"))


@pytest.mark.parametrize("words", [("--kind", "smoke"), ("--think-us", "-1"), ("--cpus", "0-x")])
def test_invalid_options_are_rejected(words: tuple[str, str]) -> None:
    assert main(["cstates", "latency", *words]) == 2


def test_a_recording_is_explained_and_advised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(tmp_path / "run")
    words = ["--counters-only", "--duration", "0.02", "-o", run]
    assert main(["cstates", "record", *words]) == 0
    capsys.readouterr()
    assert main(["cstates", "explain", run, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert all(sleep["source"] == "declared" for sleep in result["sleeps"])
    assert main(["cstates", "advise", run]) == 0
    assert capsys.readouterr().out.strip()
    assert main(["cstates", "advise", str(tmp_path)]) == 5


def children_of(pid: int) -> list[int]:
    """Return the children of a process."""
    stats = (path / "stat" for path in Path("/proc").iterdir() if path.name.isdecimal())
    result = []
    for stat in stats:
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(words[1]) == pid:
            result.append(int(stat.parent.name))
    return result


@pytest.mark.parametrize("kind", ["futex", "tcp"])
def test_a_killed_process_ends_the_measurement(kind: str) -> None:
    words = [str(program("stallscope-wake")), "--kind", kind, "--duration", "3600"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as child:
        try:
            while not (partners := children_of(child.pid)) and child.poll() is None:
                pass
            os.kill(partners[0], signal.SIGKILL)
            _, message = child.communicate(timeout=60)
        finally:
            child.kill()
    assert child.returncode == 3
    assert "a process that answers ended early" in message
