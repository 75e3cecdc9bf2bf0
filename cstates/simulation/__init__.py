"""Simulation of the kernel's idle governors on recorded or generated intervals."""
