"""A program without frame pointers with some stacks deeper than the copies."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live
STALLSCOPE = str(Path(sys.executable).with_name("stallscope"))
CUT = "[truncated: beyond the copied stack]"


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("needs the program gcc")
    target = tmp_path_factory.mktemp("deep") / "deep"
    source = Path(__file__).parent / "targets" / "deep.c"
    flags = ["-O1", "-g", "-fomit-frame-pointer", "-fno-optimize-sibling-calls"]
    subprocess.run(["gcc", *flags, source, "-o", target], check=True)
    return target


def stallscope(*arguments: object) -> str:
    command = [STALLSCOPE, *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_stacks_deeper_than_the_copy_are_grouped_by_that_reason(deep: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    stallscope("record", "--stacks", "dwarf", "-o", run, "--", deep)
    document = json.loads(stallscope("report", run, "--no-page", "--inlined", "--json"))
    stacks = document["stacks"]
    assert (stacks["requested"], stacks["chosen"], stacks["copy_bytes"]) == ("dwarf", "dwarf", 8192)
    assert stacks["cut_share"] == pytest.approx(0.5, abs=0.15)
    assert stacks["complete_share"] + stacks["truncated_share"] == pytest.approx(1)
    assert stacks["reasons"][0]["reason"] == "beyond the copied stack"
    assert CUT not in {row["name"] for row in document["functions"]}
    inlined = next(row for row in document["functions"] if row["name"] == "inlined_work")
    assert inlined["kind"] == "inlined"
    assert inlined["self_share"] > 0.8
    folded = stallscope("flame", run, "--format", "folded", "-o", "-").splitlines()
    # Complete chains have no deep part and truncated chains have no main: they do not mix.
    for line in folded:
        frames = line.rsplit(" ", 1)[0].split(";")[1:]
        assert (frames[0] == CUT) == ("deep" in frames and "main" not in frames), line
    assert "--stack-bytes 32768" in stallscope("report", run, "--no-page").replace(
        "\n           ", " "
    )


def test_a_larger_copy_completes_them(deep: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    stallscope("record", "--stacks", "dwarf", "--stack-bytes", "32768", "-o", run, "--", deep)
    stacks = json.loads(stallscope("report", run, "--no-page", "--json"))["stacks"]
    assert stacks["copy_bytes"] == 32768
    assert stacks["cut_share"] == 0
    assert stacks["complete_share"] > 0.98
