"""Contents of pages from timelines in text, for tests of sections and of the page."""

from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from harness.diagnose.build import diagnose_result
from harness.diagnose.facts import Measurements
from harness.diagnose.page.flames import FlameGraph
from harness.diagnose.page.page import DiagnosePageContent
from harness.diagnose.path_probe import PathProbe, ProbeRead
from harness.diagnose.readings.activity import machine_activity
from harness.diagnose.readings.file import Readings
from harness.waits.binned import binned_values
from harness.waits.build import waits_result
from tests.harness.diagnose.diagnoses import LOCKED, cpu
from tests.harness.diagnose.machines import header, idle, reading
from tests.harness.waits.analyses import analysis
from tests.profile_builder import ProfileBuilder
from topdown.stacks.profile import Profile
from topdown.stacks.sample_times import SampleTimes
from topdown.waits.weight import Weight

MS_NS = 1_000_000


def profile_over(
    seconds: float, begin_ns: int, names: tuple[str, str] = ("work", "tail")
) -> Profile:
    """Return a profile whose first function runs in the first half, the second one afterwards."""
    built = ProfileBuilder().build([(("main", names[0]), 50, 0), (("main", names[1]), 50, 0)])
    order = np.argsort(built.weight_node)
    leaves = np.repeat(built.weight_node[order], 50).astype(np.int32)
    step = round(seconds * 1e9) // 100
    return structs.replace(
        built,
        times=SampleTimes(
            np.arange(100, dtype=np.int64) * step + begin_ns,
            leaves,
            np.zeros(100, np.int32),
            np.full(100, int(built.weight_value[0]) // 50, np.int64),
            begin_ns,
        ),
    )


def content(text: str = LOCKED, **changes: Any) -> DiagnosePageContent:
    """Return a page with all parts except for slots and the comparison.

    The readings are those of the machine at 100 s of the clock; the recording is moved there.
    """
    made = analysis(text, cpu_sample_every=10, whole_cpus=True)
    waits = waits_result(made, recording=Path("run"), report=None)
    begin_ns, end_ns = made.extent_ns
    rows = tuple(
        structs.replace(
            reading(second, idle=idle(second)),
            monotonic_ns=begin_ns + (end_ns - begin_ns) * second // 4,
        )
        for second in range(5)
    )
    reads = tuple(
        ProbeRead(begin_ns=begin_ns + n * 40 * MS_NS, latency_ns=(n + 1) * MS_NS, in_flight=0)
        for n in range(10)
    )
    measurements = Measurements(
        cpu=cpu(),
        machine=machine_activity(Readings(header(), rows), end_ns),
        probe=PathProbe("/data", "vda", "file", 10, 5000.0, 9000.0, 10, 5000.0),
        slots_missing="no hardware counters",
    )
    profile = profile_over((end_ns - begin_ns) / 1e9, begin_ns)
    values: dict[str, Any] = {
        "result": diagnose_result(waits, None, 0.02, measurements),
        "waits": waits,
        "extent_ns": made.extent_ns,
        "binned": binned_values(made, Path("run")),
        "flames": tuple(FlameGraph(weight, profile) for weight in Weight),
        "measurements": measurements,
        "readings": rows,
        "reads": reads,
        "facts": {"host": "h"},
        "recording_name": "run",
        **changes,
    }
    return DiagnosePageContent(**values)
