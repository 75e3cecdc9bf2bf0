"""What samples and kernel counters say of a process where no hardware counter can be read."""
