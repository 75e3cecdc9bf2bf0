"""Latency of the block requests of the running system, from kernel tracepoints."""
