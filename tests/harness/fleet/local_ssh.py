"""A program in place of ssh that runs the command on this machine, or fails in a chosen way."""

from pathlib import Path

SCRIPT = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
destination=$2
shift 2
case $destination in
  refused) echo "ssh: connect to host refused port 22: Connection refused" >&2; exit 255 ;;
  slow) exec sleep 30 ;;
  old) case $* in *mktemp*) cat >/dev/null; echo /tmp/stallscope.xxxxxxxxxx; echo "stallscope-collect 0.0.1 (protocol 1)"; exit 0 ;; esac ;;
  evil) case $* in *"tar -cf"*) cd EVIL && exec tar -cf - run ;; esac ;;
esac
exec sh -c "$*"
"""


def local_ssh(folder: Path) -> tuple[str, ...]:
    """Return the command; ``evil`` sends the tar file of ``folder``/evil."""
    program = folder / "ssh"
    program.write_text(SCRIPT.replace("EVIL", str(folder / "evil")))
    program.chmod(0o755)
    return (str(program),)
