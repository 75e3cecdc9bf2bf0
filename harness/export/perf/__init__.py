"""Recordings in the format of perf."""
