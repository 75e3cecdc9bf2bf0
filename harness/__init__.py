"""The command line, workloads under load, labs and reports."""
