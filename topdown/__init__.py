"""CPU time and wall time: pipeline slots, stacks and waits."""
