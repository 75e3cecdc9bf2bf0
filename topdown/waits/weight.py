"""What a sample of a profile weighs."""

from enum import StrEnum

# The events of profiles with these weights.
WALL_TIME, OFF_CPU_TIME = "wall time", "off-CPU time"


class Weight(StrEnum):
    """What a sample weighs."""

    CPU = "cpu"  # its period: CPU time
    WALL = "wall"  # its share of the wall time, also while no thread runs
    OFF_CPU = "off-cpu"  # the wait that it begins
