"""Opening of targets with progress, and facts about target and engine as labels and texts."""

from pathlib import Path

from harness.cli.terminal import LiveLine, note
from ioprobe.block_queue.snapshot import read_block_queue
from ioprobe.curve.verdicts import RequestLimit
from ioprobe.engine.runner import EngineRunner
from ioprobe.target.target import DiskTarget, TargetRequirements, open_target
from stallscope.errors import StallscopeError
from stallscope.quantities import size_text
from stallscope.system_files import Roots, read_integer

_LIVE = Roots()


def open_with_progress(path: str, requirements: TargetRequirements, live: LiveLine) -> DiskTarget:
    """Return the open target; the live line shows the progress of writing a scratch file."""

    def show_progress(written: int, total: int) -> None:
        live.show(f"writing a scratch file: {size_text(written)} of {size_text(total)}")

    return open_target(path, requirements, announce=note, progress=show_progress)


def target_facts(target: DiskTarget, limits: tuple[RequestLimit, ...]) -> dict[str, str]:
    """Return facts about the target."""
    if target.simulated is not None:
        disk = target.simulated
        text = f"{disk.servers} servers of {disk.service_ns / 1e6:g} ms, {disk.service}, modelled"
        return {"disk": text}
    kind = "a scratch file" if target.is_scratch_file else str(target.kind)
    facts = {"measured on": f"{kind}, {size_text(target.span_bytes)}"}
    if target.filesystem:
        facts["filesystem"] = target.filesystem
    if target.device is not None:
        size = target.device.size_bytes
        size_part = "" if size is None else f", {size_text(size)}"
        facts["device"] = f"{target.device.path}{size_part}"
    if limits:
        facts["admits"] = ", ".join(f"{limit.requests:,} ({limit.name})" for limit in limits)
    return facts


def engine_facts(runner: EngineRunner) -> dict[str, str]:
    """Return how the engine ran, by label."""
    facts = {"engine": ", ".join(sorted(runner.engines))}
    if runner.facts is not None and runner.facts.source == "measured":
        if runner.facts.io_uring_missing is not None:
            facts["io_uring"] = f"not used: {runner.facts.io_uring_missing}"
        missing = runner.facts.real_time_missing
        facts["scheduling"] = "real-time class" if missing is None else f"default class: {missing}"
    return facts


def failure_notes(failure: StallscopeError | None) -> tuple[str, ...]:
    """Return a warning that an error ended the measurement; empty without one."""
    return () if failure is None else (f"ended by an error: {failure.message}",)


def known_limits(target: DiskTarget, roots: Roots = _LIVE) -> tuple[RequestLimit, ...]:
    """Return the limits on requests in flight of the queues below a target, if known."""
    if target.device is None:
        return _fuse_limit(target, roots)
    try:
        block_queue = read_block_queue(Path(target.device.path), roots)
    except StallscopeError:
        return ()
    limits: dict[str, int] = {}
    for device in block_queue.devices:
        queue = device.queue
        if queue is None or queue.bio_based:
            continue
        for name, count in (("nr_requests", queue.admitted), ("hardware tags", queue.on_device)):
            if count is not None:
                limits[f"{name} of {device.name}"] = count
    return tuple(RequestLimit(name, count) for name, count in limits.items())


def _fuse_limit(target: DiskTarget, roots: Roots) -> tuple[RequestLimit, ...]:
    """Return the limit of a FUSE filesystem's server, if fusectl reports it."""
    if target.device_number is None or not (target.filesystem or "").startswith("fuse"):
        return ()
    connection = roots.sys / "fs" / "fuse" / "connections" / str(target.device_number[1])
    limit = read_integer(connection / "max_background")
    return () if limit is None else (RequestLimit("max_background of the FUSE server", limit),)
