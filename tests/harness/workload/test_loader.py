"""The loader as a child process: output, end, failures, Ctrl-C."""

import os
import signal
from pathlib import Path

import pytest

from harness.workload.loader import run_load, running_load
from harness.workload.options import LoadOptions
from harness.workload.results import LoadSecond
from stallscope.errors import RecordingError, TargetError, UnableError, UsageError
from tests.harness.workload.fake_programs import LOADED, install

WRITES = f"""
folder = sys.argv[sys.argv.index("-o") + 1]
os.makedirs(folder, exist_ok=True)
def write(**more):
    with open(folder + "/load.json", "w") as file:
        json.dump({LOADED!r} | more, file)
"""
SECOND = 'print(json.dumps({"event": "second", "t": 1, "requests": 7, "errors": 1, "p50_us": 5.5}), flush=True)\n'


def options(folder: Path) -> LoadOptions:
    return LoadOptions("127.0.0.1:1", folder / "run")


def test_seconds_and_the_result_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "stallscope-load", WRITES + SECOND + "write()", monkeypatch)
    seconds: list[LoadSecond] = []
    result, interrupted = run_load(options(tmp_path), seconds.append)
    assert seconds == [LoadSecond(1.0, 7, 1, 5.5, None)]
    assert not interrupted
    assert (result.requests, result.requested_rate_per_s, result.latency_us.p99) == (
        36_000,
        None,
        512.0,
    )
    assert result.send_lag_us.largest is None
    assert result.warnings == ("the loader shared its core",)


@pytest.mark.parametrize(
    ("body", "error", "words"),
    [
        ("print('no: error: x', file=sys.stderr); sys.exit(2)", UsageError, "no: error: x"),
        (
            "print('stallscope-load: error: refused\\n  remedy: start it', file=sys.stderr); sys.exit(4)",
            TargetError,
            "stallscope-load: refused",
        ),
        ("sys.exit(3)", UnableError, "exited with status 3"),
        ("os.kill(os.getpid(), 9)", TargetError, "killed by SIGKILL"),
        ("print('{')", UnableError, "not JSON"),
        ("write(requests='many')", RecordingError, r"Expected `int`, got `str` - at `\$.requests`"),
        ("write(lost=2, doubled=0); sys.exit(4)", TargetError, "2 lost"),
        ("print('x' * 300_000, file=sys.stderr); sys.exit(3)", UnableError, "x"),
    ],
)
def test_every_failure_raises_a_single_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, error: type, words: str
) -> None:
    install(tmp_path, "stallscope-load", WRITES + body, monkeypatch)
    with pytest.raises(error, match=words):
        run_load(options(tmp_path))


def test_a_rejected_option_names_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rejects = "print('stallscope-load: no such rate', file=sys.stderr); sys.exit(2)"
    install(tmp_path, "stallscope-load", rejects, monkeypatch)
    with pytest.raises(UsageError) as raised:
        run_load(options(tmp_path))
    assert raised.value.remedy.startswith("change that option")


def test_ctrl_c_ends_the_load_and_keeps_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = "signal.signal(signal.SIGINT, lambda *_: (write(requests=5), sys.exit(0)))\n"
    install(tmp_path, "stallscope-load", WRITES + waits + SECOND + "time.sleep(60)", monkeypatch)
    result, interrupted = run_load(options(tmp_path), lambda _: os.kill(os.getpid(), signal.SIGINT))
    assert interrupted
    assert result.requests == 5


def test_an_exception_terminates_the_loader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "stallscope-load", "time.sleep(60)", monkeypatch)
    with pytest.raises(RuntimeError), running_load(options(tmp_path)) as load:
        raise RuntimeError
    assert load.child.process.returncode == -signal.SIGTERM
