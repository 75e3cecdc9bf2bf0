"""Modelled slots without a PMU: a simulation, scaled to native time."""

from topdown.slots.modelled.command import measure_command

__all__ = ["measure_command"]
