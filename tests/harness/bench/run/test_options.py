"""Options of `stallscope bench run`: values of the command line precede those of the file."""

from pathlib import Path
from typing import Any

import pytest

from harness.bench.run.options import bench_run_options
from stallscope.errors import UsageError

NONE: dict[str, Any] = {
    "words": (), "commands": (), "file": None, "only": (), "quick": False, "runs": None, "warmup": None,
    "until_stable": False, "seed": None, "timeout_s": None, "ignore_failure": False,
    "output": None, "force": False, "as_json": False,
}  # fmt: skip


def test_the_command_line_precedes_the_file(tmp_path: Path) -> None:
    file = tmp_path / "bench.toml"
    file.write_text('runs = 5\nwarmup = 0\n[commands.a]\nrun = "true"\n')
    options = bench_run_options({**NONE, "file": file})
    assert (options.runs, options.warmup, options.max_runs) == (5, 0, 5)
    options = bench_run_options({**NONE, "file": file, "runs": 3, "warmup": 2})
    assert (options.runs, options.warmup) == (3, 2)


def test_until_stable_has_a_limit_and_the_seed_is_random_by_default() -> None:
    options = bench_run_options({**NONE, "words": ("true",), "until_stable": True})
    assert (options.runs, options.max_runs) == (10, 200)
    seeds = {bench_run_options({**NONE, "words": ("true",)}).seed for _ in range(5)}
    assert len(seeds) > 1


def test_only_names_the_server_that_is_not_installed(tmp_path: Path) -> None:
    file = tmp_path / "bench.toml"
    file.write_text(
        '[commands.a]\nrun = "true"\n'
        '[servers.other]\nstart = "no-such-program-here"\noptional = true\n'
        '[clients.get]\nrun = "true {port}"\nservers = ["other"]\n'
    )
    with pytest.raises(UsageError, match="needs the server other, whose program is not installed"):
        bench_run_options({**NONE, "file": file, "only": ("Other-get",)})
