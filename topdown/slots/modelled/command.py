"""`--source model`: the command natively and simulated, and where its slots went by the model."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from stallscope.errors import TargetError, UnableError, UsageError
from stallscope.printable import printable
from stallscope.system_files import Roots
from topdown.slots.detection import (
    contradiction,
    model_named,
    model_of_identity,
    read_identity,
)
from topdown.slots.measurement import Measurement
from topdown.slots.model import Model
from topdown.slots.modelled.cache_options import Caches, read_caches
from topdown.slots.modelled.callgrind_file import D1MR, D1MW, I1MR, IR, Profile
from topdown.slots.modelled.constants import core_constants
from topdown.slots.modelled.disassembly import objdump_program
from topdown.slots.modelled.host_times import KernelTimes, measure_host
from topdown.slots.modelled.measurement import ModelledRun, measurement_of
from topdown.slots.modelled.native_run import CommandInput, NativeRun, run_once, standard_input
from topdown.slots.modelled.prediction import predict, ready_traces
from topdown.slots.modelled.simulation import Simulator, valgrind_program

REPEATS = 5
LONG_RUN_S = 10.0  # of one run: then fewer repeats
FEWEST_REPEATS = 3
TIMEOUT_S = 900.0
LONGEST_COMMAND = 200
USUAL_SLOWDOWN = (20, 100)
MISSES_THAT_MATTER = 0.002  # of instructions

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class NativeRuns:
    """The repeats, and the core's frequency around each of them."""

    runs: tuple[NativeRun, ...]
    frequencies_hz: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine that is modelled; ``cpu`` names the model of its CPU, else it is looked up."""

    roots: Roots = field(default_factory=Roots)
    cpu: str = ""


@dataclass(frozen=True, slots=True)
class _Simulated:
    """The profile to the last level, to the second where misses matter, and the first's seconds."""

    far: Profile
    near: Profile | None
    seconds: float
    caches: Caches


def measure_command(
    command: Sequence[str],
    *,
    on_progress: Say = lambda _: None,
    on_note: Say = lambda _: None,
    timeout_s: float = TIMEOUT_S,
    silent: bool = False,
    machine: Machine = Machine(),
) -> Measurement:
    """Return where the command's slots went, by the model: every value is modelled.

    The command runs natively a few times, the first time with its own output unless ``silent``,
    then silently under callgrind, once or twice. ``on_note`` is told what a person must do for it
    to go on. Raises UsageError without a command or with an unknown CPU, TargetError where the
    command fails, UnableError where valgrind or objdump is missing, the CPU is no x86-64, or a
    simulated run takes longer than ``timeout_s``.
    """
    if not command:
        raise UsageError("--source model needs a command to run", "name it after --")
    valgrind_program()
    objdump_program()
    model, said = _model_and_doubt(machine)
    times = KernelTimes.installed()
    with standard_input(on_wait=on_note) as given:
        native = run_natively(command, given, times, on_progress, silent=silent)
        on_progress(_announcement(native, timeout_s))
        simulated = _simulations(command, given, read_caches(machine.roots), timeout_s, on_progress)
    on_progress("the simulated runs are done; their hot code is being read")
    named = " ".join(printable(word) for word in command)[:LONGEST_COMMAND]
    found = measurement_of(_outcome(named, model, times, native, simulated))
    return found if said is None else replace(found, warnings=(said, *found.warnings))


def _outcome(
    command: str, model: Model | None, times: KernelTimes, native: NativeRuns, simulated: _Simulated
) -> ModelledRun:
    far, near = simulated.far, simulated.near
    core = core_constants(
        model.cpu if model else "", width=model.slots_per_cycle if model else None
    )
    steps, known = ready_traces(far, near, core)
    host = measure_host(times, core, memory=_misses(far) > MISSES_THAT_MATTER * far.total(IR))
    return ModelledRun(
        command=command,
        model=model,
        core=core,
        host=host,
        caches=simulated.caches,
        native=native.runs,
        frequencies_hz=native.frequencies_hz,
        prediction=predict(steps, core, host, instructions=far.total(IR), known=known),
        simulated_s=simulated.seconds,
        two_levels=near is not None,
        threads=far.threads,
    )


def run_natively(
    command: Sequence[str],
    given: CommandInput,
    times: KernelTimes,
    on_progress: Say,
    *,
    silent: bool = False,
) -> NativeRuns:
    """Return a few runs of the command, the first with its output; TargetError where one fails."""
    runs: list[NativeRun] = []
    frequencies: list[float] = []
    before = times.frequency_hz()
    wanted = REPEATS
    while len(runs) < wanted:
        run = run_once(command, given, silent=silent or bool(runs))
        if run.status != 0:
            how = (
                f"was ended by signal {-run.status}" if run.status < 0 else f"returned {run.status}"
            )
            raise TargetError(
                f"{printable(command[0])} {how}", "see that the command works by itself"
            )
        after = times.frequency_hz()
        runs.append(run)
        frequencies.append(max(before, after))
        before = after
        if run.wall_s > LONG_RUN_S:
            wanted = FEWEST_REPEATS
        on_progress(f"native run {len(runs)} of {wanted}: {run.cpu_s:.2f} s of CPU time")
    return NativeRuns(tuple(runs), tuple(frequencies))


def _announcement(native: NativeRuns, timeout_s: float) -> str:
    usual = statistics.median(run.cpu_s for run in native.runs)
    low, high = (usual * times for times in USUAL_SLOWDOWN)
    return (
        f"simulating under valgrind, mostly {USUAL_SLOWDOWN[0]} to {USUAL_SLOWDOWN[1]} times "
        f"slower: {low:.0f} to {high:.0f} s, given up after {timeout_s:.0f} s"
    )


def _simulations(
    command: Sequence[str],
    given: CommandInput,
    caches: Caches,
    timeout_s: float,
    on_progress: Say,
) -> _Simulated:

    def wait(seconds: float) -> None:
        on_progress(f"simulating for {seconds:.0f} s")

    simulator = Simulator(caches, timeout_s, wait)
    far, seconds = simulator.run(command, given, last=caches.l3 or caches.l2)
    if not far.total(IR):
        raise UnableError("the simulated run executed nothing", "give the command more work")
    if caches.l3 is None or _misses(far) <= MISSES_THAT_MATTER * far.total(IR):
        return _Simulated(far, None, seconds, caches)
    on_progress("simulating once more, to tell the second level's misses from the third's")
    near, _ = simulator.run(command, given, last=caches.l2, alike=far)
    return _Simulated(far, near, seconds, caches)


def _misses(profile: Profile) -> int:
    return profile.total(D1MR) + profile.total(D1MW) + profile.total(I1MR)


def _model_and_doubt(machine: Machine) -> tuple[Model | None, str | None]:
    """Return the named CPU's model, else the machine's own and what its features say against it."""
    identity = read_identity(machine.roots)
    if identity is None or not identity.vendor:
        raise UnableError(
            "the model reads x86-64 instructions only",
            "count on a machine with hardware counters: --source pmu",
        )
    if machine.cpu:
        return _model_of_x86(machine.cpu), None
    model = model_of_identity(identity)
    return model, None if model is None else contradiction(machine.roots, model)


def _model_of_x86(cpu: str) -> Model:
    model = model_named(cpu)
    if not any(match.vendor for match in model.matches):
        raise UsageError(
            f"--cpu {cpu}: {model.title} is no x86-64, and the model reads nothing else",
            "name an Intel or AMD CPU, or leave --cpu out",
        )
    return model
