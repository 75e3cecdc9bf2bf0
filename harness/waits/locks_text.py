"""Locks for a terminal: a row per lock, then its owner, its callers and its signs."""

from collections.abc import Iterator, Sequence

from harness.cli.terminal import printable, shorten, wrapped
from harness.waits.ended_text import functions_text, plain_name
from harness.waits.result import (
    IdlePool,
    KernelLockWaits,
    LockFunction,
    LockWaits,
    SpinningFunction,
)
from stallscope.quantities import share_text, value_text

SHOWN_LOCKS = 10
SHOWN_FUNCTIONS = 12
SHOWN_HOLDS = 6
SHOWN_NEIGHBOURS = 3
LEAST_HOLDS = 5  # of which a mean is shown
_MAX_NAME = 48
_SHOWN_FRAMES = 4
_INDENT = " " * 6


def owner_text(lock: LockWaits) -> str:
    """Return the owner with its stack, or why it is not known."""
    if lock.owner is None:
        return f"owner not known: {lock.owner_unknown or 'no reading'}"
    owner = lock.owner
    share = "" if owner.share is None or owner.share >= 1 else f", {share_text(owner.share)}"
    frames = " < ".join(printable(plain_name(name)) for name in owner.stack[:_SHOWN_FRAMES])
    place = f"; {frames} ({owner.stack_source})" if frames else f"; stack: {owner.stack_source}"
    return f"owner {printable(owner.name)} (thread {owner.tid}{share}){place}"


def hold_text(lock: LockWaits) -> str:
    """Return the mean hold time while threads waited; empty if no hold is visible."""
    count = sum(hold.holds for hold in lock.holds)
    if not count:
        return ""
    mean_ns = sum(hold.mean_ns * hold.holds for hold in lock.holds) / count
    return f"; held {value_text(round(mean_ns), 'ns')} at a time while threads waited"


def facts_text(lock: LockWaits) -> str:
    """Return who waits and how long: "3 threads, longest 12.0 ms, 1.0 woken per wake-up"."""
    facts = []
    if lock.waiters:
        facts.append("1 thread waits" if lock.waiters == 1 else f"{lock.waiters:,} threads wait")
    if lock.longest_ns:
        facts.append(f"longest {value_text(lock.longest_ns, 'ns')}")
    if lock.woken_per_wake_up is not None:
        facts.append(f"a wake-up wakes {lock.woken_per_wake_up:.1f}")
    return ", ".join(facts)


def holds_text(lock: LockWaits) -> str:
    """Return the mean hold time by number of competing threads; empty with less than two."""
    holds = [hold for hold in lock.holds if hold.holds >= LEAST_HOLDS][:SHOWN_HOLDS]
    if len(holds) < 2:
        return ""
    means = (f"{hold.threads}: {value_text(hold.mean_ns, 'ns')}" for hold in holds)
    return f"held by number of competing threads: {', '.join(means)}"


def neighbours_text(function: LockFunction) -> str:
    """Return callers and callees of a function with their times; empty without them."""
    parts = []
    for title, links in (("called by", function.callers), ("calls", function.callees)):
        names = (
            f"{functions_text([link.name])} {value_text(link.wait_ns, 'ns')}"
            for link in links[:SHOWN_NEIGHBOURS]
        )
        if links:
            parts.append(f"{title} {', '.join(names)}")
    return "; ".join(parts)


def lines(locks: Sequence[LockWaits], width: int, shown: int = SHOWN_LOCKS) -> Iterator[str]:
    """Yield the locks in order of waiting time."""
    if not locks:
        yield "Locks: no thread waited for a futex."
        return
    yield "Locks and other futexes, by waiting time:"
    for lock in locks[:shown]:
        waited = value_text(lock.wait_ns, "ns")
        noun = "wait" if lock.waits == 1 else "waits"
        yield f"  {lock.kind} {lock.address}: {waited} in {lock.waits:,} {noun}{hold_text(lock)}"
        if facts := facts_text(lock):
            yield from wrapped(f"{_INDENT}{facts}", width, _INDENT + "  ")
        if holds := holds_text(lock):
            yield from wrapped(f"{_INDENT}{holds}", width, _INDENT + "  ")
        yield from wrapped(f"{_INDENT}{owner_text(lock)}", width, _INDENT + "  ")
        callers = [caller for caller in lock.callers if caller.attributed_ns]
        names = (
            f"{printable(plain_name(c.function))} {value_text(c.attributed_ns, 'ns')}"
            for c in callers
        )
        if callers:
            yield from wrapped(f"{_INDENT}from {', '.join(names)}", width, _INDENT + "  ")
        for sign in lock.signs:
            yield from wrapped(f"{_INDENT}sign: {printable(sign)}", width, _INDENT + "  ")
    if len(locks) > shown:
        yield f"  {len(locks) - shown} further locks are in the document (--json)."


def function_lines(
    functions: Sequence[LockFunction], width: int, shown: int = SHOWN_FUNCTIONS
) -> Iterator[str]:
    """Yield the functions by inclusive time of waits for locks; nothing without such waits."""
    if not functions:
        return
    yield "Time in waits for locks by function (attributed: as caller of the lock):"
    yield f"  {'inclusive':>10} {'attributed':>10} {'waits':>8}  function"
    for function in functions[:shown]:
        inclusive = value_text(function.inclusive_ns, "ns")
        attributed = value_text(function.attributed_ns, "ns")
        text = f"  {inclusive:>10} {attributed:>10} {function.waits:>8,}  "
        yield from wrapped(text + printable(plain_name(function.function)), width, " " * 34)
        if neighbours := neighbours_text(function):
            yield from wrapped(f"{' ' * 36}{neighbours}", width, " " * 38)


def spin_lines(spins: Sequence[SpinningFunction], width: int) -> Iterator[str]:
    """Yield the functions that spin in user space; nothing without."""
    for spin in spins:
        yield from wrapped(
            f"Spinning: {spin.threads} threads spin in {shorten(spin.function, _MAX_NAME)}, "
            f"{value_text(spin.cpu_ns, 'ns')} or {share_text(spin.share)} of the CPU time; these "
            "waits are part of the state user.",
            width,
            "  ",
        )


def kernel_lock_lines(locks: Sequence[KernelLockWaits], shown: int = 5) -> Iterator[str]:
    """Yield the contended locks of the kernel; nothing without."""
    if locks:
        yield "Contended locks of the kernel:"
    for lock in locks[:shown]:
        waited = value_text(lock.wait_ns, "ns")
        place = f", from {printable(lock.function)}" if lock.function else ""
        noun = "wait" if lock.waits == 1 else "waits"
        yield f"  {lock.kind} {lock.address}: {waited} in {lock.waits:,} {noun}{place}"


def pool_lines(pools: Sequence[IdlePool], width: int) -> Iterator[str]:
    """Yield the threads that were set apart, and the rule."""
    if not pools:
        return
    yield "Idle threads, set apart:"
    for pool in pools:
        place = f" in {printable(pool.place)}" if pool.place else ""
        text = f"  {pool.threads} x {printable(pool.process)}/{printable(pool.name)}{place}"
        yield from wrapped(text, width, "    ")
    yield from wrapped(f"  rule: {pools[0].rule}", width, "    ")
