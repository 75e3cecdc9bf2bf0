"""The kernel's trace ring buffer, read raw from a tracefs instance of our own."""
