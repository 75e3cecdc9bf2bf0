"""The entry point imports nothing from the current directory."""

import os
import subprocess
import sys
from pathlib import Path

from stallscope.__main__ import safe_path

HOME = Path(__file__).resolve().parents[2]


def test_a_module_in_the_current_directory_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit('a stranger is root')\n")
    run = subprocess.run(
        [sys.executable, "-m", "stallscope", "--version"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{HOME}:"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    assert run.stdout.startswith("stallscope ")


def test_only_absolute_directories_are_searched() -> None:
    assert safe_path([str(Path.cwd()), "", "lib", "/usr/lib/python3"]) == (
        ["/usr/lib/python3"] if Path.cwd() != HOME else [str(HOME), "/usr/lib/python3"]
    )
