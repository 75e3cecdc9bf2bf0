"""latency."""
