"""Writes the example in a header's first comment as a program: header_example.py HEADER PROGRAM."""

import sys
from itertools import takewhile
from pathlib import Path

INDENT = "//     "
INCLUDES = ("algorithm", "chrono", "iostream", "string_view", "utility")


def example(header: str) -> str:
    """Return the indented lines of the first comment of a header, without their indentation."""
    comment = takewhile(lambda line: line.startswith("//"), header.splitlines())
    return "\n".join(line.removeprefix(INDENT) for line in comment if line.startswith(INDENT))


def main(header: Path, program: Path) -> None:
    includes = [f"#include <{name}>" for name in INCLUDES]
    includes += ['#include "reactor/reactor.hpp"', f'#include "{header.parent.name}/{header.name}"']
    using = "using namespace stallscope;"
    program.write_text("\n".join([*includes, using, example(header.read_text()), ""]))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
