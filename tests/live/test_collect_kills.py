"""A recorder that is killed at any point leaves a recording that is readable or reports its loss."""

import json
import random
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import IO

import pytest

from tests.live.capture_check import counting_outcome, outcome
from tests.live.counting import plan_of
from tests.long_tests import long_tests

pytestmark = [pytest.mark.live, pytest.mark.long]
PLAN = plan_of(["task-clock", "page-faults"])


def wait_for_start(messages: IO[bytes]) -> None:
    for line in messages:
        if b": recording " in line or b": counting " in line:
            return


def test_recordings_killed_at_random_points_are_readable_or_report_what_was_lost(
    collector, start_target, target_program, tmp_path: Path
) -> None:
    target = start_target("light", 2)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLAN))
    count = ("count", f"--plan={plan}", "--window=50")
    kinds = [
        ("-p", str(target.pid)),
        ("-p", str(target.pid), "--stacks", "dwarf", "-F", "4999"),
        ("-a", "-F", "4999"),
        ("--", str(target_program), "spin", "200"),
        (*count, "-p", str(target.pid)),
    ]
    generator = random.Random(4)
    outcomes: Counter[str] = Counter()
    for number in range(long_tests(short=10, long=500)):
        words = kinds[number % len(kinds)]
        directory = tmp_path / f"run-{number}"
        counts = words[0] == "count"
        duration = () if "--" in words else ("--duration", "0.3")
        process = subprocess.Popen(
            [str(collector), *words[:counts], "-o", str(directory), *duration, *words[counts:]],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        with process, process.stderr:
            if generator.random() < 0.7:
                wait_for_start(process.stderr)
            time.sleep(generator.uniform(0, 0.4))
            process.kill()
        outcomes[(counting_outcome if counts else outcome)(directory)] += 1
    print(dict(outcomes))
    assert outcomes["none"] < outcomes.total()
