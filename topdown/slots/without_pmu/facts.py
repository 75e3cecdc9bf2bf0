"""What samples and kernel counters show, as lines of a label and a text."""

from collections.abc import Iterator

from stallscope.printable import printable
from topdown.slots.without_pmu.kernel_findings import (
    CAUSE_NOT_KNOWN,
    KernelFinding,
    futex_share,
    run_queue_finding,
    waiting_s,
)
from topdown.slots.without_pmu.process_watch import KernelCounters
from topdown.slots.without_pmu.sampled_work import SampledWork
from topdown.slots.without_pmu.shares import Share

UNKNOWN = (
    "slots, IPC, cache and branch misses, and therefore whether the instructions above wait for "
    "data, for an execution unit or for code; time with interrupts off. A PMU measures these; "
    "--source model models them for a command"
)
TOO_SHORT = (
    "n/a: faults, switches and waits are differences between two reads, and the target ended "
    "before the second"
)
_MAX_FUNCTION_CHARS = 60
_MAX_ITEMS = 4
_MIN_SHARE = 0.01  # below, a kind of instruction beyond the first few is left out
_Fact = tuple[str, str]


def facts(
    counters: KernelCounters, work: SampledWork | None, finding: KernelFinding | None
) -> tuple[_Fact, ...]:
    """Return label and text of everything known; the last line names what is unknown."""
    return (
        _finding(finding or run_queue_finding(counters)),
        *(_sampled(work) if work is not None else ()),
        *_counted(counters),
        ("unknown", UNKNOWN),
    )


def _finding(finding: KernelFinding | None) -> _Fact:
    if finding is None:
        return "finding", "none in samples and kernel counters"
    return "finding", f"{finding.answer} ({finding.why})"


def _sampled(work: SampledWork) -> Iterator[_Fact]:
    lost = f", {work.lost:,} lost" if work.lost else ""
    clock = printable(work.event)
    yield (
        "samples",
        f"{work.samples:,} of {clock}{lost}; shares with 95 % intervals for independent samples",
    )
    if not work.samples:
        return
    user = work.user
    if work.kernel is None:
        yield "kernel", "not sampled: this user may sample user code only"
    else:
        yield "kernel", _kernel(work, work.kernel.samples)
    for number, (kind, count) in enumerate(user.kinds):
        share = Share(count, work.samples)
        if number < _MAX_ITEMS or share.interval.low > _MIN_SHARE:
            yield "after" if number == 0 else "", f"{share.text()}  {kind}"
    for label, count in (
        ("at the target of a jump: the instruction before is not known", user.undetermined),
        ("in code that could not be read: generated, deleted or too long", user.undecoded),
    ):
        if count:
            yield "", f"{Share(count, work.samples).text()}  {label}"
    for number, instruction in enumerate(user.hottest[:_MAX_ITEMS]):
        function = printable(instruction.function)[:_MAX_FUNCTION_CHARS]
        share = Share(instruction.samples, work.samples)
        text = f"{share.text()}  {printable(instruction.text)}  in {function}"
        yield "hottest" if number == 0 else "", text


def _kernel(work: SampledWork, samples: int) -> str:
    kernel = work.kernel
    text = f"{Share(samples, work.samples).text()} of samples"
    if kernel is None or not samples:
        return text
    if not kernel.named:
        return f"{text}; the kernel hides its symbols from this user, so the purpose is unknown"
    entries = [f"{entry} {Share(n, work.samples).value or 0:.1%}" for entry, n in kernel.entries]
    calls = [f"{name} {Share(n, work.samples).value or 0:.1%}" for name, n in kernel.system_calls]
    text += f": {', '.join(entries[:_MAX_ITEMS])}"
    return text + (f" (calls: {', '.join(calls[:_MAX_ITEMS])})" if calls else "")


def _counted(counters: KernelCounters) -> Iterator[_Fact]:
    if counters.elapsed_s <= 0:
        yield "counters", TOO_SHORT
        return
    plural = "" if counters.threads == 1 else "s"
    text = f"{_seconds(counters.user_s)} user, {_seconds(counters.system_s)} system"
    text += f" by the kernel's accounting, in {_seconds(counters.elapsed_s)}"
    yield "CPU time", f"{text} with {counters.threads:,} thread{plural}"
    yield "faults", f"{counters.minor_faults:,} minor, {counters.major_faults:,} major (from disk)"
    yield "run queue", _thread_time(counters, counters.queued_s, "ready, without a free CPU")
    yield "waiting", _waiting(counters)
    text = f"{_count(counters.voluntary_switches)} voluntary (the thread slept), "
    text += f"{_count(counters.involuntary_switches)} involuntary (the thread was preempted)"
    yield "switches", text
    yield "migrations", f"{_count(counters.migrations)} to another CPU"
    if counters.disk_wait_s is None:
        yield "disk wait", "not counted: delay accounting is off (sysctl kernel.task_delayacct=1)"
    else:
        yield "disk wait", _thread_time(counters, counters.disk_wait_s, "waiting for a disk")
    steal = counters.steal_share
    if steal is None:
        yield "steal", "n/a: /proc/stat does not report it"
    else:
        yield "steal", f"{steal:.1%} of all CPUs' time, used by the host for other guests"


def _waiting(counters: KernelCounters) -> str:
    text = _thread_time(counters, waiting_s(counters), "neither running nor ready")
    names = [f"{printable(name)} {n:,}" for name, n in counters.waits_in if name][:_MAX_ITEMS]
    if names:
        text += f"; in {counters.snapshots:,} snapshots of threads: {', '.join(names)}"
    if share := futex_share(counters):
        text += (
            f"; {share:.0%} of waits in futex: {CAUSE_NOT_KNOWN} (a lock, a condition variable "
            "or an idle thread)"
        )
    return text


def _thread_time(counters: KernelCounters, part_s: float | None, meaning: str) -> str:
    if part_s is None:
        return "n/a: this kernel has no /proc/PID/schedstat"
    share = f" ({part_s / counters.thread_s:.1%})" if counters.thread_s > 0 else ""
    return f"{_seconds(part_s)} of {_seconds(counters.thread_s)} of thread time{share}: {meaning}"


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


def _count(value: int | None) -> str:
    return "n/a" if value is None else f"{value:,}"
