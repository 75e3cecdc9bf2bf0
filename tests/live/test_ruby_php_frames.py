"""Frames of unmodified Ruby and PHP processes, compared with programs that know their shares."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chance import five_standard_errors

pytestmark = pytest.mark.live
PROGRAMS = Path(__file__).parent / "targets"
SECONDS = 3
NEAR = 0.03
# docs/runtimes.md has the figures. On a busy machine, PHP's frames are often read too late.
MIN_NAMED_SHARE = {"php": 0.9, "ruby": 0.9}


@pytest.mark.parametrize("language", ["ruby", "php"])
def test_shares_of_functions_agree_with_the_program(language: str, tmp_path: Path) -> None:
    if shutil.which(language) is None:
        pytest.skip(f"needs the program {language}")
    program = PROGRAMS / ("known_shares.rb" if language == "ruby" else "known_shares.php")
    words = ["profile", "--json", "-o", str(tmp_path / "recording"), "--"]
    run = subprocess.run(
        [sys.executable, "-m", "stallscope", *words, language, str(program), str(SECONDS)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    used = json.loads(next(line for line in run.stderr.splitlines() if line.startswith("{")))
    document = json.loads(run.stdout)
    runtime = next(runtime for runtime in document["runtimes"] if runtime["name"] == language)
    if not runtime["named"] and list(runtime["failed"]) == ["unsupported version"]:
        pytest.skip(f"needs a supported version of {language}")
    assert runtime["named"] >= MIN_NAMED_SHARE[language] * runtime["samples"]
    assert runtime["samples"] == runtime["named"] + sum(runtime["failed"].values())
    totals: dict[str, float] = {}
    for function in document["functions"]:
        if function["module"] == str(program):
            name = function["name"].split("#")[-1].split(".")[-1]
            totals[name] = max(totals.get(name, 0), function["total_share"])
    ours, theirs = sum(totals.get(name, 0) for name in used), sum(used.values())
    assert ours > 0
    for name, value in used.items():
        share = value / theirs
        allowed = NEAR + five_standard_errors(share, int(document["samples"] * ours))
        assert abs(totals.get(name, 0) / ours - share) <= allowed, name
