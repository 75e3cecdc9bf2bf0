"""An sshd on 127.0.0.1 with its own keys and configuration, for hosts of a fleet."""

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SSHD = "/usr/sbin/sshd"
_LIMIT_S = 20.0


def has_sshd() -> bool:
    return Path(SSHD).exists() and shutil.which("ssh") is not None and os.geteuid() == 0


@contextmanager
def loopback_ssh(folder: Path, environment: dict[str, str] | None = None) -> Iterator[int]:
    """Yield the port of an sshd; ``folder/config`` is the configuration of ssh."""
    for name in ("host", "user"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(words, check=True)
    shutil.copy(folder / "user.pub", folder / "authorized")
    Path("/run/sshd").mkdir(exist_ok=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = [
        f"Port {port}",
        "ListenAddress 127.0.0.1",
        f"HostKey {folder / 'host'}",
        f"AuthorizedKeysFile {folder / 'authorized'}",
        f"PidFile {folder / 'pid'}",
        "StrictModes no",
        "UsePAM no",
        "PasswordAuthentication no",
        "PermitRootLogin prohibit-password",
        *(f"SetEnv {key}={value}" for key, value in (environment or {}).items()),
    ]
    (folder / "sshd_config").write_text("\n".join(settings) + "\n")
    user = pwd.getpwuid(os.geteuid()).pw_name
    (folder / "config").write_text(
        f"Host *\n  User {user}\n  IdentityFile {folder / 'user'}\n  IdentitiesOnly yes\n"
        f"  StrictHostKeyChecking no\n  UserKnownHostsFile {folder / 'known'}\n  LogLevel ERROR\n"
    )
    server = subprocess.Popen(
        [SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(port)
        yield port
    finally:
        server.terminate()
        server.wait(_LIMIT_S)


def _wait_for(port: int) -> None:
    end_s = time.monotonic() + _LIMIT_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.monotonic() > end_s:
                raise
            time.sleep(0.02)
        else:
            return
