"""The example in staged_function.hpp, which CMake compiles and runs, and its copy in the manual."""

from pathlib import Path

from tests.native.stages.header_example import example

ROOT = Path(__file__).parents[3]


def test_the_manual_shows_the_example_of_the_header() -> None:
    header = (ROOT / "native/stages/staged_function.hpp").read_text()
    manual = (ROOT / "docs/stages.md").read_text()
    shown = manual.partition("```cpp\n")[2].partition("```")[0]
    assert [line for line in shown.splitlines() if line] == example(header).splitlines()
