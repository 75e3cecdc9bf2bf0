"""Groups of events that the user requests."""

import pytest

from stallscope.errors import UsageError
from topdown.slots.counting.counting_mode import (
    CountingMode,
)
from topdown.slots.counting.plan import Encoding, plan_of
from topdown.slots.counting.requested_events import requested_events, unknown_event_error
from topdown.slots.model import load


def test_requested_events_have_their_own_sets() -> None:
    model = load("skl")
    words = [
        "uops_issued.any,r01c2",
        "cpu/event=0xd1,umask=0x8/",
        "page-faults",
        "skl::UOPS_ISSUED.ANY",
    ]
    result = {
        requested_event.spelling: requested_event
        for requested_event in requested_events(words, model, CountingMode())
    }
    assert result["uops_issued.any"].event == "UOPS_ISSUED.ANY"
    assert result["uops_issued.any"].encoding == Encoding(4, 0x10E)
    assert result["r01c2"].encoding.config == 0x1C2
    assert result["cpu/event=0xd1,umask=0x8/"].encoding.config == 0x8D1
    assert result["page-faults"].encoding == Encoding(name="page-faults")
    assert len(result) == 4  # the last is the first in libpfm4's spelling
    plan = plan_of(
        model,
        CountingMode(),
        ["Retiring"],
        requested={item.event: item.encoding for item in result.values()},
    )
    assert {"page-faults", "UOPS_ISSUED.ANY"} <= set(plan.events)
    with pytest.raises(UsageError, match="invalid event name"):
        requested_events(["a b"], model, CountingMode())
    with pytest.raises(UsageError, match="the limit is 64"):
        requested_events([f"r{code:x}" for code in range(1, 99)], None, CountingMode())


def test_an_unknown_event_suggests_the_nearest() -> None:
    error = unknown_event_error("UOPS_ISUED.ANY", load("skl"), "libpfm4 has none")
    assert "UOPS_ISSUED.ANY" in error.remedy
    assert "Skylake" in error.message
