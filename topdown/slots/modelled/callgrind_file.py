"""Parser of callgrind output: counts, jumps and calls per instruction.

The file is untrusted: names of functions and files come from the simulated program, which may also
write to the descriptor it inherits. Lines, names and counts are limited, and an invalid line is an
error with its number.
The format: the Callgrind Format Specification of valgrind's manual.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from stallscope.errors import RecordingError

EVENTS = ["Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw", "ILmr", "DLmr", "DLmw"]
EVENTS += ["Bc", "Bcm", "Bi", "Bim"]
MAX_LINES = 40_000_000
MAX_LINE_CHARS = 65_536
MAX_NAMES = 2_000_000
MAX_COUNT = 2**62
ADDRESS_BITS = 56
MAX_OBJECTS = 4096

IR, DR, DW, I1MR, D1MR, D1MW, ILMR, DLMR, DLMW, BC, BCM, BI, BIM = range(len(EVENTS))
_HEADERS = (
    "version:",
    "creator:",
    "pid:",
    "cmd:",
    "part:",
    "thread:",
    "desc:",
    "positions:",
    "summary:",
    "totals:",
)


@dataclass(slots=True)
class CallgrindProfile:
    """Counts by instruction, keyed by code address: object number times 2^56 plus file address.

    ``costs`` are in the order of EVENTS. ``jumps`` and ``calls`` hold counts by source instruction
    and target, ``conditional`` the executions of conditional jumps, and ``callers`` counts by
    function and call instruction.
    """

    objects: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    costs: dict[int, list[int]] = field(default_factory=dict)
    function_of: dict[int, int] = field(default_factory=dict)
    jumps: dict[int, dict[int, int]] = field(default_factory=dict)
    conditional: dict[int, int] = field(default_factory=dict)
    calls: dict[int, dict[int, int]] = field(default_factory=dict)
    callers: dict[int, dict[int, int]] = field(default_factory=dict)
    threads: int = 1  # maximum over processes

    @classmethod
    def with_objects_of(cls, other: "CallgrindProfile") -> "CallgrindProfile":
        """Return an empty profile with the object numbers of another one."""
        profile = cls()
        for name in other.objects:
            profile.object_number(name)
        return profile

    def total(self, event: int) -> int:
        """Return the sum of one event over all instructions."""
        return sum(cost[event] for cost in self.costs.values())

    def object_number(self, name: str) -> int:
        """Return the number of an object, assigned at its first occurrence."""
        return self._number(self.objects, self._object_numbers, name, MAX_OBJECTS)

    def function_number(self, name: str) -> int:
        """Return the number of a function, assigned at its first occurrence."""
        return self._number(self.functions, self._function_numbers, name, MAX_NAMES)

    _object_numbers: dict[str, int] = field(default_factory=dict)
    _function_numbers: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def _number(names: list[str], numbers: dict[str, int], name: str, limit: int) -> int:
        number = numbers.get(name)
        if number is None:
            if len(names) >= limit:
                raise ValueError(f"more than {limit} names")
            number = numbers[name] = len(names)
            names.append(name)
        return number


def read_profile(
    lines: Iterable[str], name: str, profile: CallgrindProfile | None = None
) -> CallgrindProfile:
    """Return the counts in callgrind output, added to ``profile`` if there is one.

    Raises RecordingError with the name and line number of an error.
    """
    reader = _Reader(profile or CallgrindProfile())
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            reader.add_line(line.rstrip("\n"), number)
        reader.finish()
    except ValueError as error:
        raise RecordingError(
            f"{name}: line {number} is invalid: {error}",
            "run the command again; if it writes to descriptors that it did not open, it may "
            "have overwritten this file",
        ) from error
    return reader.profile


class _Reader:
    def __init__(self, profile: CallgrindProfile) -> None:
        self.profile = profile
        self._names: dict[str, dict[str, str]] = {"ob": {}, "fl": {}, "fn": {}}
        self._object = profile.object_number("???")
        self._function = profile.function_number("???")
        self._callee_object: int | None = None
        self._callee = self._function
        self._pending: tuple[str, int, int, int] | None = None  # kind, target, count, reached
        self._columns_known = False

    def add_line(self, line: str, number: int) -> None:
        if number > MAX_LINES or len(line) > MAX_LINE_CHARS:
            raise ValueError("too long")
        first = line[:1]
        if first == "0":
            self._position(line)
        elif not line or first == "#":
            return
        elif (equals := line.find("=")) > 0 and line[:equals].isalpha():
            self._assignment(line[:equals], line[equals + 1 :])
        elif line.startswith("events:"):
            if line.split()[1:] != EVENTS:
                raise ValueError("unexpected events")
            self._columns_known = True
        elif not line.startswith(_HEADERS):
            raise ValueError(f"{line[:40]!r}")

    def finish(self) -> None:
        if not self._columns_known:
            raise ValueError("the file ends before its events")
        if self._pending is not None:
            raise ValueError("the file ends within a call or jump")

    def _assignment(self, key: str, value: str) -> None:
        if key == "ob":
            self._object = self.profile.object_number(self._name("ob", value))
        elif key == "fn":
            self._function = self._function_named(value, self._object)
        elif key == "cob":
            self._callee_object = self.profile.object_number(self._name("ob", value))
        elif key == "cfn":
            callee_object = self._object if self._callee_object is None else self._callee_object
            self._callee = self._function_named(value, callee_object)
        elif key in ("calls", "jump", "jcnd"):
            self._departure(key, value.split())
        elif key in ("fl", "fi", "fe", "cfi", "cfl", "jfi"):
            self._name("fl", value)
        elif key != "jfn":
            raise ValueError(f"{key[:40]!r} is unknown")

    def _function_named(self, value: str, object_number: int) -> int:
        name = self._name("fn", value)
        return self.profile.function_number(f"{object_number}:{name}")

    def _name(self, space: str, value: str) -> str:
        """Return a name: written out, or of a number "(7)" that was given one before."""
        if not value.startswith("("):
            return value
        number, _, name = value.partition(")")
        names = self._names[space]
        if name:
            if len(names) >= MAX_NAMES:
                raise ValueError("too many names")
            names[number] = name.strip()
        elif number not in names:
            raise ValueError(f"{value[:40]!r} has no name")
        return names[number]

    def _departure(self, kind: str, words: list[str]) -> None:
        if self._pending is not None or len(words) < 2:
            raise ValueError("a call or jump without a position")
        taken, _, reached = words[0].partition("/")
        space = self._object
        if kind == "calls" and self._callee_object is not None:
            space = self._callee_object
        target = _address(words[1], space)
        self._pending = (kind, target, _count(taken), _count(reached or taken))
        self._callee_object = None

    def _position(self, line: str) -> None:
        words = line.split()
        address = _address(words[0], self._object)
        if self._pending is not None:
            self._departed(address)
            return
        costs = words[2:]
        if not self._columns_known or len(costs) > len(EVENTS):
            raise ValueError("more costs than events")
        sums = self.profile.costs.get(address)
        if sums is None:
            sums = self.profile.costs[address] = [0] * len(EVENTS)
            self.profile.function_of[address] = self._function
        for column, word in enumerate(costs):
            sums[column] += _count(word)

    def _departed(self, source: int) -> None:
        assert self._pending is not None
        kind, target, taken, reached = self._pending
        self._pending = None
        if kind == "calls":
            _add(self.profile.calls, source, target, taken)
            _add(self.profile.callers, self._callee, source, taken)
            return
        _add(self.profile.jumps, source, target, taken)
        if kind == "jcnd":
            before = self.profile.conditional.get(source, 0)
            self.profile.conditional[source] = before + reached


def _add(table: dict[int, dict[int, int]], key: int, target: int, count: int) -> None:
    targets = table.setdefault(key, {})
    targets[target] = targets.get(target, 0) + count


def _address(word: str, object_number: int) -> int:
    address = int(word, 16)
    if not 0 <= address < 2**ADDRESS_BITS:
        address %= (
            2**ADDRESS_BITS
        )  # kernel pages at the top of the address space, which are not disassembled
    return object_number << ADDRESS_BITS | address


def _count(word: str) -> int:
    count = int(word)
    if not 0 <= count <= MAX_COUNT:
        raise ValueError(f"a count of {word[:40]}")
    return count
