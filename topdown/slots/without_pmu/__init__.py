"""Observation of a process by samples and kernel counters, without hardware counters."""
