"""Locks for a terminal: a row per lock, then its owner, its callers and its signs."""

from collections.abc import Iterator, Sequence

from harness.cli.terminal import printable, wrapped
from harness.waits.result import IdlePool, KernelLockWaits, LockFunction, LockWaits
from stallscope.quantities import share_text, value_text

SHOWN_LOCKS = 10
SHOWN_FUNCTIONS = 12
_SHOWN_FRAMES = 4
_INDENT = " " * 6


def owner_text(lock: LockWaits) -> str:
    """Return the owner with its stack, or why it is not known."""
    if lock.owner is None:
        return f"owner not known: {lock.owner_unknown or 'no reading'}"
    owner = lock.owner
    share = "" if owner.share is None or owner.share >= 1 else f", {share_text(owner.share)}"
    frames = " < ".join(printable(name) for name in owner.stack[:_SHOWN_FRAMES])
    place = f"; {frames} ({owner.stack_source})" if frames else f"; stack: {owner.stack_source}"
    return f"owner {printable(owner.name)} (thread {owner.tid}{share}){place}"


def hold_text(lock: LockWaits) -> str:
    """Return the mean hold time while threads waited; empty if no hold is visible."""
    count = sum(hold.holds for hold in lock.holds)
    if not count:
        return ""
    mean_ns = sum(hold.mean_ns * hold.holds for hold in lock.holds) / count
    return f"; held {value_text(round(mean_ns), 'ns')} at a time while threads waited"


def lines(locks: Sequence[LockWaits], width: int, shown: int = SHOWN_LOCKS) -> Iterator[str]:
    """Yield the locks in order of waiting time."""
    if not locks:
        yield "Locks: no thread waited for a futex."
        return
    yield "Locks and other futexes, by waiting time:"
    for lock in locks[:shown]:
        waited = value_text(lock.wait_ns, "ns")
        yield f"  {lock.kind} {lock.address}: {waited} in {lock.waits:,} waits{hold_text(lock)}"
        yield from wrapped(f"{_INDENT}{owner_text(lock)}", width, _INDENT + "  ")
        callers = [caller for caller in lock.callers if caller.attributed_ns]
        names = (f"{printable(c.function)} {value_text(c.attributed_ns, 'ns')}" for c in callers)
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
        yield from wrapped(text + printable(function.function), width, " " * 34)


def kernel_lock_lines(locks: Sequence[KernelLockWaits], shown: int = 5) -> Iterator[str]:
    """Yield the contended locks of the kernel; nothing without."""
    if locks:
        yield "Contended locks of the kernel:"
    for lock in locks[:shown]:
        waited = value_text(lock.wait_ns, "ns")
        place = f", from {printable(lock.function)}" if lock.function else ""
        yield f"  {lock.kind} {lock.address}: {waited} in {lock.waits:,} waits{place}"


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
