"""Time that is not CPU time: thread states, locks, wakers and the cause of a wait."""
