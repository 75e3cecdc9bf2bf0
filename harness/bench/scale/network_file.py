"""A closed queueing network in a TOML file, with what-if cases.

customers = 200
think_time_s = 4

[[centre]]
name = "cpu"
demand_s = 0.012
servers = 4            # or speeds = [1, 1.9, 2.6], or delay = true

[[what_if]]
name = "half the lock time"
centre = "lock"
demand_factor = 0.5    # or demand_s, servers, speeds, think_time_s
"""

import difflib
import tomllib
from pathlib import Path

import msgspec

from stallscope.documents import read_bounded
from stallscope.errors import RecordingError
from stallscope.statistics.closed_network import MAX_CUSTOMERS, Centre

MAX_BYTES = 2**20
MAX_CENTRES = 100
_REMEDY = "docs/commands/bench-scale.md describes the file"


class CentreEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[[centre]]``."""

    name: str
    demand_s: float
    servers: int = 1
    speeds: tuple[float, ...] = ()
    delay: bool = False


class WhatIfEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[[what_if]]``: what changes in it; None stays as it is."""

    name: str
    centre: str | None = None
    demand_s: float | None = None
    demand_factor: float | None = None
    servers: int | None = None
    speeds: tuple[float, ...] | None = None
    think_time_s: float | None = None


class NetworkFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    customers: int
    centre: tuple[CentreEntry, ...]
    think_time_s: float = 0.0
    what_if: tuple[WhatIfEntry, ...] = ()


class Network(msgspec.Struct, frozen=True):
    """A network to solve."""

    name: str
    customers: int
    think_s: float
    centres: tuple[Centre, ...]


def read_networks(path: Path) -> tuple[Network, ...]:
    """Return the network of a file, and one per what-if case. Raises RecordingError."""
    try:
        content = tomllib.loads(read_bounded(path, MAX_BYTES).decode("utf-8"))
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, too deep
        raise RecordingError(f"{path}: {error}", _REMEDY) from error
    _check_keys(content, NetworkFile, str(path))
    for key, kind in (("centre", CentreEntry), ("what_if", WhatIfEntry)):
        entries = content.get(key, [])
        for number, entry in enumerate(entries if isinstance(entries, list) else [], 1):
            if isinstance(entry, dict):
                _check_keys(entry, kind, f"{path}: {key} {number}")
    try:
        file = msgspec.convert(content, NetworkFile)
    except msgspec.ValidationError as error:
        raise RecordingError(f"{path}: {error}", _REMEDY) from error
    return networks_of(file, str(path))


def networks_of(file: NetworkFile, where: str) -> tuple[Network, ...]:
    """Return the networks of a decoded file. Raises RecordingError."""
    if not 1 <= file.customers <= MAX_CUSTOMERS:
        raise RecordingError(
            f"{where}: {file.customers} customers, expected 1 to {MAX_CUSTOMERS}", _REMEDY
        )
    names = [entry.name for entry in file.centre]
    if not 0 < len(names) <= MAX_CENTRES or len(set(names)) < len(names):
        raise RecordingError(
            f"{where}: expected 1 to {MAX_CENTRES} centres with different names", _REMEDY
        )
    centres = tuple(
        Centre(entry.name, entry.demand_s, entry.servers, entry.speeds, entry.delay)
        for entry in file.centre
    )
    base = Network("as it is", file.customers, file.think_time_s, centres)
    return (base, *(_changed(base, case, where) for case in file.what_if))


def _changed(base: Network, case: WhatIfEntry, where: str) -> Network:
    """Return the network of a what-if case."""
    names = [centre.name for centre in base.centres]
    if case.centre is not None and case.centre not in names:
        near = _nearest(case.centre, names)
        raise RecordingError(f"{where}: {case.name}: there is no centre {case.centre!r}{near}", "")
    changes = {
        "demand_s": case.demand_s,
        "servers": case.servers,
        "speeds": case.speeds,
    }
    changed_centre = any(value is not None for value in (*changes.values(), case.demand_factor))
    if changed_centre and case.centre is None:
        raise RecordingError(f"{where}: {case.name}: name the centre that changes", _REMEDY)
    centres = []
    for centre in base.centres:
        if centre.name != case.centre:
            centres.append(centre)
            continue
        demand_s = centre.demand_s if case.demand_s is None else case.demand_s
        factor = 1.0 if case.demand_factor is None else case.demand_factor
        centres.append(
            Centre(
                centre.name,
                demand_s * factor,
                centre.servers if case.servers is None else case.servers,
                centre.speeds if case.speeds is None else case.speeds,
                centre.delay,
            )
        )
    think_s = base.think_s if case.think_time_s is None else case.think_time_s
    return Network(case.name, base.customers, think_s, tuple(centres))


def _check_keys(table: dict[str, object], kind: type[msgspec.Struct], where: str) -> None:
    """Raise RecordingError for an unknown key, with the nearest known one."""
    known = [field.name for field in msgspec.structs.fields(kind)]
    for key in table:
        if key not in known:
            raise RecordingError(
                f"{where}: unknown key {key!r}{_nearest(key, known)}", f"keys: {', '.join(known)}"
            )


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f", did you mean {near[0]!r}?" if near else ""
