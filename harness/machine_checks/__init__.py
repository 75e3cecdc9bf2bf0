"""machine_checks."""
