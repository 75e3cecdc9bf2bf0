"""A queue's document as text and page show it, read again: strangers may have written it."""

from dataclasses import dataclass

from harness.io.queue.stalls import Watched
from ioprobe.block_queue.activity import ActivityInterval, DeviceActivity
from ioprobe.block_queue.queue import Pressure, PressureLine
from ioprobe.block_queue.settings import QueueSetting
from ioprobe.block_queue.stalls import ProcessStalls, QueueOccupancy, StallCause, SubmissionStalls
from stallscope.errors import RecordingError
from stallscope.json_fields import REMEDY, Fields


@dataclass(frozen=True, slots=True)
class MountShown:
    """What the path is mounted from."""

    point: str
    source: str
    options: tuple[str, ...]
    settings: tuple[QueueSetting, ...]


@dataclass(frozen=True, slots=True)
class DeviceShown:
    """One device of the stack; ``level`` 0 is what the path lies on."""

    name: str
    kind: str
    what: str
    level: int
    holders: tuple[str, ...]
    size_bytes: int | None
    settings: tuple[QueueSetting, ...]


@dataclass(frozen=True, slots=True)
class QueueShown:
    """All that is shown; ``watched`` is None where no interval was asked for."""

    path: str
    kind: str
    source: str
    recorded_at: str | None  # where files of another machine were read
    missing: str | None  # why there is no block device
    depth: str
    mount: MountShown | None
    devices: tuple[DeviceShown, ...]
    pressure: Pressure | None
    pressure_missing: str | None
    watched: Watched | None

    @property
    def title(self) -> str:
        """Return what is shown, in a line."""
        of = f", of the machine whose files are in {self.recorded_at}" if self.recorded_at else ""
        return f"{self.path} ({self.kind}){of}"


def queue_shown(fields: Fields) -> QueueShown:
    """Return what is to be shown; RecordingError where the document is damaged."""
    devices, pressure = fields.objects("devices"), fields.fields("pressure")
    return QueueShown(
        path=fields.text("path"),
        kind=fields.text("kind"),
        source=fields.text("source"),
        recorded_at=fields.maybe_text("recorded_at"),
        missing=fields.maybe_text("missing"),
        depth=fields.text("depth"),
        mount=_mount(fields.fields("mount")),
        devices=tuple(_device(each) for each in devices),
        pressure=_pressure(pressure) if pressure.values else None,
        pressure_missing=fields.maybe_text("pressure_missing"),
        watched=_watched(fields, devices),
    )


def _mount(mount: Fields) -> MountShown | None:
    if not mount.values:
        return None
    return MountShown(
        mount.text("point"), mount.text("source"), mount.texts("options"), _settings(mount)
    )


def _settings(of: Fields) -> tuple[QueueSetting, ...]:
    return tuple(
        QueueSetting(each.text("key"), each.text("label"), each.text("value"), each.text("meaning"))
        for each in of.objects("settings")
    )


def _device(device: Fields) -> DeviceShown:
    return DeviceShown(
        name=device.text("name"),
        kind=device.text("kind"),
        what=device.text("what"),
        level=min(device.count("level"), 64),
        holders=device.texts("holders"),
        size_bytes=device.maybe_count("size_bytes"),
        settings=_settings(device),
    )


def _pressure(pressure: Fields) -> Pressure:
    full = pressure.fields("full")
    some = _pressure_line(pressure.fields("some"))
    return Pressure(some, _pressure_line(full) if full.values else None)


def _pressure_line(line: Fields) -> PressureLine:
    avg10, avg60, avg300 = (line.number(name) for name in ("avg10", "avg60", "avg300"))
    return PressureLine(avg10, avg60, avg300, line.count("total_us"))


def _watched(fields: Fields, devices: tuple[Fields, ...]) -> Watched | None:
    if fields.values.get("interval_s") is None:
        return None
    did = {
        device.text("name"): _activity(device.fields("over_interval"))
        for device in devices
        if device.values.get("over_interval") is not None
    }
    stalls = fields.fields("stalls")
    return Watched(
        ActivityInterval(fields.number("interval_s"), did),
        _stalls(stalls) if stalls.values else None,
        fields.maybe_text("stalls_missing"),
        interrupted=not fields.boolean("complete"),
    )


def _activity(one: Fields) -> DeviceActivity:
    return DeviceActivity(
        reads_per_s=one.number("reads_per_s"),
        writes_per_s=one.number("writes_per_s"),
        read_bytes_per_s=one.number("read_bytes_per_s"),
        written_bytes_per_s=one.number("written_bytes_per_s"),
        merged_share=one.maybe_share("merged_share"),
        mean_read_ms=one.maybe_number("mean_read_ms"),
        mean_write_ms=one.maybe_number("mean_write_ms"),
        mean_in_flight=one.number("mean_in_flight"),
        busy_share=one.number("busy_share"),
    )


def _stalls(stalls: Fields) -> SubmissionStalls:
    return SubmissionStalls(
        processes=tuple(_process(each) for each in stalls.objects("processes")),
        occupancy=QueueOccupancy(
            stalls.maybe_count("nr_requests"), stalls.maybe_count("most_in_flight")
        ),
        lost_events=stalls.nullable_count("lost_events"),
        cpu_s=stalls.number("cpu_s"),
        missing=stalls.texts("missing"),
    )


def _process(one: Fields) -> ProcessStalls:
    opcodes, cause = one.fields("punted_opcodes"), one.maybe_text("cause")
    try:
        return ProcessStalls(
            pid=one.count("pid"),
            name=one.text("name"),
            requests=one.count("requests"),
            submitted=one.count("submitted"),
            punts=one.count("punts"),
            punted_opcodes={int(code): opcodes.count(code) for code in opcodes.values},
            calls=one.count("calls"),
            blocked_calls=one.count("blocked_calls"),
            submit_p50_ns=one.maybe_count("submit_p50_ns"),
            submit_p99_ns=one.maybe_count("submit_p99_ns"),
            submit_max_ns=one.maybe_count("submit_max_ns"),
            append_share=one.maybe_share("append_share"),
            cause=None if cause is None else StallCause(cause),
        )
    except ValueError as error:
        raise RecordingError(f"{one.where}: {error}", REMEDY) from error
