"""A machine with a collector that replays known counts."""

from pathlib import Path

import pytest

from tests.harness.topdown.bench import Bench, machine
from tests.topdown.slots.counting.played import PlayedCollector
from tests.topdown.slots.counting.skylake import SKYLAKE


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(machine(tmp_path), PlayedCollector(SKYLAKE), capsys)
