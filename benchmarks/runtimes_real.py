"""Frames of real Java programs against the virtual machine's own map and async-profiler.

Needs a JDK with ``java``, ``javac`` and ``jcmd``, and two files of Maven Central, unpacked:
STALLSCOPE_ASYNC_PROFILER, the libasyncProfiler.so of tools.profiler:async-profiler, and
STALLSCOPE_H2, the jar of com.h2database:h2. A case without its file is left out. Both profilers
observe the same seconds of the same process, by the same clock. Stacks that do not begin with the
first method of a thread are left out on both sides: async-profiler loses the callers where code of
the library has pushed registers, and here some are cut. Takes about a minute per program.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from bisect import bisect_right
from collections import Counter
from pathlib import Path

from benchmarks.cases import Case, ours
from benchmarks.effort import pairs, seconds

RUNS = 2
DURATION_S = 12.0
# Without it, methods that were compiled before the agent was loaded have no debug information
# between safepoints, and both profilers guess in different ways.
EXACT = ("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints")
MAP_DURATION_S = 5.0
WARM_UP_S = 6.0
PROGRAM = Path(__file__).parent / "runtimes" / "RealJava.java"
STALLSCOPE = (sys.executable, "-m", "stallscope")
LOADS = {"javac": "compile", "HTTP server of the JDK": "serve", "H2 database": "query"}
_FIRST_METHODS = frozenset({"java.lang.Thread.run", "RealJava.main"})
_COMPILED = frozenset({"c1", "c2", "native"})
# Hidden classes have an address, which the profilers write in different ways.
_HIDDEN = re.compile(r"[/.+]0x[0-9a-f]+")

Shares = dict[str, float]


def run() -> list[Case]:
    """Measure every load for which there are the files."""
    cases: list[Case] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(["javac", "--release", "17", "-d", folder, PROGRAM], check=True)
        for load, mode in LOADS.items():
            if mode != "query" or os.environ.get("STALLSCOPE_H2"):
                cases += _cases(load, mode, folder)
    for case in cases:
        print(case.name, case.metric, case.ours, flush=True)
    return cases


def _cases(load: str, mode: str, folder: Path) -> list[Case]:
    cases = []
    wrong = [_different_from_map(mode, folder) for _ in range(pairs(RUNS))]
    cases.append(
        Case(
            name=load,
            metric="compiled frames with another name than Compiler.perfmap, %",
            ours_command="stallscope profile -p PID; jcmd PID Compiler.perfmap",
            bar=(ours(at_most=0),),
            ours=tuple(wrong),
        )
    )
    if agent := os.environ.get("STALLSCOPE_ASYNC_PROFILER"):
        differences = [_different_from_agent(mode, folder, agent) for _ in range(pairs(RUNS))]
        cases += [
            Case(
                name=load,
                metric=f"largest difference of a Java method's {kind} share, points",
                ours_command=f"stallscope record -p PID; java RealJava {mode}",
                bar=(ours(at_most=4),),
                ours=tuple(run[number] for run in differences),
            )
            for number, kind in enumerate(("total", "innermost"))
        ]
    return cases


def _command(mode: str, folder: Path, duration_s: float, *options: str) -> list[str]:
    classes = ":".join([str(folder), os.environ.get("STALLSCOPE_H2", "")])
    return ["java", *options, "-cp", classes, "RealJava", mode, str(duration_s)]


def _load_of(mode: str, folder: Path, port: str, duration_s: float) -> subprocess.Popen[str] | None:
    """Return the process that sends requests to a server, None for other programs."""
    if mode != "serve":
        return None
    command = ["java", "-cp", str(folder), "RealJava", "request", port, str(duration_s)]
    return subprocess.Popen(command, text=True)


# ---- the map of the virtual machine


def _different_from_map(mode: str, folder: Path) -> float:
    """Return the percentage of compiled frames with another name than in the map."""
    recording = folder / "recording"
    duration = WARM_UP_S + seconds(MAP_DURATION_S) + 30
    command = _command(mode, folder, duration)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as target:
        port = target.stdout.readline().strip() if mode == "serve" and target.stdout else ""
        client = _load_of(mode, folder, port, duration)
        try:
            time.sleep(WARM_UP_S)
            before = _map_of(target.pid)
            options = ["--duration", str(seconds(MAP_DURATION_S)), "-F", "999", "--json", "--force"]
            profile = [*STALLSCOPE, "profile", "-p", str(target.pid), "-o", str(recording)]
            subprocess.run([*profile, *options], check=True, capture_output=True, timeout=300)
            after = _map_of(target.pid)
        finally:
            for process in (target, client):
                if process is not None:
                    process.kill()
        if client is not None:
            client.wait()
    return _share_with_other_name(recording / "runtimes.jsonl", before, after)


Map = list[tuple[int, int, str]]


def _map_of(pid: int) -> Map:
    subprocess.run(["jcmd", str(pid), "Compiler.perfmap"], check=True, capture_output=True)
    file = Path(f"/tmp/perf-{pid}.map")
    entries = []
    for line in file.read_text().splitlines():
        start, size, name = line.split(" ", 2)
        entries.append((int(start, 16), int(size, 16), name))
    file.unlink()
    return sorted(entries)


def _name_at(entries: Map, address: int) -> str:
    """Return class and method at an address, empty if there is no method."""
    at = bisect_right(entries, (address, 1 << 62, "")) - 1
    if at < 0 or address >= entries[at][0] + entries[at][1] or "(" not in entries[at][2]:
        return ""
    return entries[at][2].split("(")[0].split(" ")[-1]


def _share_with_other_name(file: Path, before: Map, after: Map) -> float:
    """Compare the frames at the entry of each run, if the map has not changed there."""
    functions: dict[int, tuple[str, str]] = {}
    stacks: dict[int, list[list[int]]] = {}
    compared = different = 0
    for line in file.read_text().splitlines()[1:]:
        entry = json.loads(line)
        if "frames" in entry:
            stacks[entry["stack"]] = entry["frames"]
        elif "function" in entry:
            functions[entry["function"]] = entry["name"], entry["kind"]
        for segment in entry.get("segments", ()):
            function = next(frame[0] for frame in stacks[segment[5]] if not frame[2])
            name, kind = functions[function]
            reference = _name_at(before, segment[0])
            if kind not in _COMPILED or not reference or reference != _name_at(after, segment[0]):
                continue
            compared += 1
            different += name != reference
    if not compared:
        raise RuntimeError("no compiled frame was compared with the map")
    print(f"compared {compared} compiled frames with the map, {different} differ", flush=True)
    return 100 * different / compared


# ---- async-profiler


def _different_from_agent(mode: str, folder: Path, agent: str) -> tuple[float, float]:
    """Return the largest differences of total and innermost shares, in points.

    Both profilers observe the same seconds after the warm-up. At the start of a program they
    differ: async-profiler waits for the virtual machine, and the frames of native code that loads
    classes are not all readable from outside.
    """
    recording, collapsed = folder / "recording", folder / "collapsed.txt"
    duration_s = seconds(DURATION_S)
    life_s = WARM_UP_S + duration_s + 30
    with subprocess.Popen(
        _command(mode, folder, life_s, *EXACT), stdout=subprocess.PIPE, text=True
    ) as target:
        port = target.stdout.readline().strip() if mode == "serve" and target.stdout else ""
        client = _load_of(mode, folder, port, life_s)
        try:
            time.sleep(WARM_UP_S)
            _agent(target.pid, agent, "start,event=cpu-clock,interval=1ms")
            options = ["--duration", str(duration_s), "-F", "999", "--force", "-o", str(recording)]
            record = [*STALLSCOPE, "record", "-p", str(target.pid), *options]
            subprocess.run(record, check=True, capture_output=True, timeout=300)
            _agent(target.pid, agent, f"stop,collapsed,file={collapsed}")
        finally:
            for process in (target, client):
                if process is not None:
                    process.kill()
        if client is not None:
            client.wait()
    flame = [*STALLSCOPE, "flame", str(recording), "--format", "folded", "-o", "-"]
    folded = subprocess.run(flame, check=True, capture_output=True, text=True, timeout=300)
    kept = os.environ.get("STALLSCOPE_KEEP_FOLDED")
    if kept:
        Path(kept, f"{mode}.ours").write_text(folded.stdout)
        Path(kept, f"{mode}.agent").write_text(collapsed.read_text())
    methods = _methods(collapsed)
    read, reference = (
        _shares(text, methods) for text in (folded.stdout, _with_dots(collapsed.read_text()))
    )
    return _largest_difference(read[0], reference[0]), _largest_difference(read[1], reference[1])


def _agent(pid: int, agent: str, command: str) -> None:
    """Load the agent with a command; a loaded one only runs the command."""
    # jcmd parses the argument once more; without quotes, it is split at the equals sign.
    jcmd = ["jcmd", str(pid), "JVMTI.agent_load", agent, f'"{command}"']
    printed = subprocess.run(jcmd, check=True, capture_output=True, text=True).stdout
    if "return code: 0" not in printed:
        raise RuntimeError(f"the agent refused {command}: {printed}")


def _with_dots(text: str) -> str:
    return _HIDDEN.sub("", text).replace("/", ".")


def _methods(collapsed: Path) -> frozenset[str]:
    """Return the Java methods of async-profiler: names with a class."""
    frames = {
        frame
        for line in _with_dots(collapsed.read_text()).splitlines()
        for frame in line.rsplit(" ", 1)[0].split(";")
    }
    return frozenset(frame for frame in frames if re.fullmatch(r"[\w.$]+\.[\w<>$]+", frame))


def _shares(folded: str, methods: frozenset[str]) -> tuple[Shares, Shares]:
    """Return the total shares of methods, and those as innermost method of stacks with one."""
    total: Counter[str] = Counter()
    innermost: Counter[str] = Counter()
    left_out = 0
    for line in folded.splitlines():
        stack, count = line.rsplit(" ", 1)
        names = [_HIDDEN.sub("", frame) for frame in stack.split(";")]
        java = [name for name in names if name in methods]
        if java and java[0] in _FIRST_METHODS:
            total.update(dict.fromkeys(java, int(count)))
            innermost[java[-1]] += int(count)
        elif java:
            left_out += int(count)
    samples = innermost.total()
    print(f"left out: {left_out:,} samples, compared: {samples:,}", flush=True)
    return tuple(
        {name: count / samples for name, count in counts.items()} for counts in (total, innermost)
    )  # type: ignore[return-value]


def _largest_difference(read: Shares, reference: Shares) -> float:
    names = read.keys() | reference.keys()
    differences = {name: abs(read.get(name, 0.0) - reference.get(name, 0.0)) for name in names}
    worst = sorted(differences, key=lambda name: -differences[name])[:4]
    for name in worst:
        print(f"{name}: {read.get(name, 0.0):.3f}, async-profiler {reference.get(name, 0.0):.3f}")
    return 100 * max(differences.values())
