"""Rounds of wake-up latency: settings, order, verdicts."""

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cstates.idle.length_counts import LengthCounts
from cstates.idle.states import CpuIdle, IdleState, read_idle_machine
from cstates.latency_limit import held_limit
from cstates.wake_latency import (
    WakeFinding,
    WakeSample,
    WakeSetting,
    WakeTest,
    merge_samples,
    round_orders,
    verdicts,
    wake_settings,
)
from stallscope.errors import UnableError
from stallscope.system_files import Roots

BASELINE, CLOSED = WakeSetting("as it is"), WakeSetting("up to POLL", 0, ("C1",), ("POLL",))
TEST = WakeTest("futex", 250.0)


def sample(setting: WakeSetting, us: float, entries: int) -> WakeSample:
    counts = LengthCounts()
    counts.record(int(us * 1000))
    return WakeSample(TEST, setting, counts.histogram(), {"POLL": 9, "C1": entries}, cpus=2)


def text(usual: list[float], closed: list[float], entries: int = 9, entered: int = 0) -> str:
    samples = [sample(BASELINE, us, entries) for us in usual]
    samples += [sample(CLOSED, us, entered) for us in closed]
    (verdict,) = verdicts(merge_samples(samples))
    return verdict.text


def test_a_gain_needs_six_rounds_that_agree() -> None:
    assert "us less in the median, in all 6 rounds" in text([30.0] * 6, [4.0] * 6)
    assert "us more in the median, in all 6 rounds" in text([4.0] * 6, [30.0] * 6)
    assert text([30.0] * 5, [4.0] * 5) == "no verdict: 5 rounds, 6 are needed"
    assert text([30.0] * 5 + [3.0], [4.0] * 6) == "no difference shown by 6 rounds"


def test_states_that_were_never_entered_gain_nothing() -> None:
    assert "C1 never entered as it is, nothing" in text([30.0] * 6, [4.0] * 6, entries=0)
    idle = replace(sample(BASELINE, 30.0, 0), entries={"POLL": 0, "C1": 0})
    (verdict,) = verdicts(merge_samples([idle, sample(CLOSED, 4.0, 0)]))
    assert verdict.text == "CPUs never idled, nothing to gain"
    assert verdict.finding is WakeFinding.NEVER_IDLED


def test_uncounted_entries_are_not_zero() -> None:
    for usual, closed in (({}, {"C1": 0}), ({"POLL": 0}, {}), ({"C1": 9}, {"POLL": 9})):
        samples = [replace(sample(BASELINE, 30.0, 0), entries=usual)] * 6
        samples += [replace(sample(CLOSED, 4.0, 0), entries=closed)] * 6
        (verdict,) = verdicts(merge_samples(samples))
        assert verdict.finding is WakeFinding.NOT_COUNTED
        assert verdict.text == "no verdict: entries into C1 were not counted"
    once = [sample(BASELINE, 30.0, 9), replace(sample(BASELINE, 30.0, 9), entries={"POLL": 2})]
    (result,) = merge_samples(once)
    assert result.entries == {"POLL": 11}, "in one of the rounds C1 was not counted"


def test_closed_states_that_were_entered_give_no_verdict() -> None:
    """An entry of each CPU may have begun before each run; of six runs on two CPUs that is 12."""
    assert "us less" in text([30.0] * 6, [4.0] * 6, entered=2)
    message = text([30.0] * 6, [4.0] * 6, entered=3)
    assert message.startswith("no verdict: 18 entries into C1 although closed")


def test_every_second_round_is_reversed() -> None:
    turns = list(round_orders((BASELINE, CLOSED), 3))
    assert turns == [(BASELINE, CLOSED), (CLOSED, BASELINE), (BASELINE, CLOSED)]


def test_settings_are_limits_and_single_states_of_the_machine(
    machine: Callable[[str], Roots],
) -> None:
    idle = read_idle_machine(machine("ice-lake-server"), (0,))
    result = wake_settings(idle.cpus)
    assert result == (
        BASELINE,
        WakeSetting("up to C1E", 4, ("C6",), ("POLL", "C1", "C1E")),
        WakeSetting("up to C1", 1, ("C1E", "C6"), ("POLL", "C1")),
        WakeSetting("up to POLL", 0, ("C1", "C1E", "C6"), ("POLL",)),
        WakeSetting("without C1", None, ("C1",), ("POLL", "C1E", "C6")),
        WakeSetting("without C1E", None, ("C1E",), ("POLL", "C1", "C6")),
    )
    assert [item.name for item in wake_settings(idle.cpus, 100)] == [
        "as it is", "up to C1", "up to POLL", "without C1",
    ]  # fmt: skip


def test_states_of_equal_latency_are_closed_together_and_individually() -> None:
    def state(index: int, name: str, exit_us: int) -> IdleState:
        return IdleState(index, name, "", exit_us, 1, disabled=False, default_disabled=False,
                         usage=0, time_us=0, above=0, below=0, rejected=0)  # fmt: skip

    states = (state(0, "POLL", 0), state(1, "C1", 2), state(2, "C1_ACPI", 2))
    result = wake_settings(
        [CpuIdle(0, online=True, states=states, resume_limit_us=None, missing=None)]
    )
    assert [item.name for item in result] == [
        "as it is", "up to POLL", "without C1", "without C1_ACPI",
    ]  # fmt: skip


def test_without_states_there_is_nothing_to_close() -> None:
    assert wake_settings([]) == (BASELINE,)


def test_a_limit_is_written_in_binary_and_only_if_requested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roots = Roots.recorded(tmp_path)
    (tmp_path / "dev").mkdir()
    device = tmp_path / "dev/cpu_dma_latency"
    with held_limit(roots, None):
        pass
    with pytest.raises(UnableError), held_limit(roots, 7):
        pass
    device.write_bytes(b"")
    with held_limit(roots, 7):
        assert device.read_bytes() == b""
    monkeypatch.setattr(Roots, "is_live", property(lambda _: True))
    with held_limit(roots, 7):
        assert device.read_bytes() == struct.pack("=i", 7)
