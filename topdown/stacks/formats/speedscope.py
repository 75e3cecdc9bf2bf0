"""Files of speedscope (www.speedscope.app/file-format-schema.json): one profile per thread."""

from typing import Literal

import msgspec
from msgspec import Struct, field

from stallscope.errors import RecordingError
from topdown.stacks.formats.profile_builder import UNKNOWN_SCOPE, ProfileBuilder, kind_of
from topdown.stacks.formats.thread_stacks import thread_stacks
from topdown.stacks.profile import Profile, SampleSource, Thread

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
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
    except (msgspec.DecodeError, IndexError, ValueError) as error:
        raise RecordingError(
            f"{name} is not a valid speedscope file: {error}", "export it again"
        ) from error


def _profile(file: _File, name: str) -> Profile:
    builder = ProfileBuilder()
    frames = [
        builder.function(frame.name, frame.file or "", kind_of(frame.name, frame.file or ""))
        for frame in file.shared.frames
    ]
    in_time = all(profile.unit in _NS_PER_UNIT for profile in file.profiles)
    for number, profile in enumerate(file.profiles, 1):
        thread_name = profile.name or f"profile {number}"
        thread = builder.thread(Thread(0, number, thread_name, thread_name))
        factor = _NS_PER_UNIT[profile.unit] if in_time else 1.0
        for stack, weight in _stacks(profile):
            if any(not 0 <= frame < len(frames) for frame in stack):
                raise ValueError(f"a sample names a frame that is not one of {len(frames)}")
            value = round(weight * factor)
            builder.add([frames[frame] for frame in stack], thread, samples=1, value=value)
    event = "time" if in_time else "samples"
    source = SampleSource(
        event, "measured", "ns" if in_time else "samples", None, None, UNKNOWN_SCOPE
    )
    return builder.build(source, name)


def _stacks(profile: _Profile) -> list[tuple[list[int], float]]:
    """Return stacks, outermost first, with their weights."""
    if profile.type == "sampled":
        if profile.weights and len(profile.weights) != len(profile.samples):
            raise ValueError("there are not as many weights as samples")
        weights = profile.weights or [1.0] * len(profile.samples)
        return [pair for pair in zip(profile.samples, weights, strict=True) if pair[1] > 0]
    stacks: list[tuple[list[int], float]] = []
    stack: list[int] = []
    before = profile.start_value
    for event in profile.events:
        if event.at > before and stack:
            stacks.append((list(stack), event.at - before))
        before = max(before, event.at)
        if event.type == "O":
            stack.append(event.frame)
        elif not stack or stack.pop() != event.frame:
            raise ValueError("a frame closes that is not the innermost open one")
    return stacks
