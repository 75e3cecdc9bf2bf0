"""From a request to a measurement with the real collector, with software events."""

from pathlib import Path

import pytest

from stallscope.collector import CollectionEnd, CountOptions, collect
from stallscope.errors import UsageError
from stallscope.system_files import Roots
from topdown.slots.counting.session import CountingRequest, measure, measurement_of_recording
from topdown.slots.measurement import Measurement

pytestmark = pytest.mark.live
ITERATIONS = 20_000


@pytest.fixture
def unknown_cpu(tmp_path: Path) -> Roots:
    """A machine with counters and an unknown CPU model; this machine's kernel accepts or rejects events."""
    (tmp_path / "machine/sys/bus/event_source/devices/cpu").mkdir(parents=True)
    return Roots.recorded(tmp_path / "machine")


def counting(options: CountOptions) -> CollectionEnd:
    return collect(options, lambda _: None)


def request(folder: Path, program: Path, *events: str) -> CountingRequest:
    words = (str(program), "page-faults", f"--iterations={ITERATIONS}")
    options = CountOptions(output=folder / "out", plan=Path(), command=words)
    return CountingRequest(options, events=events, interval_ms=50)


def values(measurement: Measurement) -> dict[str, float | None]:
    return {node.name: node.value for node in measurement.nodes}


def test_a_command_is_counted_to_its_end(
    collector: Path, tmp_path: Path, unknown_cpu: Roots
) -> None:
    program = collector.with_name("stallscope-kernels")
    options = request(tmp_path, program, "page-faults", "task-clock")
    taken = measure(options, counting, unknown_cpu)
    result = taken.measurement
    assert taken.outcome.exit_code == 0
    assert values(result)["page-faults"] == pytest.approx(ITERATIONS, abs=500)
    assert sum(values_of_slices(result, "page-faults")) == values(result)["page-faults"]
    faults = next(node for node in result.nodes if node.name == "page-faults")
    assert faults.interval is not None  # no multiplexing: the interval has no width
    assert faults.interval.low == faults.interval.high == faults.value
    assert result.bottleneck is None
    assert values(measurement_of_recording(tmp_path / "out")) == values(result)


def values_of_slices(measurement: Measurement, name: str) -> list[float]:
    return [
        node.value or 0
        for time_slice in measurement.slices
        for node in time_slice.nodes
        if node.name == name
    ]


def test_an_unknown_name_is_refused_before_counting(
    collector: Path, tmp_path: Path, unknown_cpu: Roots
) -> None:
    program = collector.with_name("stallscope-kernels")
    with pytest.raises(UsageError, match="unknown event 'no-such-event'"):
        measure(request(tmp_path, program, "no-such-event"), counting, unknown_cpu)
    assert not (tmp_path / "out").exists()
