"""The wheel contains only our packages and programs, and works after an installation."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from stallscope import __version__
from stallscope.__main__ import PACKAGES, foreign_packages


@pytest.fixture(scope="module")
def wheel(checkout: Path) -> Path:
    """The wheel that ./dev build made of this checkout."""
    wheels = list((checkout / "dist").glob("stallscope-*.whl"))
    assert len(wheels) == 1, "./dev test builds exactly one wheel"
    return wheels[0]


def test_the_wheel_contains_only_our_packages(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"stallscope", *PACKAGES, f"stallscope-{__version__}.dist-info"}
    assert {
        "stallscope/programs/stallscope-collect",
        "stallscope/programs/stallscope-kernels",
        "stallscope/programs/stallscope-load",
        "stallscope/programs/stallscope-known-disk",
        "stallscope/programs/stallscope-ioqueue",
        "stallscope/programs/stallscope-launch",
        "stallscope/programs/stallscope-wake",
        "stallscope/programs/stallscope-memory",
    } <= set(names)
    assert any(name.startswith("stallscope/_native.") and name.endswith(".so") for name in names)
    assert "harness/profile/page.py" in names
    assert "cstates/tables/known_states.csv" in names
    templates = sum(name.endswith(".html") for name in names)
    assert sum(name.startswith("harness/page/compiled/") for name in names) == templates > 30
    assert {"topdown/slots/models/spr.json", "topdown/slots/explanations.json"} <= set(names)
    assert not [
        name
        for name in names
        if name.endswith((".cpp", ".hpp", ".txt")) and "dist-info" not in name
    ]


def test_console_script_is_the_only_one(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    entry = next(name for name in archive.namelist() if name.endswith("entry_points.txt"))
    assert archive.read(entry).decode().split() == [
        "[console_scripts]",
        "stallscope",
        "=",
        "stallscope.__main__:run",
    ]


def test_an_installed_wheel_works(wheel: Path, tmp_path: Path) -> None:
    """The dependencies come from this environment."""
    target = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--target", target, wheel],
        check=True,
    )  # fmt: skip
    code = f"import sys; sys.path.insert(0, {str(target)!r}); from stallscope.__main__ import run; sys.argv=['x','doctor','--json']; sys.exit(run())"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    assert "stallscope.doctor/1" in run.stdout


def test_all_packages_are_of_one_distribution() -> None:
    assert foreign_packages() == []


def test_a_package_of_another_distribution_is_reported(tmp_path: Path) -> None:
    (tmp_path / "harness").mkdir()
    (tmp_path / "harness" / "__init__.py").touch()
    assert "harness" in foreign_packages([str(tmp_path)])
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from stallscope.__main__ import run; sys.exit(run())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 3
    assert "come from another distribution" in run.stderr
