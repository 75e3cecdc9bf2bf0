"""Stand-ins for the native server and loader that print the same lines."""

import sys
from pathlib import Path

import pytest

PERCENTILES = {
    "mean": 110.0,
    "p50": 90.0,
    "p90": 200.0,
    "p95": 256.0,
    "p99": 512.0,
    "p99.9": 1500.0,
    "max": 20000.0,
}
LOADED = {
    "event": "done",
    "schema": "stallscope.load/1",
    "rate_requested": None,
    "rate_achieved": 3012.5,
    "requests": 36_000,
    "errors": 0,
    "connections_achieved": 64,
    "latency_us": PERCENTILES,
    "service_us": PERCENTILES,
    "send_lag_us": dict.fromkeys(PERCENTILES),
    "limited_by_loader": False,
    "why": "",
    "cpu_s": 1.25,
    "options": {"target": "127.0.0.1:7379", "connections": 64, "pipeline": 1},
    "warnings": ["the loader shared its core"],
}

# A server that reports that it is ready.
READY = """
print(json.dumps({"event": "ready", "pid": os.getpid(), "port": 7400, "unix": None,
                  "metrics_port": 9100, "threads": [{"tid": 7, "cpu": 1}, {"tid": 8, "cpu": None}]}),
      flush=True)
"""


def install(folder: Path, name: str, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a program with this Python source in place of a native program."""
    program = folder / name
    program.write_text(f"#!{sys.executable}\nimport json, os, signal, sys, time\n{body}")
    program.chmod(0o755)
    monkeypatch.setattr("stallscope.programs.FOLDER", folder)
