"""The sources of slots on this machine: hardware counters and the model."""

import time

from harness.cli.recording_options import TargetChoice
from harness.labs.kernels.diagnosis import OBSERVED_S, SlotSources
from harness.labs.kernels.known_kernels import KnownKernel, running_kernel, try_kernel
from harness.machine_checks.check import Status
from harness.topdown.options import OutputForm, SlotSource, TopdownOptions
from harness.topdown.sources import measure_slots, pmu_check
from stallscope.system_files import Roots
from topdown.slots.measurement import Measurement
from topdown.slots.modelled.command import measure_command

_SET_UP_MARGIN = 1.5
_MIN_PAUSE_S = 0.2
# CPU time of a modelled run: most of it must be the program's loop and not its set-up.
_MIN_MODELLED_S = 0.15
_SET_UPS = 4


def available_sources() -> SlotSources:
    """Return the sources of slots on this machine."""
    counts = pmu_check(Roots()).status is not Status.UNAVAILABLE
    return SlotSources(measured=_measured if counts else None, modelled=_modelled)


def _measured(kernel: KnownKernel) -> Measurement:
    """Return the slots from hardware counters, after the program has set up its working set."""
    pause_s = _MIN_PAUSE_S + _SET_UP_MARGIN * try_kernel(kernel).set_up_s
    with running_kernel(kernel, pause_s + 60 * OBSERVED_S) as pid:
        time.sleep(pause_s)
        choice = TargetChoice((pid,), (), False, "", "", OBSERVED_S)
        options = TopdownOptions(SlotSource.PMU, None, choice, OutputForm.JSON, drill=True)
        return measure_slots(options, lambda *_: None).measurement


def _modelled(kernel: KnownKernel) -> Measurement:
    """Return the modelled slots of a run long enough to exceed the set-up."""
    trial = try_kernel(kernel)
    cpu_s = max(_MIN_MODELLED_S, _SET_UPS * trial.set_up_cpu_s)
    iterations = max(1, round(trial.iterations_per_cpu_s * cpu_s))
    return measure_command(kernel.command("--iterations", str(iterations)), silent=True)
