"""The programs whose stacks are compared: real programs, and test programs for rare cases.

None has frame pointers throughout. Each runs as long as it is looked at, or is run again.
"""

import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
WITHOUT_FRAME_POINTERS = ("-O2", "-fomit-frame-pointer", "-Wall", "-Wextra", "-Werror")
WITH_FRAME_POINTERS = ("-O2", "-fno-omit-frame-pointer", "-fno-asynchronous-unwind-tables")
# Share of equal chains in code without tables: at the entries of its functions elfutils skips a
# frame.
EQUAL_WITHOUT_TABLES = 0.9
QUERY = """with recursive n(x) as (select 1 union all select x + 1 from n where x < 100000000)
select count(*), sum(length(printf('%d %f', x, x * 1.5))), group_concat(distinct x % 97)
from n where cast(x as text) like '%7%' order by x"""
SCRIPT = """import json, re
while True:
    held = {str(i): [i, {"a": sorted(str(i) * 3)}] for i in range(200)}
    json.loads(text := json.dumps(held, sort_keys=True))
    re.sub(r"([0-9])+", lambda match: match.group(0) * 2, text)"""
SOURCE = """#include <map>
#include <regex>
#include <string>
int main() {
  std::map<std::string, std::regex> known{{"a", std::regex("a(b|c)*")}};
  return std::regex_match("abcb", known["a"]);
}
"""


@dataclass(frozen=True, slots=True)
class Running:
    """The command of a target; ``stdin`` is its input file."""

    command: tuple[str, ...]
    stdin: Path = Path("/dev/null")


@dataclass(frozen=True, slots=True)
class Target:
    """A program with the minimum shares of equal chains and of complete chains.

    All programs together must have 0.99 equal.
    """

    name: str
    prepare: Callable[[Path], Running]
    whole: float = 0.97
    equal: float = 0.99


def need(name: str) -> str:
    """Return the path of a program; skips the test if it is not installed."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"needs the program {name}: it is not installed")
    return path


def compiled(compiler: str, sources: list[str], words: tuple[str, ...], program: Path) -> Path:
    """Return the program, compiled from sources of this folder."""
    paths = [PROGRAMS / source for source in sources]
    subprocess.run([need(compiler), *paths, *words, "-o", program], check=True)
    return program


def own(
    name: str,
    sources: list[str],
    *words: str,
    compiler: str = "gcc",
    whole: float = 0.97,
    equal: float = 0.99,
) -> Target:
    """Return a target compiled from sources of this folder, without frame pointers."""

    def prepare(folder: Path) -> Running:
        arguments = (*WITHOUT_FRAME_POINTERS, *words)
        return Running((str(compiled(compiler, sources, arguments, folder / name)),))

    return Target(name, prepare, whole, equal)


def installed(name: str, *arguments: str, whole: float = 0.97) -> Target:
    """Return a target that is installed on the system."""
    return Target(name, lambda _: Running((need(name), *arguments)), whole)


def mixed(folder: Path) -> Running:
    """Return a stripped program between a library with frame pointers and one without."""
    for kind, words in (
        ("with_frame_pointer", WITH_FRAME_POINTERS),
        ("without_frame_pointer", WITHOUT_FRAME_POINTERS),
    ):
        shared = ("-shared", "-fPIC", f"-DNAME={kind}")
        compiled("gcc", ["mixed_half.c"], (*words, *shared), folder / f"lib{kind}.so")
    linked = (f"-L{folder}", "-lwith_frame_pointer", "-lwithout_frame_pointer")
    words = (*WITHOUT_FRAME_POINTERS, "-s", *linked, f"-Wl,-rpath,{folder}")
    return Running((str(compiled("gcc", ["mixed.c"], words, folder / "mixed")),))


def sort(folder: Path) -> Running:
    """Compare, hash and allocate in libc."""
    lines = folder / "lines"
    lines.write_text("".join(f"{i * 7919 % 1000003} line {i}\n" for i in range(200_000)))
    return Running((need("sort"), "--parallel=2", str(lines)))


def gzip(folder: Path) -> Running:
    """Compress eight megabytes of incompressible data."""
    bytes_file = folder / "bytes"
    bytes_file.write_bytes(random.Random(1).randbytes(8 << 20))
    return Running((need("gzip"), "-9", "-c", str(bytes_file)))


def fuzzy_finder(folder: Path) -> Running:
    """Debian's fzf: a stripped Go program, whose frames are known by frame pointers only."""
    paths = folder / "paths"
    paths.write_text("".join(f"/usr/lib/{i % 977}/some/path-{i}.py\n" for i in range(300_000)))
    return Running((need("fzf"), "-f", "sopy9"), paths)


def go_program(folder: Path) -> Running:
    """A Go program with .debug_frame."""
    program = folder / "rounds"
    subprocess.run([need("go"), "build", "-o", program, PROGRAMS / "rounds.go"], check=True)
    return Running((str(program),))


def compiler(folder: Path) -> Running:
    """GCC's C++ compiler on a file that includes much of the standard library."""
    source = folder / "source.cpp"
    source.write_text(SOURCE)
    need("g++")
    run = subprocess.run(
        ["g++", "-###", "-O2", "-c", source, "-o", folder / "source.o"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    line = next(line for line in run.stderr.splitlines() if "/cc1plus" in line)
    words = [word.strip('"') for word in line.split()]
    words[words.index("-o") + 1] = "/dev/null"
    return Running(tuple(words))


TARGETS = (
    own("thrown", ["thrown.cpp"], "-std=c++20", compiler="g++", whole=0.99),
    own("landings", ["landings.cpp"], "-std=c++20", compiler="g++", whole=0.99),
    own("signals", ["signals.c"], "-pthread", whole=0.2),
    own("written", ["written.c", "written.S"]),
    own("made_at_run_time", ["made_at_run_time.c"], equal=EQUAL_WITHOUT_TABLES),
    own("static_glibc", ["library_calls.c"], "-DOWN_ROUNDS=1", "-static", "-s", "-pthread"),
    own(
        "musl",
        ["library_calls.c"],
        "-DOWN_ROUNDS=20",
        compiler="musl-gcc",
        whole=0,
        equal=EQUAL_WITHOUT_TABLES,
    ),
    Target("mixed", mixed, equal=EQUAL_WITHOUT_TABLES),
    Target("sort", sort),
    Target("gzip", gzip),
    # Its SHA-512 keeps the frame's address below the stack pointer, which samples do not contain.
    installed("openssl", "speed", "-seconds", "1", "-bytes", "1024", whole=0.5),
    installed("sqlite3", ":memory:", QUERY),
    Target("python", lambda _: Running((sys.executable, "-c", SCRIPT))),
    installed("rg", "-c", "--no-ignore", "-j2", "(foo|ba[rz])+x?[a-z]{2,5}", "/usr/include"),
    Target("fzf", fuzzy_finder, whole=0.5, equal=EQUAL_WITHOUT_TABLES),
    Target("go", go_program, whole=0.5),
    Target("compiler", compiler),
)
