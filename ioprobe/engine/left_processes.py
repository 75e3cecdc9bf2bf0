"""Processes that a disk which does not answer keeps from ending: killed, and not waited for."""

import subprocess
import threading


def leave(process: subprocess.Popen[bytes]) -> None:
    """Close its output and kill it; it ends when the disk answers, whenever that is."""
    if process.stdout is not None:
        process.stdout.close()
    if process.poll() is None:
        process.kill()
        threading.Thread(target=process.wait, daemon=True).start()
