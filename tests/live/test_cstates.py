"""`stallscope cstates show` on this machine's own kernel."""

import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest

from harness.cli.command_line import main

pytestmark = pytest.mark.live
CPUS = Path("/sys/devices/system/cpu")
DEVICE = Path("/dev/cpu_dma_latency")


def show_document(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert main(["cstates", "show", "--json", *options]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_states_match_sysfs(capsys: pytest.CaptureFixture[str]) -> None:
    document = show_document(capsys)
    assert document["cpus"], "every machine has a CPU"
    for cpu in document["cpus"]:
        folder = CPUS / f"cpu{cpu['cpu']}" / "cpuidle"
        names = [path.read_text().strip() for path in sorted(folder.glob("state*/name"))]
        if cpu["online"]:
            assert sorted(state["name"] for state in cpu["states"]) == sorted(names)
        assert cpu["states"] or cpu["missing"]


def test_an_interval_has_plausible_shares(capsys: pytest.CaptureFixture[str]) -> None:
    document = show_document(capsys, "--interval", "0.05")
    assert document["interval_s"] >= 0.05
    for cpu in document["cpus"]:
        shares = [state["over_interval"]["residency_share"] for state in cpu["states"]]
        assert all(share is None or 0 <= share <= 1 for share in shares)


def test_the_holder_of_the_latency_limit_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The requested limit exceeds every exit latency, so that it has no effect."""
    if os.geteuid() != 0:
        pytest.skip("needs root: /dev/cpu_dma_latency is its own")
    if not DEVICE.exists():
        pytest.skip("needs the kernel's /dev/cpu_dma_latency")
    with open(os.open(DEVICE, os.O_RDWR), "r+b", buffering=0) as held:
        held.write(struct.pack("=i", 1_000_000_000))
        limit = show_document(capsys)["latency_limit"]
    assert os.getpid() in [holder["pid"] for holder in limit["holders"]]
    assert limit["global_us"] is not None
    assert limit["global_us"] <= 1_000_000_000
    assert os.getpid() not in [
        holder["pid"] for holder in show_document(capsys)["latency_limit"]["holders"]
    ]
