"""Opening what is measured, and telling of it: facts as labels and texts, what queues admit."""

from pathlib import Path

from harness.cli.terminal import LiveLine, note
from ioprobe.block_queue.snapshot import read_block_queue
from ioprobe.curve.verdicts import RequestLimit
from ioprobe.engine.runner import EngineRunner
from ioprobe.target.target import Target, TargetRequirements, open_target
from stallscope.errors import StallscopeError
from stallscope.quantities import size_text
from stallscope.system_files import Roots, read_integer

_LIVE = Roots()


def opened(path: str, wanted: TargetRequirements, live: LiveLine) -> Target:
    """Return the target, open; how far a file of our own is written is told on the line."""

    def written(done: int, whole: int) -> None:
        live.show(f"writing our own file: {size_text(done)} of {size_text(whole)}")

    return open_target(path, wanted, announce=note, progress=written)


def target_facts(target: Target, limits: tuple[RequestLimit, ...]) -> dict[str, str]:
    """Return what was measured."""
    if target.simulated is not None:
        disk = target.simulated
        text = f"{disk.servers} servers of {disk.service_ns / 1e6:g} ms, {disk.service}, modelled"
        return {"disk": text}
    what = "a file of our own" if target.is_scratch_file else str(target.kind)
    facts = {"measured on": f"{what}, {size_text(target.span_bytes)}"}
    if target.filesystem:
        facts["filesystem"] = target.filesystem
    if target.device is not None:
        size = target.device.size_bytes
        told = "" if size is None else f", {size_text(size)}"
        facts["device"] = f"{target.device.path}{told}"
    if limits:
        facts["admits"] = ", ".join(f"{one.requests:,} ({one.name})" for one in limits)
    return facts


def engine_facts(runs: EngineRunner) -> dict[str, str]:
    """Return how it was measured."""
    facts = {"engine": ", ".join(sorted(runs.engines))}
    if runs.facts is not None and runs.facts.source == "measured":
        no_uring, no_real_time = runs.facts.io_uring_missing, runs.facts.real_time_missing
        if no_uring is not None:
            facts["io_uring"] = f"not used: {no_uring}"
        facts["scheduling"] = (
            "a real-time class" if no_real_time is None else f"the usual class: {no_real_time}"
        )
    return facts


def failure_notes(failure: StallscopeError | None) -> tuple[str, ...]:
    """Return what a reader of the numbers must know of what ended them; nothing where all went."""
    return () if failure is None else (f"ended by a failure: {failure.message}",)


def known_limits(target: Target, roots: Roots = _LIVE) -> tuple[RequestLimit, ...]:
    """Return what the queues below a target admit at a time; none where nothing tells."""
    if target.device is None:
        return _fuse_limit(target, roots)
    try:
        queue = read_block_queue(Path(target.device.path), roots)
    except StallscopeError:
        return ()
    found: dict[str, int] = {}
    for device in queue.devices:
        known = device.queue
        if known is None or known.bio_based:
            continue
        for name, count in (("nr_requests", known.admitted), ("hardware tags", known.on_device)):
            if count is not None:
                found[f"{name} of {device.name}"] = count
    return tuple(RequestLimit(name, count) for name, count in found.items())


def _fuse_limit(target: Target, roots: Roots) -> tuple[RequestLimit, ...]:
    """Return what a FUSE filesystem's server takes at a time, where fusectl tells."""
    if target.device_number is None or not (target.filesystem or "").startswith("fuse"):
        return ()
    connection = roots.sys / "fs" / "fuse" / "connections" / str(target.device_number[1])
    found = read_integer(connection / "max_background")
    return () if found is None else (RequestLimit("max_background of the FUSE server", found),)
