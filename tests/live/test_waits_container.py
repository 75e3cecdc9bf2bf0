"""Waits in a container and without tracefs: what remains is shown, and what is missing is named."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# Covers tracefs and makes /proc/sys read-only, as container runtimes do.
_COVER = """
for folder in /sys/kernel/tracing /sys/kernel/debug; do
  if [ -d $folder ]; then mount -t tmpfs -o ro none $folder; fi
done
mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys
exec "$@"
"""
_CONTAINER = ("unshare", "--user", "--map-root-user", "--pid", "--mount", "--fork", "--mount-proc")

# Unmounts tracefs after the recording has started, in this mount namespace only.
_UNMOUNT = """
"$@" &
sleep 1
umount -l /sys/kernel/tracing 2>/dev/null
umount -l /sys/kernel/debug 2>/dev/null
wait $!
"""


def _contained(*words: object) -> "subprocess.CompletedProcess[str]":
    command = [*_CONTAINER, "sh", "-ec", _COVER, "sh", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_container_shows_what_remains_and_names_what_is_missing(
    kernels: Path, tmp_path: Path
) -> None:
    if _contained("true").returncode != 0:
        pytest.skip("needs the kernel's user namespaces")
    words = (sys.executable, "-m", "stallscope", "waits", "--json", "--duration", 2)
    done = _contained(*words, "-o", tmp_path / "waits", "--", kernels, "lock-hog", "--duration", 1)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout[done.stdout.index('{"schema"') :])
    states = [thread["states_ns"] for thread in result["threads"]]
    assert sum(state.get("user", 0) for state in states) > 0
    missing = {source["name"]: source["remedy"] for source in result["missing"]}
    named = [remedy for name, remedy in missing.items() if "sched_waking" in name]
    assert named
    assert "tracefs" in named[0]


def test_a_tracefs_that_is_unmounted_during_a_recording_does_not_end_it(
    needs_root: None, collector: Path, kernels: Path, tmp_path: Path
) -> None:
    output = tmp_path / "run"
    words = [str(collector), "--waits", "--duration", "3", "-o", str(output), "--", str(kernels)]
    private = ("unshare", "--mount", "--propagation", "private")
    done = subprocess.run(
        [*private, "sh", "-c", _UNMOUNT, "sh", *words, "lock-hog", "--duration", "2"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads((output / "recording.json").read_text())
    assert document["complete"] is True
    assert document["end"]["reason"] == "target ended"
    moments = [json.loads(line) for line in (output / "waits.jsonl").read_text().splitlines()]
    assert {"start", "end"} <= {line.get("moment") for line in moments}
