"""Counts of samples of managed runtimes by what was read."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RuntimeShares:
    """Samples of the processes of one runtime and version.

    ``named``: every managed frame has a name. ``failed``: the others, by reason. ``tiers``: samples
    with managed frames by the kind of the innermost one.
    """

    name: str
    version: str
    samples: int
    named: int
    failed: dict[str, int] = field(default_factory=dict)
    tiers: dict[str, int] = field(default_factory=dict)
