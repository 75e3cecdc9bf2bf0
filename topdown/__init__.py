"""Where CPU time goes: slots, stacks and waits."""
