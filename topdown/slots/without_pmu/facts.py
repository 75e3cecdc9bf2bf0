"""What samples and kernel counters say, in words: label and text, a line each."""

from collections.abc import Iterator

from stallscope.printable import printable
from topdown.slots.without_pmu.finding import Finding, crowded, waiting_s
from topdown.slots.without_pmu.process_watch import KernelCounters
from topdown.slots.without_pmu.sampled_work import SampledWork
from topdown.slots.without_pmu.shares import Share

NOT_TOLD = (
    "slots, IPC, cache and branch misses, and so whether the instructions above are slow because "
    "they wait for data, for a unit or for code; time with interrupts off. A PMU tells these, for "
    "a command also --source model"
)
TOO_SHORT = (
    "n/a: faults, switches and waits are differences between two looks at the target, and it ended "
    "before the second"
)
_FUNCTION_AT_MOST = 60
_SHOWN = 4
_Fact = tuple[str, str]


def facts(
    counters: KernelCounters, work: SampledWork | None, finding: Finding | None
) -> tuple[_Fact, ...]:
    """Return label and text of all that is known, what is not told last."""
    return (
        *_finding(finding or crowded(counters)),
        *(_sampled(work) if work is not None else ()),
        *_counted(counters),
        ("not told", NOT_TOLD),
    )


def _finding(finding: Finding | None) -> Iterator[_Fact]:
    if finding is None:
        yield "stands out", "nothing that the kernel's counters or its samples show"
    else:
        yield "stands out", f"{finding.answer} ({finding.why})"


def _sampled(work: SampledWork) -> Iterator[_Fact]:
    lost = f", {work.lost:,} lost" if work.lost else ""
    clock = printable(work.event)
    yield "samples", f"{work.samples:,} of {clock}{lost}; shares with 95 % intervals, as if drawn"
    if not work.samples:
        return
    user = work.user
    if work.kernel is None:
        yield "kernel", "not sampled: this user may sample user code only"
    else:
        yield "kernel", _kernel(work, work.kernel.samples)
    for number, (kind, count) in enumerate(user.kinds):
        share = Share(count, work.samples)
        if number < _SHOWN or share.interval.low > 0.01:
            label = "after" if number == 0 else ""
            yield label, f"{share.text()}  {kind}"
    for label, count in (
        ("where a jump leads: the instruction before is not known", user.undetermined),
        ("in code that could not be read: made at run time, gone or too long", user.undecoded),
    ):
        if count:
            yield "", f"{Share(count, work.samples).text()}  {label}"
    for number, hot in enumerate(user.hottest[:_SHOWN]):
        where = printable(hot.function)[:_FUNCTION_AT_MOST]
        text = f"{Share(hot.samples, work.samples).text()}  {printable(hot.text)}  in {where}"
        yield "hottest" if number == 0 else "", text


def _kernel(work: SampledWork, samples: int) -> str:
    kernel = work.kernel
    text = f"{Share(samples, work.samples).text()} of samples"
    if kernel is None or not samples:
        return text
    if not kernel.named:
        return f"{text}; the kernel hides its functions from this user, so not for what"
    parts = [f"{entry} {Share(n, work.samples).value or 0:.1%}" for entry, n in kernel.entries]
    calls = [f"{name} {Share(n, work.samples).value or 0:.1%}" for name, n in kernel.system_calls]
    text += f": {', '.join(parts[:_SHOWN])}"
    return text + (f" (calls: {', '.join(calls[:_SHOWN])})" if calls else "")


def _counted(counters: KernelCounters) -> Iterator[_Fact]:
    if counters.elapsed_s <= 0:
        yield "counters", TOO_SHORT
        return
    plural = "" if counters.threads == 1 else "s"
    text = f"{_seconds(counters.user_s)} user, {_seconds(counters.system_s)} system"
    text += f" by the kernel's clock, in {_seconds(counters.elapsed_s)}"
    yield "CPU time", f"{text} with {counters.threads:,} thread{plural}"
    yield (
        "faults",
        f"{counters.minor_faults:,} minor, {counters.major_faults:,} major (from a disk)",
    )
    yield "run queue", _of_threads(counters, counters.queued_s, "ready, and no CPU free")
    yield "waiting", _waiting(counters)
    text = f"{_count(counters.voluntary_switches)} voluntary (the thread slept), "
    text += f"{_count(counters.involuntary_switches)} involuntary (another had its turn)"
    yield "switches", text
    yield "migrations", f"{_count(counters.migrations)} to another CPU"
    if counters.disk_wait_s is None:
        yield "disk wait", "not counted: delay accounting is off (sysctl kernel.task_delayacct=1)"
    else:
        yield "disk wait", _of_threads(counters, counters.disk_wait_s, "waiting for a disk")
    steal = counters.steal_share
    text = "n/a: /proc/stat does not tell" if steal is None else f"{steal:.1%} of all CPUs' time"
    yield "steal", text + ("" if steal is None else ", taken by the host for others")


def _waiting(counters: KernelCounters) -> str:
    text = _of_threads(counters, waiting_s(counters), "neither running nor ready")
    named = [f"{printable(name)} {n:,}" for name, n in counters.waits_in if name][:_SHOWN]
    if not named:
        return text
    return f"{text}; of {counters.looks:,} looks at threads found in: {', '.join(named)}"


def _of_threads(counters: KernelCounters, part_s: float | None, meaning: str) -> str:
    if part_s is None:
        return "n/a: this kernel keeps no /proc/PID/schedstat"
    share = f" ({part_s / counters.thread_s:.1%})" if counters.thread_s > 0 else ""
    return f"{_seconds(part_s)} of {_seconds(counters.thread_s)} of threads' time{share}: {meaning}"


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


def _count(value: int | None) -> str:
    return "n/a" if value is None else f"{value:,}"
