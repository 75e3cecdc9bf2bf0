"""Where slots go without a PMU: a simulation, anchored to native time."""

from topdown.slots.modelled.command import measure_command

__all__ = ["measure_command"]
