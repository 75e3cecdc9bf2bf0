"""Runs the image with the privileges of each feature, by umoci and runc: what docs/install.md says.

``python -m tools.packages.container [IMAGE]``; as root, because it observes a process of the host.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.packages.source import ROOT, PackageError, read_source, run

_BUSY = "import time\nend = time.thread_time() + 0.5\nwhile time.thread_time() < end: pass"
_PERF_EVENT_OPEN = {
    "names": ["perf_event_open"],
    "action": "SCMP_ACT_ERRNO",
    "errnoRet": 1,
}
_PROFILE = ("profile", "--json", "-o", "run")
_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Case:
    """A feature with the privileges that it gets."""

    feature: str
    arguments: tuple[str, ...]  # of stallscope; PID is replaced by a process of the host
    capabilities: tuple[str, ...] = ()
    host_pids: bool = False
    filtered: bool = False  # as engines do by default: perf_event_open returns EPERM
    status: int = 0
    message: str = ""  # in the output or the messages


_COMMAND = ("--", "/usr/bin/python3", "-c", _BUSY)
CASES = (
    Case("analyzers and reports", ("lab", "scale", "--help")),
    Case("doctor without privileges", ("doctor", "--json"), filtered=True),
    Case("profile, filtered", (*_PROFILE, *_COMMAND), filtered=True, status=3, message="seccomp"),
    Case(
        "profile a process of the container",
        (*_PROFILE, *_COMMAND),
        ("CAP_PERFMON",),
        message='"samples"',
    ),
    Case(
        "profile a process of the host",
        (*_PROFILE, "--duration", "1", "-p", "PID"),
        ("CAP_PERFMON", "CAP_SYS_PTRACE"),
        host_pids=True,
        message='"samples"',
    ),
    Case(
        "the whole machine",
        (*_PROFILE, "--duration", "1", "-a"),
        ("CAP_PERFMON", "CAP_SYS_PTRACE"),
        host_pids=True,
        message='"samples"',
    ),
)


def check_image(image: Path, folder: Path) -> list[str]:
    """Return a line for each case that differs from what it expects. Raises PackageError."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(["skopeo", "copy", "-q", f"oci-archive:{image}", f"oci:{folder / 'layout'}:stallscope"])
    bundle = folder / "bundle"
    run(["umoci", "unpack", "--image", f"{folder / 'layout'}:stallscope", bundle])
    original = json.loads((bundle / "config.json").read_text())
    wrong = []
    for number, case in enumerate(CASES):
        with _busy_process() as pid:
            arguments = [str(pid) if word == "PID" else word for word in case.arguments]
            configuration = json.dumps(_configured(original, case, arguments))
            (bundle / "config.json").write_text(configuration)
            shutil.rmtree(bundle / "rootfs" / "work", ignore_errors=True)
            (bundle / "rootfs" / "work").mkdir()
            done = subprocess.run(
                ["runc", "run", "--bundle", bundle, f"stallscope-check-{number}"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=_TIMEOUT_S,
            )
        text = done.stdout + done.stderr
        if done.returncode != case.status or case.message not in text:
            last = "\n".join(text.splitlines()[-6:])
            wrong.append(f"{case.feature}: exit status {done.returncode}\n{last}")
        else:
            sys.stdout.write(f"{case.feature}: as documented\n")
    return wrong


def _configured(original: dict[str, Any], case: Case, arguments: list[str]) -> dict[str, Any]:
    """Return the runtime's configuration for a case."""
    process = original["process"] | {
        "terminal": False,
        "args": ["/usr/bin/stallscope", *arguments],
        "capabilities": {
            kind: list(case.capabilities) for kind in ("bounding", "effective", "permitted")
        },
    }
    namespaces = [
        item
        for item in original["linux"]["namespaces"]
        if not (case.host_pids and item["type"] == "pid")
    ]
    linux = original["linux"] | {"namespaces": namespaces}
    linux.pop("seccomp", None)
    if case.filtered:
        linux["seccomp"] = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [_PERF_EVENT_OPEN]}
    return original | {"process": process, "linux": linux}


@contextmanager
def _busy_process() -> Iterator[int]:
    """Run a busy process on the host; yields its pid."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def main() -> int:
    """Check an image and print the cases; returns the exit status."""
    source = read_source()
    default = source.release / f"stallscope-{source.version}-amd64.oci.tar"
    image = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    try:
        wrong = check_image(image, ROOT / "build" / "image-check")
    except PackageError as error:
        sys.stderr.write(f"packages: error: {error}\n")
        return 3
    for text in wrong:
        sys.stderr.write(f"packages: error: {text}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
