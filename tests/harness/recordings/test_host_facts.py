"""The host of a recording as texts."""

import pytest

from harness.recordings.host_facts import host_facts
from stallscope.recordings import Manifest, RecordedClocks, RecordedHost


def facts(realtime_ns: int | None) -> dict[str, str]:
    return host_facts(
        Manifest(
            schema="stallscope.recording/1.0",
            complete=True,
            host=RecordedHost(hostname="box", cpu_model="a CPU", kernel_release="6.1"),
            clocks=RecordedClocks(start_realtime_ns=realtime_ns),
        )
    )


@pytest.mark.parametrize(
    ("realtime_ns", "text"),
    [(0, "1970-01-01 00:00 UTC"), (None, ""), (2**63 - 1, "2262-04-11 23:47 UTC")],
)
def test_the_date_is_that_of_the_wall_clock(realtime_ns: int | None, text: str) -> None:
    assert facts(realtime_ns) == {
        "host": "box", "CPU": "a CPU", "kernel": "6.1", "recorded": text,
    }  # fmt: skip


def test_a_recording_without_a_host_has_empty_texts() -> None:
    empty = host_facts(Manifest(schema="stallscope.recording/1.0", complete=False))
    assert set(empty.values()) == {""}
