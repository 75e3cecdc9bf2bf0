"""Pictures of benchmarks by matplotlib: equal data give equal bytes."""
