"""Which sources of slots `stallscope lab kernels` has on this machine, and how they are asked."""

import time

from harness.cli.recording_options import Choice
from harness.labs.kernels.known_kernels import KnownKernel, running, trial
from harness.labs.kernels.session import OBSERVED_S, Sources
from harness.machine_checks.check import Status
from harness.topdown.engine import pmu_check, take
from harness.topdown.request import Form, Request, Source
from stallscope.system_files import Roots
from topdown.slots.measurement import Measurement
from topdown.slots.modelled.command import measure_command

_SET_UP_MARGIN = 1.5
_LEAST_PAUSE_S = 0.2
# CPU time of a modelled run: most of it the program's own, and not the making of its working set.
_LEAST_MODELLED_S = 0.15
_SET_UPS = 4


def available_sources() -> Sources:
    """Return what can say where slots go here."""
    counts = pmu_check(Roots()).status is not Status.UNAVAILABLE
    return Sources(measured=_measured if counts else None, modelled=_modelled)


def _measured(kernel: KnownKernel) -> Measurement:
    """Return the slots that hardware counters see, once the program has made its working set."""
    pause_s = _LEAST_PAUSE_S + _SET_UP_MARGIN * trial(kernel).set_up_s
    with running(kernel, pause_s + 60 * OBSERVED_S) as pid:
        time.sleep(pause_s)
        choice = Choice((pid,), (), False, "", "", OBSERVED_S)
        asked = Request(Source.PMU, None, choice, Form.JSON, drill=True)
        return take(asked, lambda *_: None).measurement


def _modelled(kernel: KnownKernel) -> Measurement:
    """Return the slots that the model finds in a run of so many iterations."""
    shown = trial(kernel)
    cpu_s = max(_LEAST_MODELLED_S, _SET_UPS * shown.set_up_cpu_s)
    iterations = max(1, round(shown.iterations_per_cpu_s * cpu_s))
    return measure_command(kernel.command("--iterations", str(iterations)), silent=True)
