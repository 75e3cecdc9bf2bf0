"""The self-test: known programs under counting for every event of the model, judged."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from stallscope import __version__
from stallscope.collector import CollectionEnd, CountOptions, collect
from stallscope.host import first_cpu, read_host
from stallscope.json_fields import read_fields
from stallscope.programs import program
from stallscope.system_files import Roots
from topdown.slots.counting.analysis import measurement_of
from topdown.slots.counting.counting_mode import core_pmu, counting_mode_of
from topdown.slots.counting.counting_run import read_counting_run
from topdown.slots.counting.plan import EventSet, Plan, counted_as, encoding_of, plan_of
from topdown.slots.counting.plan_file import Subject, write_plan
from topdown.slots.detection import model_named, model_of_machine, read_identity
from topdown.slots.model import Model
from topdown.slots.self_test.program_counts import ProgramCounts, ProgramWork, program_counts_of
from topdown.slots.self_test.verdicts import EventAssessment, tally, verdicts
from topdown.slots.verification import SCHEMA

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
SECONDS_EACH = 2.0
DEEPEST_ANSWER = 2  # levels of the tree that are held to a program's expected answer
Count = Callable[[CountOptions, IO[str]], CollectionEnd]


@dataclass(frozen=True, slots=True)
class SelfTest:
    """A self-test's outcome: the verdicts on all events, and each program's own answer.

    ``document`` is what can be sent in: it names the CPU and the kernel, and no host or user.
    """

    model: Model
    events: Mapping[str, EventAssessment]
    observations: tuple[ProgramCounts, ...]
    document: Mapping[str, object]

    @property
    def broken(self) -> tuple[str, ...]:
        """Return the events that do not count what they should."""
        return tuple(name for name, each in self.events.items() if each.verdict == "broken")

    def summary(self) -> str:
        """Return how many events have which verdict, in words."""
        counts = ", ".join(f"{number} {verdict}" for verdict, number in tally(self.events))
        return f"{self.model.title}: {counts}"


def collected(options: CountOptions, output: IO[str]) -> CollectionEnd:
    """Return how stallscope-collect's counting of a known program ended."""
    return collect(options, lambda _: None, output)


def self_test(
    *,
    cpu: str = "",
    roots: Roots = Roots(),  # noqa: B008 - immutable
    count: Count = collected,
    on_kernel: Callable[[str], None] = lambda _: None,
) -> SelfTest:
    """Return the self-test of this machine's CPU, one program after the other.

    ``on_kernel`` is called with each program's name before it runs. Raises UnableError where the
    machine has no counters, several kinds of cores, or a CPU without a model.
    """
    core_pmu(roots)
    model = model_named(cpu) if cpu else model_of_machine(roots)
    subject = Subject(model, counting_mode_of(model, roots, per_process=True), _tree(model))
    plan = whole_plan(subject)
    observations = []
    with tempfile.TemporaryDirectory(prefix="stallscope-") as folder:
        for kernel in KERNELS:
            on_kernel(kernel)
            observations.append(_observed(kernel, subject, plan, Path(folder), count))
    found = verdicts(model, observations)
    document = _document(subject, found, observations, roots)
    return SelfTest(model, found, tuple(observations), document)


def _tree(model: Model) -> tuple[str, ...]:
    return tuple(
        name
        for name, node in model.nodes.items()
        if node.level is not None and node.level <= DEEPEST_ANSWER
    )


def whole_plan(subject: Subject) -> Plan:
    """Return a plan of all events of a model: its tree's sets, and the rest by themselves."""
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


def _observed(
    kernel: str, subject: Subject, plan: Plan, folder: Path, count: Count
) -> ProgramCounts:
    """Return one program's observation; its standard output is its own account."""
    place = folder / "plan.json"
    write_plan(place, plan, subject)
    command = (str(program("stallscope-kernels")), kernel, "--json")
    options = CountOptions(
        output=folder / kernel,
        plan=place,
        command=(*command, f"--duration={SECONDS_EACH}"),
        user_only=True,
    )
    account = folder / f"{kernel}.json"
    with account.open("w") as output:
        count(options, output)
    return observed(options.output, account)


def observed(recording: Path, account: Path) -> ProgramCounts:
    """Return what a counting of a known program says, with the program's own account of itself."""
    run, fields = read_counting_run(recording), read_fields(account)
    work = ProgramWork(
        fields.text("kernel"),
        fields.text("expected"),
        fields.count("iterations"),
        fields.count("cpu_ns"),
    )
    return program_counts_of(run, work, measurement_of([run]).bottleneck or ())


def _document(
    subject: Subject,
    found: Mapping[str, EventAssessment],
    observations: list[ProgramCounts],
    roots: Roots,
) -> dict[str, object]:
    model, mode = subject.model, subject.mode
    assert model is not None
    identity, host = read_identity(roots), read_host(roots)
    return {
        "schema": SCHEMA,
        "stallscope": __version__,
        "cpu": model.key,
        "title": model.title,
        "identity": "" if identity is None else identity.describe(),
        "cpu_name": host.cpu_model,
        "microcode": first_cpu(roots).get("microcode", ""),
        "kernel_release": host.kernel_release,
        "virtualization": host.virtualization,
        "way": {"smt": mode.smt, "ebs_mode": mode.ebs_mode, "metrics": sorted(mode.metrics)},
        "verdicts": {str(verdict): number for verdict, number in tally(found)},
        "events": {
            name: {
                "verdict": str(each.verdict),
                "reason": each.reason,
                "passed": list(each.passed),
                "encoding": model.events[name],
            }
            for name, each in found.items()
        },
        "kernels": [_kernel(each, model) for each in observations],
    }


def _kernel(each: ProgramCounts, model: Model) -> dict[str, object]:
    cycles = each.counts.get(model.cycles)
    instructions = each.counts.get(model.instructions)
    known = cycles and instructions is not None
    return {
        "kernel": each.work.kernel,
        "expected": each.work.expected,
        "found": "/".join(each.bottleneck) or None,
        "iterations": each.work.iterations,
        "cpu_ns": each.work.cpu_ns,
        "ipc": instructions / cycles if known and cycles and instructions is not None else None,
        "level_1": {name: node.value for name, node in each.level_one.items()},
        "counts": dict(each.counts),
    }
