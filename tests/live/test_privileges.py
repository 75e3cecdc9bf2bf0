"""Features work without privileges, with CAP_PERFMON alone, and as root without capabilities."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cstates.machine_trees import expand
from tests.live.conftest import NOBODY, public_folder

pytestmark = pytest.mark.live
ROOT = Path(__file__).parents[2]
USER = (f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
CONTEXTS = {
    "user": ("setpriv", *USER, "--inh-caps=-all", "--bounding-set=-all"),
    "perfmon": ("setpriv", *USER, "--inh-caps=+perfmon", "--ambient-caps=+perfmon"),
    # As in a container: its own processes, root without capabilities, no new privileges.
    "container": ("setpriv", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"),
}
NAMESPACES = {"container": ("-m", "-pf", "--mount-proc")}
SPIN = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"
# Commands that work in each context. Relative paths are in a folder of the user.
WORKING = {
    "doctor": ["doctor", "--json"],
    "fixes": ["doctor", "--fix", "--json"],
    "states": ["cstates", "show", "--interval", "0.01", "--json"],
    "simulation": ["cstates", "simulate", "--table", "Z600", "--workload", "periodic:1ms",
                   "--intervals", "1000", "--json"],
    "idle recording": ["cstates", "record", "--duration", "0.05", "-o", "idle", "--json"],
    "explanation": ["cstates", "explain", "idle", "--json"],
    "advice": ["cstates", "advise", "idle", "--json"],
    "process settings": ["pin", "--aslr", "off", "--nice", "5", "--", "true"],
    "pin status": ["pin", "status", "--run-root", "run", "--json"],
    "profile": ["profile", "-o", "profile", "--json", "--", "sh", "-c", SPIN],
    "report": ["report", "profile", "--no-page", "--json"],
    "time": ["topdown", "--json", "--", "sh", "-c", SPIN],
    "disk": ["io", "probe", "sim:servers=2,service=1ms", "--count", "50", "--json"],
    "queue": ["io", "queue", "/", "--json"],
}  # fmt: skip
LATENCY = ["cstates", "latency", "--kind", "timer", "--think-us", "100", "--rounds", "1",
           "--seconds", "0.05", "--json"]  # fmt: skip
SYSTEM_WIDE = ["record", "-a", "-o", "wide", "--duration", "0.05", "--json"]
PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")


def run_in(context: str, commands: list[list[str]]) -> list[dict[str, Any]]:
    """Return the status and output of each command in a context."""
    if os.geteuid() != 0:
        pytest.skip("needs root: it lowers privileges")
    for program in ("setpriv", "unshare"):
        if shutil.which(program) is None:
            pytest.skip(f"needs the program {program}")
    with public_folder(0o1777) as folder:
        (folder / "commands.json").write_text(json.dumps(commands))
        (folder / "commands.json").chmod(0o644)
        result = folder / "result.json"
        ended = subprocess.run(
            ["unshare", *NAMESPACES.get(context, ("-m",)), sys.executable,
             "-m", "tests.live.lower_privileges", result, folder / "commands.json", "--",
             *CONTEXTS[context]],
            cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        errors = ended.stderr.lower()
        if not result.exists() and ("not permitted" in errors or "permission denied" in errors):
            pytest.skip("needs root: namespaces cannot be made here")
        assert ended.returncode == 0, ended.stderr
        results: list[dict[str, Any]] = json.loads(result.read_text())
        return results


@pytest.mark.parametrize("context", CONTEXTS)
def test_features_without_privileges_work(context: str) -> None:
    results = run_in(context, [*WORKING.values(), SYSTEM_WIDE])
    named = dict(zip(WORKING, results, strict=False))
    failed = {name: result["stderr"] for name, result in named.items() if result["status"]}
    assert not failed
    checks = {row["name"]: row for row in json.loads(named["doctor"]["stdout"])["checks"]}
    wide = results[-1]
    free = context == "perfmon" or int(PARANOID.read_text()) <= 0
    assert (checks["system-wide"]["status"] == "available") == free
    assert (wide["status"] == 0) == free, wide["stderr"]
    if not free:
        assert wide["status"] == 3
        assert "remedy:" in wide["stderr"]
    held = "CAP_PERFMON" in checks["capabilities"]["detail"].partition("missing")[0]
    assert held == (context == "perfmon")
    commands = [fix["commands"][0] for fix in json.loads(named["fixes"]["stdout"])["fixes"]]
    if context == "user" and not free:
        assert any("perf_event_paranoid=0" in command for command in commands)
        assert any("setcap cap_perfmon=ep" in command for command in commands)


@pytest.mark.parametrize("context", CONTEXTS)
def test_settings_of_the_machine_are_refused_with_a_remedy(context: str, tmp_path: Path) -> None:
    """The files of this tree belong to root, as those of sysfs do."""
    with public_folder(0o755) as folder:
        tree = expand("ice-lake-server", folder / "machine")
        before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
        for path in tree.rglob("*"):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() else 0o644)
        words = ["pin", "--profile", "bench", f"--sysfs-root={tree}/sys"]
        words += [f"--proc-root={tree}/proc", "--run-root=run"]
        commands = [[*words, "--dry-run", "--json"], [*words, "--", "true"], LATENCY]
        plan, refused, latency = run_in(context, commands)
        assert plan["status"] == 0
        if context != "container":  # there root owns the files
            assert (refused["status"], latency["status"]) == (3, 3)
            assert "can be written by root only" in refused["stderr"]
            assert "--allow-partial" in refused["stderr"]
            assert "cannot hold a latency limit" in latency["stderr"]
            assert "remedy: run as root" in latency["stderr"]
        assert {path: path.read_bytes() for path in before} == before
