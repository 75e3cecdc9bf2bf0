"""`--source model`: native and simulated runs of a command, and its modelled slots."""

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
from topdown.slots.modelled.callgrind_file import D1MR, D1MW, I1MR, IR, CallgrindProfile
from topdown.slots.modelled.constants import core_constants
from topdown.slots.modelled.disassembly import objdump_program
from topdown.slots.modelled.host_times import KernelTimes, measure_host
from topdown.slots.modelled.measurement import ModelledRun, measurement_of
from topdown.slots.modelled.native_run import CommandInput, NativeRun, run_once, standard_input
from topdown.slots.modelled.prediction import predict, read_traces
from topdown.slots.modelled.simulation import Simulator, valgrind_program

REPEATS = 5
LONG_RUN_S = 10.0  # longer runs are repeated less often
MIN_REPEATS = 3
TIMEOUT_S = 900.0
MAX_COMMAND_CHARS = 200
TYPICAL_SLOWDOWN = (20, 100)
MIN_MISS_SHARE = 0.002  # of instructions, for measuring memory latencies

OnMessage = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class NativeRuns:
    """Native runs with the core frequency of each run."""

    runs: tuple[NativeRun, ...]
    frequencies_hz: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ModelledMachine:
    """The modelled machine; ``cpu`` overrides the detected CPU model."""

    roots: Roots = field(default_factory=Roots)
    cpu: str = ""


@dataclass(frozen=True, slots=True)
class SimulatedRuns:
    """Profiles with the last level, and with the second if misses matter, and the first's time."""

    far: CallgrindProfile
    near: CallgrindProfile | None
    seconds: float
    caches: Caches


def measure_command(
    command: Sequence[str],
    *,
    on_progress: OnMessage = lambda _: None,
    on_note: OnMessage = lambda _: None,
    timeout_s: float = TIMEOUT_S,
    silent: bool = False,
    machine: ModelledMachine = ModelledMachine(),
) -> Measurement:
    """Return the modelled slots of a command.

    The command runs natively several times, the first time with its output unless ``silent``, and
    then once or twice under callgrind without output. ``on_note`` receives notes that require an
    action of the user. Raises UsageError without a command or with an unknown CPU, TargetError if
    the command fails, UnableError if valgrind or objdump is missing, the CPU is not x86-64, or a
    simulated run exceeds ``timeout_s``.
    """
    if not command:
        raise UsageError("--source model needs a command", "name it after --")
    valgrind_program()
    objdump_program()
    model, warning = model_and_warning(machine)
    times = KernelTimes.installed()
    with standard_input(on_wait=on_note) as command_input:
        native = run_natively(command, command_input, times, on_progress, silent=silent)
        on_progress(_announcement(native, timeout_s))
        simulator = Simulator(read_caches(machine.roots), timeout_s)
        simulated = simulations(command, command_input, simulator, on_progress)
    on_progress("simulation is complete; reading the hot code")
    text = " ".join(printable(word) for word in command)[:MAX_COMMAND_CHARS]
    result = measurement_of(modelled_run(text, model, times, native, simulated))
    return result if warning is None else replace(result, warnings=(warning, *result.warnings))


def modelled_run(
    command: str,
    model: Model | None,
    times: KernelTimes,
    native: NativeRuns,
    simulated: SimulatedRuns,
) -> ModelledRun:
    """Return the modelled run of native and simulated runs, after the host is measured."""
    far, near = simulated.far, simulated.near
    core = core_constants(
        model.cpu if model else "", width=model.slots_per_cycle if model else None
    )
    steps, represented = read_traces(far, near, core)
    host = measure_host(times, core, memory=_misses(far) > MIN_MISS_SHARE * far.total(IR))
    return ModelledRun(
        command=command,
        model=model,
        core=core,
        host=host,
        caches=simulated.caches,
        native=native.runs,
        frequencies_hz=native.frequencies_hz,
        prediction=predict(steps, core, host, instructions=far.total(IR), known=represented),
        simulated_s=simulated.seconds,
        two_levels=near is not None,
        threads=far.threads,
    )


def run_natively(
    command: Sequence[str],
    command_input: CommandInput,
    times: KernelTimes,
    on_progress: OnMessage,
    *,
    silent: bool = False,
) -> NativeRuns:
    """Return native runs, the first with output. Raises TargetError if one fails."""
    runs: list[NativeRun] = []
    frequencies: list[float] = []
    before = times.frequency_hz()
    repeats = REPEATS
    while len(runs) < repeats:
        run = run_once(command, command_input, silent=silent or bool(runs))
        if run.status != 0:
            how = (
                f"was ended by signal {-run.status}"
                if run.status < 0
                else f"returned status {run.status}"
            )
            raise TargetError(
                f"{printable(command[0])} {how}", "check that the command works on its own"
            )
        after = times.frequency_hz()
        runs.append(run)
        frequencies.append(max(before, after))
        before = after
        if run.wall_s > LONG_RUN_S:
            repeats = MIN_REPEATS
        on_progress(f"native run {len(runs)} of {repeats}: {run.cpu_s:.2f} s of CPU time")
    return NativeRuns(tuple(runs), tuple(frequencies))


def _announcement(native: NativeRuns, timeout_s: float) -> str:
    typical_s = statistics.median(run.cpu_s for run in native.runs)
    low, high = (typical_s * factor for factor in TYPICAL_SLOWDOWN)
    return (
        f"simulating under valgrind, typically {TYPICAL_SLOWDOWN[0]} to {TYPICAL_SLOWDOWN[1]} "
        f"times slower: {low:.0f} to {high:.0f} s, limit {timeout_s:.0f} s"
    )


def simulations(
    command: Sequence[str],
    command_input: CommandInput,
    simulator: Simulator,
    on_progress: OnMessage,
) -> SimulatedRuns:
    """Return the simulated runs of a command; raises UnableError if it executes nothing."""

    def wait(seconds: float) -> None:
        on_progress(f"simulating for {seconds:.0f} s")

    simulator = replace(simulator, on_wait=wait)
    caches = simulator.caches
    far, seconds = simulator.run(command, command_input, last=caches.l3 or caches.l2)
    if not far.total(IR):
        raise UnableError(
            "the simulated run executed no instructions", "give the command more work"
        )
    if caches.l3 is None or _misses(far) <= MIN_MISS_SHARE * far.total(IR):
        return SimulatedRuns(far, None, seconds, caches)
    on_progress("simulating again, to distinguish misses of the second and third level")
    near, _ = simulator.run(command, command_input, last=caches.l2, objects_of=far)
    return SimulatedRuns(far, near, seconds, caches)


def _misses(profile: CallgrindProfile) -> int:
    return profile.total(D1MR) + profile.total(D1MW) + profile.total(I1MR)


def model_and_warning(machine: ModelledMachine) -> tuple[Model | None, str | None]:
    """Return the named CPU's model, else the machine's with a warning if its features differ."""
    identity = read_identity(machine.roots)
    if identity is None or not identity.vendor:
        raise UnableError(
            "the model supports x86-64 instructions only",
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
            f"--cpu {cpu}: {model.title} is not an x86-64 CPU, which the model requires",
            "name an Intel or AMD CPU, or omit --cpu",
        )
    return model
