"""Recordings by perf with copied stacks, of programs without frame pointers."""

import signal
import subprocess
import time
from pathlib import Path

from benchmarks.record_targets import redis_under_load

STACK_BYTES = 16_384
RATE_HZ = 4999

# Enough of the standard library to keep a compiler busy
_CPP = (
    "#include <map>\n#include <regex>\n#include <string>\n#include <unordered_map>\n"
    + "\n".join(
        f"bool match{n}(std::string const& s) {{ static std::map<std::string, int> m;"
        f' return std::regex_match(s, std::regex("a{n}.*b")) && m["{n}"]++; }}'
        for n in range(40)
    )
)


def perf_record(output: Path) -> list[str]:
    """Return perf's command line without the target."""
    return ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(RATE_HZ), "-m", "16M",
            "--call-graph", f"dwarf,{STACK_BYTES}", "-o", str(output)]  # fmt: skip


def record_redis(folder: Path, seconds: float) -> Path:
    """Return a recording of redis-server under load."""
    output = folder / "redis.data"
    with redis_under_load(folder) as target:
        process = subprocess.Popen([*perf_record(output), "-p", str(target.pid)])
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        process.wait()
    return output


def compiler_command(folder: Path) -> list[str]:
    """Write a source file to ``folder`` and return the command that compiles it for seconds."""
    source = folder / "busy.cpp"
    source.write_text(_CPP)
    return ["g++", "-O2", "-c", "-o", "/dev/null", str(source)]


def record_compiler(folder: Path) -> Path:
    """Return a recording of g++ and its children."""
    output = folder / "compiler.data"
    subprocess.run([*perf_record(output), "--", *compiler_command(folder)], check=True)
    return output
