"""Counts of samples of managed runtimes by what was read."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RuntimeShares:
    """Samples of the processes of one runtime and version.

    ``named``: every managed frame has a name. ``failed``: the others, by reason. ``tiers``: samples
    with managed frames by the kind of the innermost one. ``works``: samples of
    the threads of a Java virtual machine itself, by what they do. ``inexact_leaves``: samples whose
    innermost frame is C2 code, which has debug information only at some instructions.
    """

    name: str
    version: str
    samples: int
    named: int
    failed: dict[str, int] = field(default_factory=dict)
    tiers: dict[str, int] = field(default_factory=dict)
    works: dict[str, int] = field(default_factory=dict)
    inexact_leaves: int = 0
