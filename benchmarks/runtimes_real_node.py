"""Shares of functions of real Node programs against `node --cpu-prof` of the same run.

A TypeScript compilation and an HTTP server under load. A function's time includes builtins and
native code that it called; garbage collection, idle time, writing to sockets and V8's helper
threads are left out on both sides. `--cpu-prof` counts wall time, so the programs are those that
hardly wait. It gives the time of some inlined functions to their callers: the server runs once more
without inlining. TypeScript is installed from npm, or named by STALLSCOPE_TYPESCRIPT (the folder of
the package). The program ``node`` is measured, and those of STALLSCOPE_NODES, separated by colons.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.cases import Case, ours
from benchmarks.effort import pairs, seconds

RUNS = 5
DURATION_S = 6.0
START_LIMIT_S = 30.0
TYPESCRIPT = "typescript@5.6.3"
HTTP_SERVER = Path(__file__).parent / "runtimes" / "http_server.js"
SOURCE = 'import * as ts from "typescript";\nexport const version: string = ts.version;\n'
NO_INLINING = "--no-turbo-inlining"
COMPILER_OPTIONS = ("--noEmit", "--strict", "--target", "es2022", "--module", "node16")
# Frames of chains that are left out: writing to a socket waits while the client runs, and
# --cpu-prof leaves out the time in which it writes its output file.
_LEFT_OUT = ("[garbage collection]", "Writev", "node::profiler::")
_WRITES = "writev"


def run() -> list[Case]:
    """Measure every installed version."""
    cases: list[Case] = []
    listed = os.environ.get("STALLSCOPE_NODES", "").split(":")
    nodes = [path for path in [shutil.which("node"), *listed] if path]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiler = _typescript(folder)
        for node in nodes:
            server = [str(HTTP_SERVER), "serve", str(seconds(DURATION_S)), str(folder / "port")]
            for program, words in (
                ("TypeScript build", [*compiler, *COMPILER_OPTIONS, str(folder / "a.ts")]),
                ("HTTP server", server),
                ("HTTP server, nothing inlined", [NO_INLINING, *server]),
            ):
                cases.append(_case(program, node, words, folder))
                print(cases[-1].name, cases[-1].ours, flush=True)
    return cases


def _typescript(folder: Path) -> list[str]:
    """Return the words that start the compiler; ``folder`` gets a program that imports it."""
    (folder / "a.ts").write_text(SOURCE)
    package = os.environ.get("STALLSCOPE_TYPESCRIPT", "")
    if package:
        (folder / "node_modules").mkdir()
        (folder / "node_modules/typescript").symlink_to(package)
    else:
        install = ["npm", "install", "--no-save", "--prefix", str(folder), TYPESCRIPT]
        subprocess.run(install, check=True, capture_output=True, timeout=300)
    return [str(folder / "node_modules/typescript/lib/tsc.js")]


def _case(program: str, node: str, words: list[str], folder: Path) -> Case:
    runs = [_largest_difference(node, words, folder) for _ in range(pairs(RUNS))]
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    limit = 6 if version.stdout.startswith("v26") else 4
    line = " ".join(["stallscope profile -- node --cpu-prof", *words])
    return Case(
        name=f"{program}, Node {version.stdout.strip()}",
        metric="largest difference of a share from --cpu-prof, points",
        ours_command=line.replace(str(folder), "DIR"),
        bar=(ours(at_most=limit),),
        ours=tuple(runs),
    )


def _largest_difference(node: str, words: list[str], folder: Path) -> float:
    """Profile a run with both, and return the largest difference of a function, in points."""
    recording, reference = folder / "recording", folder / "reference"
    shutil.rmtree(reference, ignore_errors=True)
    flags = ["--cpu-prof", f"--cpu-prof-dir={reference}"]
    stallscope = [sys.executable, "-m", "stallscope"]
    profile = [*stallscope, "profile", "--force", "-o", str(recording), "--", node, *flags, *words]
    (folder / "port").unlink(missing_ok=True)
    with subprocess.Popen(
        profile, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as profiled:
        if "serve" in words:
            _send_requests(node, folder / "port")
        profiled.wait(timeout=300)
    flame = [*stallscope, "flame", str(recording), "--format", "folded", "-o", "-"]
    folded = subprocess.run(flame, capture_output=True, text=True, timeout=300, check=True)
    (document,) = reference.glob("*.cpuprofile")
    theirs = reference_times(json.loads(document.read_bytes()))
    read = folded_times(folded.stdout, frozenset(theirs))
    return 100 * max(
        abs(read[name] / read.total() - time / theirs.total()) for name, time in theirs.items()
    )


def _send_requests(node: str, port: Path) -> None:
    """Load the server that writes its port to this file, until it ends."""
    end_s = time.monotonic() + START_LIMIT_S
    while not port.exists() and time.monotonic() < end_s:
        time.sleep(0.05)
    client = [node, str(HTTP_SERVER), "load", port.read_text()]
    subprocess.run(client, check=False, timeout=300)


def reference_times(document: dict[str, Any]) -> Counter[str]:
    """Return the time of the functions of a profile of V8; a function without name is its caller's.

    Nodes in parentheses, such as (idle), are left out. Functions without a script, such as writev
    and regular expressions, are their caller's too.
    """
    nodes = {node["id"]: node for node in document["nodes"]}
    parent = {child: node["id"] for node in document["nodes"] for child in node.get("children", ())}
    times: Counter[str] = Counter()
    for number, delta in zip(document["samples"], document["timeDeltas"], strict=True):
        frames = []
        at: int | None = number
        while at is not None:
            frames.append(nodes[at]["callFrame"])
            at = parent.get(at)
        if frames[0]["functionName"].startswith(("(", _WRITES)):
            continue
        named = (frame["functionName"] for frame in frames if frame["url"])
        leaf = next((name for name in named if name), "")
        if leaf:
            times[leaf] += max(delta, 0)
    return times


def folded_times(text: str, known: frozenset[str]) -> Counter[str]:
    """Return the samples of these functions in folded stacks, without what is left out."""
    times: Counter[str] = Counter()
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        leaf = next((name for name in reversed(frames) if name in known), "")
        if leaf and not any(text in stack for text in _LEFT_OUT):
            times[leaf] += int(count)
    return times
