"""The kernel's trace ring buffer, read raw from a private tracefs instance."""
