"""Recordings of an arm64 guest, read and symbolized on this host."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.mix_truth import snapshots, true_shares
from stallscope._native import read_capture
from tests.chance import five_standard_errors
from tests.peers import run_peer
from tests.pmu_guest.guest import Result
from tests.pmu_guest.scenarios import IMPOSTOR, ROUNDS

pytestmark = pytest.mark.pmu
Document = dict[str, Any]
TRUE_SHARES = {"half": 0.5, "three_tenths": 0.3, "fifth": 0.2}
RECORDED = [*ROUNDS, "frequency", "attached", "all_cpus", "cgroup", "crowded"]
RECORDED += ["interrupted", "threads", "children"]


def shares(document: Document, kind: str = "self_share") -> dict[str, float]:
    return {row["name"]: row[kind] for row in document["functions"]}


def perf_leaves(result: Result) -> Counter[str]:
    """The numbers of samples by function, from perf script."""
    run = run_peer(
        ["perf", "script", "-i", result.run / "samples.perf", "--no-inline", "-F", "ip,sym"],
        capture_output=True,
        text=True,
        check=True,
    )
    stacks = [
        block.strip("\n").splitlines() for block in re.split(r"\n\s*\n", run.stdout.strip("\n"))
    ]
    return Counter(re.sub(r"^\s*[0-9a-f]+ ", "", stack[0]) for stack in stacks)


@pytest.mark.parametrize("name", RECORDED)
def test_the_reader_agrees_with_the_collector(
    guest: dict[str, Result], manifest_of: Callable[[str], Document], name: str
) -> None:
    manifest = manifest_of(name)
    capture = read_capture(guest[name].run / "samples.perf")
    assert capture.architecture == "aarch64"
    assert len(capture.period) == manifest["samples"] > 0
    assert int(capture.period.sum()) == manifest["counter"]["sampled"]
    clocks = manifest["clocks"]
    assert clocks["start_monotonic_ns"] <= capture.time_ns.min()
    assert capture.time_ns.max() <= clocks["end_monotonic_ns"]


@pytest.mark.parametrize("name", ["short", "attached"])
def test_perf_agrees_on_every_known_function(
    guest: dict[str, Result], report_of: Callable[[str], Document], name: str
) -> None:
    theirs = perf_leaves(guest[name])
    document = report_of(name)
    ours = {row["name"]: row["self_samples"] for row in document["functions"]}
    assert sum(theirs.values()) == document["samples"]
    assert {name: theirs[name] for name in TRUE_SHARES} == {
        name: ours[name] for name in TRUE_SHARES
    }


@pytest.mark.parametrize("name", ["short", "thrice", "cgroup"])
def test_samples_of_a_fixed_period_give_the_known_shares(
    report_of: Callable[[str], Document], name: str
) -> None:
    """The samples are spread evenly over a round."""
    result = shares(report_of(name))
    for function, share in TRUE_SHARES.items():
        assert result[function] == pytest.approx(share, abs=0.005), function


@pytest.mark.parametrize("name", ["frequency", "attached", "crowded"])
def test_samples_of_a_changing_period_give_the_known_shares(
    report_of: Callable[[str], Document], name: str
) -> None:
    """The samples are effectively random: five standard errors are allowed."""
    document = report_of(name)
    result = shares(document)
    for function, share in TRUE_SHARES.items():
        chance = five_standard_errors(share, document["samples"])
        assert result[function] == pytest.approx(share, abs=chance), function


@pytest.mark.parametrize("name", ["short", "frequency", "attached", "interrupted"])
def test_call_chains_are_whole(report_of: Callable[[str], Document], name: str) -> None:
    document = report_of(name)
    assert document["truncated_share"] < 0.005
    assert document["unknown_share"] < 0.005
    total = shares(document, "total_share")
    assert total["work"] == pytest.approx(1, abs=0.02)
    assert total["main"] == pytest.approx(1, abs=0.02)


def test_kernel_functions_are_named_by_the_guests_symbols(
    guest: dict[str, Result], report_of: Callable[[str], Document]
) -> None:
    lines = (guest["attached"].run / "kallsyms").read_text().splitlines()
    theirs = {line.split()[2] for line in lines}
    kernel = [row["name"] for row in report_of("attached")["functions"] if row["kind"] == "kernel"]
    assert kernel
    assert set(kernel) <= theirs


def test_threads_have_their_own_shares(
    guest: dict[str, Result],
    report_of: Callable[[str], Document],
    manifest_of: Callable[[str], Document],
) -> None:
    manifest = manifest_of("threads")
    expected = true_shares(
        snapshots((guest["threads"].path / "truth").read_text()),
        manifest["attach"]["settled_monotonic_ns"],
        manifest["clocks"]["end_monotonic_ns"],
    )
    document = report_of("threads")
    result = shares(document)
    assert len(expected) == 4
    for function, share in expected.items():
        chance = five_standard_errors(share, document["samples"])
        assert result[function] == pytest.approx(share, abs=0.01 + chance), function
    assert len([row for row in document["threads"] if row["share"] > 0.05]) >= 4


def test_a_cgroup_is_recorded_without_its_neighbours(
    guest: dict[str, Result], report_of: Callable[[str], Document]
) -> None:
    inside = int((guest["cgroup"].path / "inside").read_text())
    assert {row["pid"] for row in report_of("cgroup")["threads"]} == {inside}


def test_a_recording_of_all_cpus_contains_the_busy_process(
    report_of: Callable[[str], Document],
) -> None:
    """The only other process in the guest is the collector."""
    rows = report_of("all_cpus")["threads"]
    share = sum(row["share"] for row in rows if row["process"] == "known_shares")
    assert share > 0.8


def test_children_are_named(report_of: Callable[[str], Document]) -> None:
    document = report_of("children")
    known = [row for row in document["threads"] if row["process"] == "known_shares"]
    assert len(known) == 2
    assert [row["share"] for row in known] == pytest.approx([0.5, 0.5], abs=0.02)


def test_a_host_file_with_the_same_path_gives_no_names(
    report_of: Callable[[str], Document],
) -> None:
    document = report_of("impostor")
    named = [row for row in document["functions"] if row["module"] == IMPOSTOR]
    assert sum(row["self_share"] for row in named) == pytest.approx(1, abs=0.01)
    assert document["unknown_share"] == pytest.approx(1, abs=0.01)
