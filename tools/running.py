"""What a stage had started and not ended, from its output or from a file that it keeps."""

import re
from pathlib import Path


def unfinished_ctests(output: str) -> list[str]:
    """The names of the tests that ctest started and did not report, in the order of their start."""
    started = re.findall(r"^\s*Start +\d+: (\S+)$", output, re.MULTILINE)
    ended = set(re.findall(r"Test +#\d+: (\S+) ", output))
    return [name for name in started if name not in ended]


def pytest_items(path: Path) -> list[str]:
    """The tests in the file that tests/conftest.py keeps while pytest runs, one per line."""
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def pytest_failures(output: str) -> list[str]:
    """The lines about failed tests in pytest's last summary: names and messages of assertions."""
    summary = output.rpartition("short test summary info")[2].splitlines()[1:]
    kept, keep = [], False
    for line in summary:
        if re.match(r"(FAILED|ERROR|SKIPPED|=+) ", line):
            keep = line.startswith(("FAILED", "ERROR"))
        if keep:
            kept.append(line)
    return kept
