"""The program unwind-compare and its runs."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.long_tests import long_tests

Document = dict[str, Any]
CHAINS = long_tests(short=500, long=20_000)  # per program
SEED = os.environ.get("STALLSCOPE_UNWIND_SEED", "1")
# Go's scheduler sends a signal to a thread that runs the same function for long, such as a thread
# that is single-stepped here.
ENVIRONMENT = {"GODEBUG": "asyncpreemptoff=1", "LC_ALL": "C.UTF-8"}


@pytest.fixture(scope="session")
def unwind_compare(checkout: Path) -> Path:
    """The program built with sanitizers by `./dev test`; it is rebuilt after an edit."""
    for command in (
        ["cmake", "--preset", "asan"],
        ["cmake", "--build", "--preset", "asan", "--target", "unwind-compare"],
    ):
        run = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
        if left_out := re.search("unwind-compare is left out: (.*)", run.stdout):
            pytest.skip(f"needs the program unwind-compare: {left_out[1]}")
        assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
    return checkout / "build/asan/tests/native/unwind_compare/unwind-compare"


@pytest.fixture(scope="session")
def documents() -> list[Document]:
    """The results of this run so far."""
    return []


@pytest.fixture(scope="session")
def compare(
    unwind_compare: Path, checkout: Path, documents: list[Document]
) -> Callable[..., Document]:
    """A function from target, options of unwind-compare and number of chains to the result.

    build/unwind keeps each document: the classes of differences, one example of each.
    """
    kept = checkout / "build" / "unwind"
    kept.mkdir(parents=True, exist_ok=True)

    def run(name: str, *words: str, chains: int = CHAINS) -> Document:
        done = subprocess.run(
            [unwind_compare, "--chains", str(chains), "--seed", SEED, *words],
            capture_output=True, text=True, check=False, env=os.environ | ENVIRONMENT,
        )  # fmt: skip
        if "PTRACE_SEIZE" in done.stderr:
            pytest.skip(f"needs the kernel's ptrace: {done.stderr.strip()}")
        assert done.returncode == 0, done.stderr
        (kept / f"{name}.json").write_text(done.stdout)
        document: Document = json.loads(done.stdout)
        documents.append(document)
        return document

    return run
