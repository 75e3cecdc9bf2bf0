"""The meaning of instructions per cycle, with its threshold and the threshold's source."""

LOW_IPC = 1.0
SOURCE = "a rule of thumb for servers: B. Gregg, CPU Utilization is Wrong, 2017"


def ipc_meaning(unstaged: float | None, staged: float | None) -> str | None:
    """Return one sentence on the IPC of both sides; None without a value."""
    if unstaged is None or staged is None:
        return None
    if unstaged < LOW_IPC <= staged:
        finding = "the core mostly waits without stages and mostly executes with them"
    elif unstaged < LOW_IPC and staged < LOW_IPC:
        finding = "the core mostly waits, with and without stages"
    elif unstaged >= LOW_IPC and staged >= LOW_IPC:
        finding = "the core mostly executes, with and without stages"
    else:
        finding = "the core mostly executes without stages and mostly waits with them"
    return (
        f"IPC is instructions per cycle; below {LOW_IPC:.1f} a core waits for memory or code more "
        f"than it executes ({SOURCE}): here, {unstaged:.2f} unstaged and {staged:.2f} staged, "
        f"{finding}."
    )
