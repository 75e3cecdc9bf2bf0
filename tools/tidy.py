"""clang-tidy on every source of native/, in parallel, with results cached by content.

The sources of a target are compiled as one unit (preset "tidy"), so that the system's headers are
parsed once per target. A unit is checked again if one of its own sources or headers, its command,
the configuration or clang-tidy itself changed.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools.stages import say

ROOT = Path.cwd()
DATABASE = ROOT / "build/tidy"
CACHE = ROOT / "build/tidy-cache"
LEFT_OUT = ("native/bindings/", "native/fuzz/", "native/cmake/")  # macros of nanobind and libFuzzer
LEFT_OUT_UNIT = re.compile(r"/tests/native/|/native/(fuzz|cmake)/|/native/CMakeFiles/")
# A unit includes sources; a header guard cannot help there.
OPTIONS = ("--quiet", "--checks=-bugprone-suspicious-include", f"--header-filter={ROOT}/native/.*")


@dataclass(frozen=True)
class TranslationUnit:
    """One entry of the compile database."""

    source: Path
    directory: Path
    command: tuple[str, ...]

    def dependencies(self) -> list[Path]:
        """The project's own files that this unit includes, itself too."""
        words = [word for word in self.command if word != "-c"]
        if "-o" in words:
            position = words.index("-o")
            del words[position : position + 2]
        listed = subprocess.run(
            [*words, "-MM"], cwd=self.directory, capture_output=True, text=True, check=True
        ).stdout
        paths = listed.partition(":")[2].replace("\\\n", " ").split()
        files = {(self.directory / path).resolve() for path in paths}
        return sorted(file for file in files if file.is_relative_to(ROOT))

    def key(self, files: list[Path], shared: bytes) -> str:
        """A digest of everything that the result depends on, system headers left out."""
        digest = hashlib.sha256(shared)
        digest.update("\0".join(self.command).encode())
        for file in files:
            digest.update(b"\0" + str(file).encode() + b"\0" + file.read_bytes())
        return digest.hexdigest()[:32]


def units() -> list[TranslationUnit]:
    """The C++ units of the compile database, without those of tests and fuzzers."""
    entries = json.loads((DATABASE / "compile_commands.json").read_text())
    return [
        TranslationUnit(
            Path(entry["directory"], entry["file"]),
            Path(entry["directory"]),
            tuple(shlex.split(entry["command"])),
        )
        for entry in entries
        if entry["file"].endswith((".cpp", ".cxx")) and not LEFT_OUT_UNIT.search(entry["file"])
    ]


def unchecked(covered: set[Path]) -> list[str]:
    """The tracked sources that no unit covers; there must be none."""
    listed = subprocess.run(
        ["git", "ls-files", "native/*.cpp"], capture_output=True, text=True, check=True
    )
    return [
        name
        for name in listed.stdout.split()
        if not name.startswith(LEFT_OUT) and (ROOT / name).resolve() not in covered
    ]


def check(unit: TranslationUnit, key: str) -> str:
    """The findings in one unit, empty if there are none."""
    run = subprocess.run(
        ["clang-tidy", *OPTIONS, "-p", str(DATABASE), str(unit.source)],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode == 0:
        (CACHE / key).touch()
        return ""
    return run.stdout + run.stderr


def main() -> int:
    """Check every unit whose result is not cached; returns the exit status."""
    CACHE.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    shared = version + Path(".clang-tidy").read_bytes() + "\0".join(OPTIONS).encode()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        all_units = units()
        dependencies = list(pool.map(TranslationUnit.dependencies, all_units))
        missing = unchecked({file for files in dependencies for file in files})
        if missing:
            say(f"clang-tidy: no target compiles {' '.join(missing)}")
        keys = [
            unit.key(files, shared) for unit, files in zip(all_units, dependencies, strict=True)
        ]
        stale = [
            (unit, key)
            for unit, key in zip(all_units, keys, strict=True)
            if not (CACHE / key).exists()
        ]
        say(f"clang-tidy on {len(stale)} of {len(all_units)} units")
        printed: set[str] = set()
        for text in pool.map(lambda pair: check(*pair), stale):
            for block in re.split(r"(?m)^(?=\S+:\d+:\d+: )", text):
                if block not in printed:  # units share headers
                    sys.stdout.write(block)
                    sys.stdout.flush()
                    printed.add(block)
    return 1 if printed - {""} or missing else 0


if __name__ == "__main__":
    sys.exit(main())
