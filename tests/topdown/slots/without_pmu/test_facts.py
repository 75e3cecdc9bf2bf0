"""Facts about a program's work in the kernel, as they are printed."""

from dataclasses import replace

from tests.topdown.slots.without_pmu.activities import COMPUTING, work
from topdown.slots.without_pmu.facts import facts
from topdown.slots.without_pmu.kernel_findings import find
from topdown.slots.without_pmu.sampled_instructions import HotInstruction


def test_waiting_is_unknown_without_schedstat() -> None:
    blind = replace(COMPUTING, on_cpu_s=None, queued_s=None, voluntary_switches=None)
    assert find(blind, work(1000)) is None
    texts = dict(facts(blind, work(1000), None))
    assert texts["run queue"].startswith("n/a")
    assert texts["waiting"].startswith("n/a")
    assert "n/a voluntary" in texts["switches"]


def test_a_single_snapshot_gives_no_differences() -> None:
    ended = replace(COMPUTING, elapsed_s=0.0, threads=0, thread_s=0.0, user_s=0.0, snapshots=0)
    texts = dict(facts(ended, None, None))
    assert texts["counters"].startswith("n/a")
    assert "CPU time" not in texts
    assert "faults" not in texts
    assert "schedstat" not in " ".join(texts.values())


def test_the_facts_name_what_is_unknown() -> None:
    texts = dict(facts(COMPUTING, work(310, calls=690), find(COMPUTING, work(310, calls=690))))
    assert "31.0 % [28.2 %, 33.9 %]  loads" in texts["after"]
    assert "IPC" in texts["unknown"]
    assert "divider" not in " ".join(texts.values())
    assert "task_delayacct" in texts["disk wait"]


def test_control_characters_in_names_are_escaped() -> None:
    samples = work(1000)
    hot = (HotInstruction("mov", "evil\x1b[2J", 1000),)
    samples = replace(samples, user=replace(samples.user, hottest=hot))
    assert "\x1b" not in " ".join(text for _, text in facts(COMPUTING, samples, None))
