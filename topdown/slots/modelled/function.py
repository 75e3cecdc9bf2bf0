"""Modelled slots of one function of a command that reports this function's CPU time.

Start-up and set-up are thus in neither the native times nor the simulated counts.
"""

from collections.abc import Callable, Sequence

from stallscope.errors import TargetError
from topdown.slots.measurement import Measurement
from topdown.slots.modelled.cache_options import read_caches
from topdown.slots.modelled.command import (
    REPEATS,
    TIMEOUT_S,
    ModelledMachine,
    NativeRuns,
    model_and_warning,
    modelled_run,
    simulations,
)
from topdown.slots.modelled.disassembly import objdump_program
from topdown.slots.modelled.host_times import KernelTimes
from topdown.slots.modelled.measurement import measurement_of
from topdown.slots.modelled.native_run import CommandInput, NativeRun
from topdown.slots.modelled.simulation import Simulator, valgrind_program


def measure_function(
    command: Sequence[str],
    function: str,
    cpu_s: Callable[[], float],
    *,
    text: str,
    machine: ModelledMachine = ModelledMachine(),  # noqa: B008 - immutable
) -> Measurement:
    """Return the modelled slots of a function; ``text`` is its description.

    ``cpu_s`` runs the command natively and returns the CPU time of the function in seconds. Raises
    UnableError if valgrind or objdump is missing or the CPU is not x86-64, and TargetError if the
    function takes no CPU time.
    """
    valgrind_program()
    objdump_program()
    model, _ = model_and_warning(machine)
    times = KernelTimes.installed()
    simulator = Simulator(read_caches(machine.roots), TIMEOUT_S, counted_function=function)
    native = _native_runs(cpu_s, times)
    simulated = simulations(command, CommandInput(None), simulator, lambda _: None)
    return measurement_of(modelled_run(text, model, times, native, simulated))


def _native_runs(cpu_s: Callable[[], float], times: KernelTimes) -> NativeRuns:
    runs, frequencies = [], []
    before = times.frequency_hz()
    for _ in range(REPEATS):
        seconds = cpu_s()
        if seconds <= 0:
            raise TargetError("the replay took no CPU time", "replay more requests")
        after = times.frequency_hz()
        runs.append(_user_time(seconds))
        frequencies.append(max(before, after))
        before = after
    return NativeRuns(tuple(runs), tuple(frequencies))


def _user_time(seconds: float) -> NativeRun:
    """Return a run in user mode without waits, of a function that only computes."""
    return NativeRun(
        wall_s=seconds, user_s=seconds, system_s=0.0, queued_s=0.0, voluntary_switches=0, status=0
    )
