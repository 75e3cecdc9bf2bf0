"""A collector beside other work: its start, its end, and its errors, with an invented program."""

import sys
from pathlib import Path

import pytest

from stallscope import background_collector
from stallscope.background_collector import phase_collector
from stallscope.collector import PROTOCOL, CountOptions, __version__
from stallscope.errors import StallscopeError, UnableError

FAKE = f"""#!{sys.executable} -S
import os, sys
fd = lambda name: int(next(w for w in sys.argv if w.startswith(name)).partition("=")[2])
say = lambda text: os.write(fd("--progress-fd"), text.encode() + b"\\n")
say('{{"event": "hello", "version": "{__version__}", "protocol": {PROTOCOL}}}')
"""
COUNTS = """
say('{"event": "started"}')
while os.read(fd("--phases"), 64): pass
say('{"event": "finished", "reason": "phases ended"}')
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def make(body: str) -> CountOptions:
        path = tmp_path / "collect"
        path.write_text(FAKE + body)
        path.chmod(0o755)
        monkeypatch.setattr("stallscope.collector.program", lambda _: path)
        return CountOptions(output=tmp_path / "run", plan=tmp_path / "plan", pids=(1,))

    return make


def test_the_collector_ends_when_the_marks_are_closed(fake) -> None:
    with phase_collector(fake(COUNTS)) as collector:
        collector.marks.send(b"start\n")
        assert collector.finish().reason == "phases ended"
        assert collector.finish().reason == "phases ended"


def test_the_collector_ends_with_the_block(fake) -> None:
    with phase_collector(fake(COUNTS)) as collector:
        process = collector.process
    assert process.poll() is not None


def test_an_error_at_the_start_is_raised(fake) -> None:
    options = fake('say(\'{"event": "error", "message": "no", "exit_code": 3}\'); sys.exit(3)')
    with pytest.raises(StallscopeError, match="no"), phase_collector(options):
        pass


def test_a_silent_collector_is_ended(fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_collector, "START_LIMIT_S", 0.2)
    options = fake("import time; time.sleep(60)")
    with pytest.raises(UnableError, match="reported nothing"), phase_collector(options):
        pass
