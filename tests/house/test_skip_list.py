"""The list of allowed skips holds: a skip that is not on it fails the run."""

import subprocess
import sys
from pathlib import Path

import pytest


def run_pytest(folder: Path, checkout: Path, body: str) -> subprocess.CompletedProcess[str]:
    for name in ("conftest.py", "skips.toml"):
        (folder / name).write_text((checkout / "tests" / name).read_text())
    (folder / "test_it.py").write_text(body)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )


@pytest.mark.parametrize(
    ("reason", "status"),
    [("needs root: this user is not", 0), ("did not feel like it", 1)],
)
def test_only_listed_skips_pass(tmp_path: Path, checkout: Path, reason: str, status: int) -> None:
    body = f"import pytest\ndef test_a(): pass\ndef test_b(): pytest.skip({reason!r})\n"
    run = run_pytest(tmp_path, checkout, body)
    assert run.returncode == status, run.stdout
    assert ("skip not on tests/skips.toml" in run.stdout) == bool(status)


def test_a_module_skipped_whole_is_seen(tmp_path: Path, checkout: Path) -> None:
    body = "import pytest\npytest.skip('a whim', allow_module_level=True)\n"
    run = run_pytest(tmp_path, checkout, body + "def test_a(): pass\n")
    assert "skip not on tests/skips.toml" in run.stdout
