"""The self-test: counts every event of the model in known programs and assesses them."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from stallscope import __version__
from stallscope.collector import CollectionEnd, CountOptions, collect
from stallscope.documents import Count, Record, read_document
from stallscope.host import first_cpu, read_host
from stallscope.programs import program
from stallscope.system_files import Roots
from topdown.slots.counting.analysis import measurement_of
from topdown.slots.counting.counting_mode import core_pmu, counting_mode_of
from topdown.slots.counting.counting_run import read_counting_run
from topdown.slots.counting.plan import CountingPlan, EventSet, counted_as, encoding_of, plan_of
from topdown.slots.counting.plan_file import Subject, write_plan
from topdown.slots.detection import model_named, model_of_machine, read_identity
from topdown.slots.model import Model
from topdown.slots.self_test.program_counts import ProgramCounts, ProgramWork, program_counts_of
from topdown.slots.self_test.result import (
    EventResult,
    ProgramResult,
    SelfTestMode,
    SelfTestResult,
)
from topdown.slots.self_test.verdicts import EventAssessment, tally, verdicts

KERNELS = (
    "independent-adds",
    "dependent-chain",
    "divide-chain",
    "pointer-chase-l1",
    "pointer-chase-l2",
    "pointer-chase-l3",
    "pointer-chase-dram",
    "streaming",
    "random-branches",
    "periodic-branches",
    "large-straight-code",
    "large-branchy-code",
    "store-forwarding",
    "false-sharing",
)
DURATION_S = 2.0  # per program
MAX_LEVEL = 2  # of the tree that is compared with the expected bottleneck
Collect = Callable[[CountOptions, IO[str]], CollectionEnd]


def collect_kernel(options: CountOptions, output: IO[str]) -> CollectionEnd:
    """Return the end of a counting run of a known program."""
    return collect(options, lambda _: None, output)


def self_test(
    *,
    cpu: str = "",
    roots: Roots = Roots(),  # noqa: B008 - immutable
    count: Collect = collect_kernel,
    on_kernel: Callable[[str], None] = lambda _: None,
) -> SelfTestResult:
    """Return the self-test of this machine's CPU.

    ``on_kernel`` is called with the name of each program before it runs. Raises UnableError without
    counters, with several kinds of cores, or without a model of the CPU.
    """
    core_pmu(roots)
    model = model_named(cpu) if cpu else model_of_machine(roots)
    subject = Subject(model, counting_mode_of(model, roots, per_process=True), _tree(model))
    plan = whole_plan(subject)
    programs = []
    with tempfile.TemporaryDirectory(prefix="stallscope-") as folder:
        for kernel in KERNELS:
            on_kernel(kernel)
            programs.append(_count_program(kernel, subject, plan, Path(folder), count))
    events = verdicts(model, programs)
    return _result(subject, events, programs, roots)


def _tree(model: Model) -> tuple[str, ...]:
    return tuple(
        name
        for name, node in model.nodes.items()
        if node.level is not None and node.level <= MAX_LEVEL
    )


def whole_plan(subject: Subject) -> CountingPlan:
    """Return a plan of all events of a model: the sets of its tree, and other events alone."""
    model, mode = subject.model, subject.mode
    assert model is not None
    plan = plan_of(model, mode, tuple(model.nodes))
    rest = {
        counted: encoding_of(model, mode, counted)
        for name in model.events
        if (counted := counted_as(model, mode, name)) not in plan.events
        and name not in plan.uncountable
        and not name.endswith(":retire_latency")
        and not name.startswith("PERF_METRICS.")
    }
    sets = tuple(EventSet(name, (name, model.cycles)) for name in rest)
    return replace(plan, sets=(*plan.sets, *sets), events={**plan.events, **rest})


def _count_program(
    kernel: str, subject: Subject, plan: CountingPlan, folder: Path, count: Collect
) -> ProgramCounts:
    """Return the counts of one program, which reports its work on standard output."""
    plan_path = folder / "plan.json"
    write_plan(plan_path, plan, subject)
    command = (str(program("stallscope-kernels")), kernel, "--json")
    options = CountOptions(
        output=folder / kernel,
        plan=plan_path,
        command=(*command, f"--duration={DURATION_S}"),
        user_only=True,
    )
    report = folder / f"{kernel}.json"
    with report.open("w") as output:
        count(options, output)
    return read_program_counts(options.output, report)


class _ProgramReport(Record, frozen=True):
    kernel: str
    expected: str
    iterations: Count
    cpu_ns: Count


def read_program_counts(recording: Path, report: Path) -> ProgramCounts:
    """Return the counts in a recording of a known program, with the program's report."""
    run, record = read_counting_run(recording), read_document(report, _ProgramReport)
    work = ProgramWork(record.kernel, record.expected, record.iterations, record.cpu_ns)
    return program_counts_of(run, work, measurement_of([run]).bottleneck or ())


def _result(
    subject: Subject,
    events: Mapping[str, EventAssessment],
    programs: Sequence[ProgramCounts],
    roots: Roots,
) -> SelfTestResult:
    model, mode = subject.model, subject.mode
    assert model is not None
    identity, host = read_identity(roots), read_host(roots)
    return SelfTestResult(
        stallscope=__version__,
        cpu=model.key,
        title=model.title,
        identity="" if identity is None else identity.describe(),
        cpu_name=host.cpu_model,
        microcode=first_cpu(roots).get("microcode", ""),
        kernel_release=host.kernel_release,
        virtualization=host.virtualization,
        mode=SelfTestMode(
            smt=mode.smt, ebs_mode=mode.ebs_mode, metrics=tuple(sorted(mode.metrics))
        ),
        verdicts={verdict.value: number for verdict, number in tally(events)},
        events={
            name: EventResult(
                verdict=event.verdict.value,
                reason=event.reason,
                passed=event.passed,
                encoding=model.events[name],
            )
            for name, event in events.items()
        },
        kernels=tuple(_program_result(program, model) for program in programs),
    )


def _program_result(program: ProgramCounts, model: Model) -> ProgramResult:
    cycles = program.counts.get(model.cycles)
    instructions = program.counts.get(model.instructions)
    return ProgramResult(
        kernel=program.work.kernel,
        expected=program.work.expected,
        bottleneck="/".join(program.bottleneck) or None,
        iterations=program.work.iterations,
        cpu_ns=program.work.cpu_ns,
        ipc=instructions / cycles if cycles and instructions is not None else None,
        level_1={name: node.value for name, node in program.level_one.items()},
        counts=dict(program.counts),
    )
