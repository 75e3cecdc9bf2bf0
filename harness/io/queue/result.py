"""The result of `stallscope io queue`: mount, devices with their settings, activity, stalls."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from msgspec import structs

from harness.recordings.results import RecordedResult
from ioprobe.block_queue.activity import ActivityInterval, DeviceActivity
from ioprobe.block_queue.implied_throughput import ImpliedThroughput, implied_throughput
from ioprobe.block_queue.queue import BlockQueue, QueueDevice, QueuePressure
from ioprobe.block_queue.settings import (
    QueueSetting,
    depth_limit_text,
    device_settings,
    mount_settings,
    options_of,
)
from ioprobe.block_queue.stalls import SubmissionStalls
from ioprobe.target.mounts import Mount
from stallscope.documents import Amount, Record

NO_INTERVAL = "stalls are measured over an --interval"


class MountDescription(Record, frozen=True, kw_only=True):
    """The mount of the path."""

    point: str
    filesystem: str
    source: str
    options: tuple[str, ...]
    settings: tuple[QueueSetting, ...]


class DeviceDescription(QueueDevice, frozen=True, kw_only=True):
    """A device with the meaning of its settings; activity is None without an interval."""

    settings: tuple[QueueSetting, ...]
    over_interval: DeviceActivity | None = None
    implied_throughput: tuple[ImpliedThroughput, ...] = ()  # of reads and writes; needs an interval


class QueueResult(RecordedResult, frozen=True, kw_only=True, tag="stallscope.io.queue/1"):
    """The block layer below a path; a missing value has its reason beside it."""

    FORMER_KEYS: ClassVar[Mapping[str, str]] = {
        "most_in_flight": "max_in_flight",
    }

    path: str
    kind: Literal["file", "directory", "device"]
    recorded_at: str | None = None  # the sysfs of another machine
    missing: str | None = None  # why there is no block device
    depth: str  # the limits on requests in flight
    mount: MountDescription | None = None
    devices: tuple[DeviceDescription, ...]
    pressure: QueuePressure | None = None
    pressure_missing: str | None = None
    interval_s: Amount | None = None
    stalls: SubmissionStalls | None = None
    stalls_missing: str | None = None

    @property
    def title(self) -> str:
        """Return the subject of the measurement."""
        return f"Queue of {self.path}"

    @property
    def headline(self) -> str:
        """Return the path with its kind and machine."""
        machine = f", of the machine recorded in {self.recorded_at}" if self.recorded_at else ""
        return f"{self.path} ({self.kind}){machine}"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalMeasurement:
    """Activity and stalls over an interval."""

    activity: ActivityInterval
    stalls: SubmissionStalls | None
    stalls_missing: str | None
    complete: bool  # False: Ctrl-C ended the interval


def queue_result(
    block_queue: BlockQueue,
    measurement: IntervalMeasurement | None,
    recorded_at: Path | None = None,
) -> QueueResult:
    """Return the result; ``recorded_at`` is the sysfs of a recorded machine."""
    location = block_queue.location
    activity = measurement.activity if measurement else None
    return QueueResult(
        source="measured",
        complete=measurement is None or measurement.complete,
        path=location.path,
        kind=location.kind,
        recorded_at=None if recorded_at is None else str(recorded_at),
        missing=location.missing,
        depth=depth_limit_text(block_queue),
        mount=None if location.mount is None else _mount(location.mount),
        devices=tuple(_device(device, activity) for device in block_queue.devices),
        pressure=block_queue.pressure,
        pressure_missing=block_queue.pressure_missing,
        interval_s=activity.seconds if activity else None,
        stalls=measurement.stalls if measurement else None,
        stalls_missing=measurement.stalls_missing if measurement else NO_INTERVAL,
    )


def _mount(mount: Mount) -> MountDescription:
    return MountDescription(
        point=mount.mount_point,
        filesystem=mount.filesystem,
        source=mount.source,
        options=options_of(mount),
        settings=tuple(mount_settings(mount)),
    )


def _device(device: QueueDevice, interval: ActivityInterval | None) -> DeviceDescription:
    values = {name: getattr(device, name) for name in structs.asdict(device)}
    activity = interval.devices.get(device.name) if interval else None
    return DeviceDescription(
        **values,
        settings=tuple(device_settings(device)),
        over_interval=activity,
        implied_throughput=implied_throughput(device, activity),
    )
