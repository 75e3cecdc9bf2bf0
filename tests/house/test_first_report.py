"""The program of docs/first-report.md: both versions do the same work, and the document is true to it."""

import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def orders(checkout: Path, tmp_path: Path) -> Path:
    """Return the compiled program, with the options of the document."""
    if shutil.which("g++") is None:
        pytest.skip("needs the program g++")
    document = (checkout / "docs" / "first-report.md").read_text()
    (line,) = [line for line in document.splitlines() if line.startswith("g++ ")]
    words = line.replace("-o orders", f"-o {tmp_path / 'orders'}").split()
    subprocess.run([*words, "-Wall", "-Wextra", "-Werror"], cwd=checkout, check=True)
    return tmp_path / "orders"


@pytest.mark.parametrize("options", [[], ["--fixed"]])
def test_both_versions_write_all_orders(orders: Path, options: list[str]) -> None:
    ended = subprocess.run(
        [orders, *options, "40"], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout == "40 orders\n"


def test_the_quoted_lines_are_in_the_source(checkout: Path) -> None:
    document = (checkout / "docs" / "first-report.md").read_text()
    source = (checkout / "examples" / "first-report" / "orders.cpp").read_text()
    quoted = document.partition("```cpp\n")[2].partition("```")[0].splitlines()
    assert quoted
    assert all(line in source for line in quoted)


METHODS = ("topdown", "waits", "cstates", "disk", "statistics", "runtimes")


@pytest.mark.parametrize("name", METHODS)
def test_every_method_page_begins_with_question_and_traps(checkout: Path, name: str) -> None:
    text = (checkout / "docs" / f"{name}.md").read_text()
    summary = text.partition("## In short\n")[2].partition("\n## ")[0]
    for row in ("Question", "Measured", "How to read it", "What to try", "Traps"):
        assert f"| {row} |" in summary
    assert f"]({name}.md)" in (checkout / "docs" / "README.md").read_text()
