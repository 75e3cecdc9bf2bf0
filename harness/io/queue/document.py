"""The document of `stallscope io queue`; missing is null, and the reason beside it."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from harness.io.queue.stalls import Watched, stalls_document
from ioprobe.block_queue.activity import ActivityInterval
from ioprobe.block_queue.queue import BlockQueue, QueueDevice
from ioprobe.block_queue.settings import (
    QueueSetting,
    depth_limit_text,
    device_settings,
    mount_settings,
    options_of,
)
from ioprobe.target.mounts import Mount

SCHEMA = "stallscope.io.queue/1"
NOT_WATCHED = "stalls are looked for over an --interval"


def document(
    found: BlockQueue, watched: Watched | None, recorded_at: Path | None = None
) -> dict[str, object]:
    """Return what was found as JSON takes it; ``recorded_at``: the sysfs of another machine."""
    mount = found.location.mount
    interval = watched.interval if watched else None
    return {
        "schema": SCHEMA,
        "source": "measured",
        "path": found.location.path,
        "kind": found.location.kind,
        "recorded_at": None if recorded_at is None else str(recorded_at),
        "missing": found.location.missing,
        "depth": depth_limit_text(found),
        "mount": mount and _mount(mount),
        "devices": [_device(device, interval) for device in found.devices],
        "pressure": found.pressure and asdict(found.pressure),
        "pressure_missing": found.pressure_missing,
        "interval_s": interval and interval.seconds,
        "complete": watched is None or not watched.interrupted,
        "stalls": stalls_document(watched),
        "stalls_missing": watched.stalls_missing if watched else NOT_WATCHED,
    }


def _mount(mount: Mount) -> dict[str, object]:
    return {
        "point": mount.mount_point,
        "filesystem": mount.filesystem,
        "source": mount.source,
        "options": options_of(mount),
        "settings": _settings(mount_settings(mount)),
    }


def _device(device: QueueDevice, interval: ActivityInterval | None) -> dict[str, object]:
    queue = device.queue
    activity = interval.devices.get(device.name) if interval else None
    values = asdict(device)
    values["what"] = values.pop("description")
    for limit in values["limits"]:
        limit["what"] = limit.pop("key")
    return values | {
        "queue": queue
        and asdict(queue) | {"admitted": queue.admitted, "on_device": queue.on_device},
        "settings": _settings(device_settings(device)),
        "over_interval": activity and asdict(activity),
    }


def _settings(meanings: Iterable[QueueSetting]) -> list[dict[str, str]]:
    return [asdict(each) for each in meanings]
