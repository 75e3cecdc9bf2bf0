"""Which skips a run of the tests permits, and which failures it runs again."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import FailureLedger, SkipLedger, rotated_paths


def run_pytest(
    folder: Path, checkout: Path, body: str, *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    for name in ("conftest.py", "skips.toml"):
        (folder / name).write_text((checkout / "tests" / name).read_text())
    (folder / "test_it.py").write_text(body)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, str(folder)],
        capture_output=True,
        env=os.environ | environment,
        text=True,
        cwd=folder,
        check=False,
    )


def test_skips_pass_only_if_their_reason_is_listed(tmp_path: Path, checkout: Path) -> None:
    (tmp_path / "test_module.py").write_text(
        "import pytest\npytest.skip('a whim', allow_module_level=True)\n"
    )
    body = (
        "import pytest\n"
        "def test_a(): pass\n"
        "def test_b(): pytest.skip('needs root: this user is not')\n"
        "def test_c(): pytest.skip('no reason')\n"
    )
    run = run_pytest(tmp_path, checkout, body)
    assert run.returncode == 1, run.stdout
    refused = [line for line in run.stdout.splitlines() if "not on tests/skips.toml" in line]
    assert len(refused) == 2
    assert "test_module.py: a whim" in refused[0]
    assert "test_it.py::test_c: no reason" in refused[1]


def test_a_run_whose_skips_are_listed_passes(tmp_path: Path, checkout: Path) -> None:
    body = "import pytest\ndef test_b(): pytest.skip('needs root: this user is not')\n"
    assert run_pytest(tmp_path, checkout, body).returncode == 0


MEASURES = "import pytest\n@pytest.mark.live\ndef test_a(): assert False\n"


@pytest.mark.parametrize(
    ("body", "again"),
    [
        (MEASURES, ["test_it.py::test_a"]),
        (MEASURES + "def test_b(): assert False\n", None),
        ("import nothing_of_that_name\n", None),
    ],
)
def test_few_failures_of_measuring_tests_are_listed(
    tmp_path: Path, checkout: Path, body: str, again: list[str] | None
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = live\n")
    (tmp_path / "again").write_text("of an earlier run\n")
    workers = ("-n", "1") if again else ()
    run = run_pytest(
        tmp_path, checkout, body, *workers, STALLSCOPE_TESTS_AGAIN=str(tmp_path / "again")
    )
    listed = (
        (tmp_path / "again").read_text().splitlines() if (tmp_path / "again").exists() else None
    )
    assert listed == again, run.stdout


def failed(name: str, *marks: str) -> Any:
    return SimpleNamespace(nodeid=name, failed=True, keywords=dict.fromkeys(marks))


@pytest.mark.parametrize(
    ("reports", "refused", "listed"),
    [
        ([failed("a", "live"), failed("b", "pmu")], [], "a\nb\n"),
        ([failed("a", "live"), failed("b")], [], None),
        ([failed("a", "live")], ["c: a whim"], None),
        ([failed(str(number), "live") for number in range(6)], [], None),
        ([], [], None),
    ],
)
def test_only_few_measuring_failures_without_other_faults_are_listed(
    tmp_path: Path, reports: list[Any], refused: list[str], listed: str | None
) -> None:
    skips = SkipLedger()
    skips.refused = refused
    again = tmp_path / "again"
    again.write_text("of an earlier run\n")
    ledger = FailureLedger(again, skips)
    for report in reports:
        ledger.pytest_runtest_logreport(report)
    ledger.pytest_sessionfinish(pytest.ExitCode.TESTS_FAILED)
    assert (again.read_text() if again.exists() else None) == listed


def test_workers_begin_to_collect_at_equal_shares_of_the_bytes(tmp_path: Path) -> None:
    paths = []
    for name, size in (("a", 10), ("b", 200), ("c", 10), ("d", 180)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "test_it.py").write_bytes(b"#" * size)
        paths.append(tmp_path / name)
    starts = [rotated_paths(paths, worker, 2)[0].name for worker in range(2)]
    assert starts == ["a", "c"]
    assert sorted(rotated_paths(paths, 1, 2)) == paths
