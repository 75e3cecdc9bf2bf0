"""The document of a diagnosis."""

from collections import Counter

from harness.cli.terminal import percent
from harness.diagnose.confidence import LEAST_COST
from harness.diagnose.cpu_functions import CpuFunctions
from harness.diagnose.facts import Facts, Measurements
from harness.diagnose.findings.rules import find
from harness.diagnose.options import MAX_COST
from harness.diagnose.result import CpuUser, DiagnoseResult, Finding, HotFunction
from harness.diagnose.sources import not_judged, sources
from harness.waits.result import WaitsResult
from stallscope.printable import printable

FEW_SAMPLES = 100
MAX_CPU_USERS = 20


def diagnose_result(
    waits: WaitsResult,
    cpu: CpuFunctions | None,
    overhead_share: float | None = None,
    measurements: Measurements = Measurements(),  # noqa: B008 - immutable
) -> DiagnoseResult:
    """Return what limits the target of a recording; ``cpu`` or that of ``measurements``."""
    facts = Facts.of(waits, cpu, measurements)
    cpu = facts.cpu
    findings = find(facts)
    warnings = [*waits.warnings, *measurements.warnings]
    if overhead_share is not None and overhead_share > MAX_COST:
        warnings.append(
            f"recording took {percent(overhead_share)} of the target's CPU time, more than "
            f"{percent(MAX_COST)}: a target that runs longer or more makes it less"
        )
    if cpu is not None and cpu.samples < FEW_SAMPLES:
        warnings.append(
            f"only {cpu.samples} CPU samples were taken; record longer for shares of functions"
        )
    return DiagnoseResult(
        title=waits.title,
        verdict=_verdict(facts, findings),
        wall_ns=waits.wall_ns,
        working_ns=facts.working_ns,
        running_share=facts.share(facts.running_ns) if facts.working_ns else None,
        findings=findings,
        functions=tuple(
            HotFunction(
                name=printable(function.name),
                module=printable(function.module),
                self_share=min(1.0, share),
                line=printable(function.lines[0][0]) if function.lines else None,
            )
            for function, share in (cpu.hottest if cpu is not None else ())
        ),
        not_judged=not_judged(facts, measurements),
        overhead_share=overhead_share,
        warnings=tuple(warnings),
        recording=waits.recording,
        report=waits.report,
        sources=sources(facts, measurements),
        cpu_users=_cpu_users(facts),
    )


def _cpu_users(facts: Facts) -> tuple[CpuUser, ...]:
    """Return the largest users of CPUs for which threads were queued; processes by name."""
    times: Counter[tuple[str, str]] = Counter()
    for user in facts.waits.run_queue:
        times[user.kind, user.name] += user.time_ns
    return tuple(
        CpuUser(kind=kind, name=name, share=facts.share(time_ns))
        for (kind, name), time_ns in times.most_common(MAX_CPU_USERS)
    )


def _verdict(facts: Facts, findings: tuple[Finding, ...]) -> str:
    if findings:
        first = findings[0]
        return f"{first.sentence} It costs {percent(first.cost_share)} of the wall time."
    if not facts.working_ns:
        return "Nothing stands out: all threads are idle."
    share = percent(facts.share(facts.running_ns))
    return (
        f"Nothing stands out: working threads run {share} of their wall time, and no other cause "
        f"costs {percent(LEAST_COST)} of it."
    )
