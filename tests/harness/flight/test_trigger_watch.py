"""The thread that stops the collector after a trigger."""

import io
import os
import select
from dataclasses import dataclass

from harness.flight.trigger_watch import TriggerWatch
from harness.flight.triggers import SignalTrigger


@dataclass
class _Countdown:
    """A trigger that fires at a number of checks."""

    checks: int
    text: str = "countdown"
    descriptor: int | None = None
    ready_event: int = select.POLLIN
    interval_s: float | None = 0.001

    def open(self) -> None:
        """Open nothing."""

    def check(self) -> str | None:
        """Count down."""
        self.checks -= 1
        return "queue\nlong" if self.checks <= 0 else None

    def state(self) -> str:
        """Return no state."""
        return ""

    def close(self) -> None:
        """Close nothing."""


def _lines(watch: TriggerWatch, *, wait: bool) -> list[str]:
    control = io.BytesIO()
    with watch.beside(control):
        watch.start()
        if wait:
            watch._thread.join(20)
    watch.close()
    return control.getvalue().decode().splitlines()


def test_the_first_trigger_is_named_and_the_collector_stopped() -> None:
    watch = TriggerWatch([_Countdown(10_000_000), _Countdown(3)], after_s=0.01)
    moment, stop = _lines(watch, wait=True)
    word, time_ns, text = moment.split(" ", 2)
    assert (word, text, stop) == ("trigger", "queue\ufffdlong", "stop")
    assert int(time_ns) > 0
    assert watch.fired == "queue\nlong"


def test_a_descriptor_fires_without_an_interval() -> None:
    trigger = SignalTrigger()
    trigger.open()
    trigger.fire()
    lines = _lines(TriggerWatch([trigger], after_s=0.01), wait=True)
    assert [line.split()[0] for line in lines] == ["trigger", "stop"]
    trigger.close()


def test_nothing_is_written_if_the_collector_ends_first() -> None:
    watch = TriggerWatch([_Countdown(10_000_000)], after_s=0.01)
    assert _lines(watch, wait=False) == []
    assert watch.fired is None


def test_no_trigger_is_checked_during_the_pause() -> None:
    watch = TriggerWatch([_Countdown(1)], after_s=0, pause_s=60)
    assert _lines(watch, wait=False) == []


def test_a_collector_that_has_ended_does_not_disturb_the_thread() -> None:
    read, write = os.pipe()
    os.close(read)
    watch = TriggerWatch([_Countdown(1)], after_s=0)
    with open(write, "wb", buffering=0) as control, watch.beside(control):
        watch.start()
        watch._thread.join(20)
    watch.close()
    assert watch.fired == "queue\nlong"
