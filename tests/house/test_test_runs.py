"""Which skips a run of the tests permits, and which failures it runs again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


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


@pytest.mark.parametrize(
    ("reason", "status"),
    [("needs root: this user is not", 0), ("no reason", 1)],
)
def test_only_listed_skips_pass(tmp_path: Path, checkout: Path, reason: str, status: int) -> None:
    body = f"import pytest\ndef test_a(): pass\ndef test_b(): pytest.skip({reason!r})\n"
    run = run_pytest(tmp_path, checkout, body)
    assert run.returncode == status, run.stdout
    assert ("skip not on tests/skips.toml" in run.stdout) == bool(status)


def test_a_skipped_module_needs_a_listed_reason(tmp_path: Path, checkout: Path) -> None:
    body = "import pytest\npytest.skip('a whim', allow_module_level=True)\n"
    run = run_pytest(tmp_path, checkout, body + "def test_a(): pass\n")
    assert "skip not on tests/skips.toml" in run.stdout


MEASURES = "import pytest\n@pytest.mark.live\ndef test_a(): assert False\n"


@pytest.mark.parametrize(
    ("body", "again"),
    [
        (MEASURES, ["test_it.py::test_a"]),
        (MEASURES + "def test_b(): assert False\n", None),
        (MEASURES + "def test_b(): pytest.skip('a whim')\n", None),
        (MEASURES + "".join(f"test_{n} = test_a\n" for n in range(5)), None),
        ("def test_a(): assert False\n", None),
        ("def test_a(): pass\n", None),
        ("import nothing_of_that_name\n", None),
    ],
)
def test_few_failures_of_measuring_tests_are_listed(
    tmp_path: Path, checkout: Path, body: str, again: list[str] | None
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = live\n")
    (tmp_path / "again").write_text("of an earlier run\n")
    workers = ("-n", "2") if again else ()
    run = run_pytest(
        tmp_path, checkout, body, *workers, STALLSCOPE_TESTS_AGAIN=str(tmp_path / "again")
    )
    listed = (
        (tmp_path / "again").read_text().splitlines() if (tmp_path / "again").exists() else None
    )
    assert listed == again, run.stdout
