"""Files of speedscope (www.speedscope.app/file-format-schema.json): one profile per thread.

Evented profiles state when a frame opens and closes. Sampled ones state weights in an order that
need not be that of time: they have no times.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import Struct, field

from stallscope.errors import RecordingError
from topdown.stacks.formats.profile_builder import ProfileBuilder, kind_of
from topdown.stacks.formats.thread_stacks import thread_stacks
from topdown.stacks.profile import UNKNOWN_SCOPE, Profile, SampleSource, Thread
from topdown.stacks.profile_warning import ProfileWarning

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
TIME_CELLS = 1_000  # of the timeline; a longer stretch is divided
_NS_PER_UNIT = {
    "nanoseconds": 1.0,
    "microseconds": 1e3,
    "milliseconds": 1e6,
    "seconds": 1e9,
}


class _Frame(Struct, omit_defaults=True):
    name: str
    file: str | None = None
    line: int | None = None
    col: int | None = None


class _Shared(Struct):
    frames: list[_Frame]


class _Event(Struct):
    type: Literal["O", "C"]  # a frame opens or closes
    frame: int
    at: float


class _Profile(Struct, omit_defaults=True, kw_only=True):
    type: Literal["sampled", "evented"]
    name: str = ""
    unit: str = "none"
    start_value: float = field(default=0.0, name="startValue")
    end_value: float = field(default=0.0, name="endValue")
    samples: list[list[int]] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    events: list[_Event] = field(default_factory=list)


class _WrittenProfile(Struct):
    """A sampled profile with every field that the schema requires."""

    name: str
    unit: str
    end_value: int = field(name="endValue")
    samples: list[list[int]]
    weights: list[int]
    type: str = "sampled"
    start_value: int = field(default=0, name="startValue")


class _File(Struct):
    shared: _Shared
    profiles: list[_Profile]


class _WrittenFile(Struct):
    shared: _Shared
    profiles: list[_WrittenProfile]
    name: str
    exporter: str
    active_profile: int = field(default=0, name="activeProfileIndex")
    schema: str = field(default=SCHEMA, name="$schema")


def encode_speedscope(profile: Profile, exporter: str) -> bytes:
    """Return the profile as a file."""
    frames = [_Frame(function.name, function.module or None) for function in profile.functions]
    unit = "nanoseconds" if profile.source.unit == "ns" else "none"
    profiles = []
    for stacks in thread_stacks(profile):
        weights = [row.value for row in stacks.rows]
        profiles.append(
            _WrittenProfile(
                name=stacks.name,
                unit=unit,
                end_value=sum(weights),
                samples=[list(row.functions) for row in stacks.rows],
                weights=weights,
            )
        )
    content = _WrittenFile(_Shared(frames), profiles, profile.title, exporter)
    return msgspec.json.encode(content)


def decode_speedscope(content: bytes, name: str) -> Profile:
    """Return all profiles of a file together, each as a thread; RecordingError if malformed."""
    try:
        file = msgspec.json.decode(content, type=_File)
        return _profile(file, name)
    except (msgspec.DecodeError, IndexError, OverflowError, ValueError) as error:
        raise RecordingError(
            f"{name} is not a valid speedscope file: {error}", "export it again"
        ) from error


def _profile(file: _File, name: str) -> Profile:
    builder = ProfileBuilder()
    frames = [
        builder.function(frame.name, frame.file or "", kind_of(frame.name, frame.file or ""))
        for frame in file.shared.frames
    ]
    units = [_unit(profile) for profile in file.profiles]
    unit = units[0] if units else "samples"
    left_out = 0
    base_ns, cell_ns = _time_cells(file.profiles)
    for number, profile in enumerate(file.profiles, 1):
        if units[number - 1] != unit:
            left_out += 1
            continue
        thread_name = profile.name or f"profile {number}"
        thread = builder.thread(Thread(0, number, thread_name, thread_name))
        factor = _NS_PER_UNIT.get(profile.unit, 1.0)
        if profile.type == "evented" and unit == "ns":
            for stretch in _stretches(profile, builder, frames):
                stretch.add(builder, thread, base_ns, factor, cell_ns)
            continue
        for node, weight in _weighted_nodes(profile, builder, frames):
            builder.add_at(node, thread, samples=1, value=round(weight * factor))
    event = "time" if unit == "ns" else unit
    source = SampleSource(event, "measured", unit, None, None, UNKNOWN_SCOPE)
    warnings: tuple[ProfileWarning, ...] = ()
    if left_out:
        message = f"{left_out:,} profiles whose unit is not {unit} are left out"
        warnings = (ProfileWarning("import", message),)
    return builder.build(source, name, warnings=warnings)


def _time_cells(profiles: list[_Profile]) -> tuple[float, int]:
    """Return the earliest time of evented profiles, and the length of a cell of the timeline."""
    rows = [profile for profile in profiles if profile.type == "evented" and profile.events]
    times = [
        time * _NS_PER_UNIT[profile.unit]
        for profile in rows
        if profile.unit in _NS_PER_UNIT
        for time in (profile.start_value, profile.events[0].at, profile.events[-1].at)
    ]
    if not times:
        return 0.0, 1
    return min(times), max(1, round((max(times) - min(times)) / TIME_CELLS))


class _Stretch(Struct, frozen=True):
    """A time in which no frame opens or closes, in the unit of the profile."""

    node: int
    begin: float
    end: float

    def add(
        self, builder: ProfileBuilder, thread: int, base_ns: float, factor: float, cell_ns: int
    ) -> None:
        """Add the stretch as one sample, and its part in each cell of the timeline."""
        begin_ns = round(self.begin * factor - base_ns)
        end_ns = round(self.end * factor - base_ns)
        builder.add_at(self.node, thread, samples=1, value=end_ns - begin_ns)
        while begin_ns < end_ns and not builder.track.is_dropped:
            next_ns = min(end_ns, (begin_ns // cell_ns + 1) * cell_ns)
            builder.track.add(begin_ns, node=self.node, thread=thread, value=next_ns - begin_ns)
            begin_ns = next_ns


def _unit(profile: _Profile) -> str:
    if profile.unit in _NS_PER_UNIT:
        return "ns"
    return "bytes" if profile.unit == "bytes" else "samples"


def _weighted_nodes(
    profile: _Profile, builder: ProfileBuilder, frames: list[int]
) -> Iterator[tuple[int, float]]:
    """Yield the innermost node of each stack with its weight, which is above 0."""
    if profile.type == "sampled":
        if profile.weights and len(profile.weights) != len(profile.samples):
            raise ValueError("there are not as many weights as samples")
        weights = profile.weights or [1.0] * len(profile.samples)
        for stack, weight in zip(profile.samples, weights, strict=True):
            if weight > 0:
                node = 0
                for frame in stack:
                    node = builder.node(node, _function(frames, frame))
                yield node, weight
        return
    for stretch in _stretches(profile, builder, frames):
        yield stretch.node, stretch.end - stretch.begin


def _stretches(profile: _Profile, builder: ProfileBuilder, frames: list[int]) -> Iterator[_Stretch]:
    """Yield the times with an open frame of an evented profile, in their order."""
    open_frames: list[tuple[int, int]] = []  # frame and node
    before = profile.start_value
    for event in profile.events:
        node = open_frames[-1][1] if open_frames else 0
        if event.at > before and open_frames:
            yield _Stretch(node, before, event.at)
        before = max(before, event.at)
        if event.type == "O":
            node = builder.node(node, _function(frames, event.frame))
            open_frames.append((event.frame, node))
        elif not open_frames or open_frames.pop()[0] != event.frame:
            raise ValueError("a frame closes that is not the innermost open one")


def _function(frames: list[int], frame: int) -> int:
    if not 0 <= frame < len(frames):
        raise ValueError(f"frame {frame} is not in the table of {len(frames)} frames")
    return frames[frame]
