"""Processes that cannot end because a disk does not answer: killed, but not waited for."""

import subprocess
import threading


def abandon(process: subprocess.Popen[bytes]) -> None:
    """Close the output of a process and kill it; a thread reaps it when the disk answers."""
    if process.stdout is not None:
        process.stdout.close()
    if process.poll() is None:
        process.kill()
        threading.Thread(target=process.wait, daemon=True).start()
