"""An sshd with its own keys and configuration, for hosts of a fleet: loopback, or a namespace."""

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
NAMESPACE_PORT = 2222  # the same in all namespaces


def has_sshd() -> bool:
    return Path(SSHD).exists() and shutil.which("ssh") is not None and os.geteuid() == 0


@contextmanager
def loopback_ssh(
    folder: Path,
    environment: dict[str, str] | None = None,
    *,
    address: str = "127.0.0.1",
    namespace: str = "",
) -> Iterator[int]:
    """Yield the port of an sshd; ``folder/config`` is the configuration of ssh.

    ``namespace``: of the network in which it listens at ``address``; empty: this one.
    """
    for name in ("host", "user"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(words, check=True)
    shutil.copy(folder / "user.pub", folder / "authorized")
    Path("/run/sshd").mkdir(exist_ok=True)
    port = NAMESPACE_PORT if namespace else _unused_port()
    settings = [
        f"Port {port}",
        f"ListenAddress {address}",
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
    inside = ["ip", "netns", "exec", namespace] if namespace else []
    server = subprocess.Popen(
        [*inside, SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(address, port)
        yield port
    finally:
        server.terminate()
        server.wait(_LIMIT_S)


@contextmanager
def network_namespace(name: str, network: str) -> Iterator[str]:
    """Yield the address in a new network namespace; ``network``: first three numbers.

    Raises CalledProcessError if the kernel refuses it.
    """
    outside, inside = f"{name}o", f"{name}i"
    _ip("netns", "add", name)
    try:
        _ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", name)
        _ip("address", "add", f"{network}.1/30", "dev", outside)
        _ip("link", "set", outside, "up")
        _ip("-n", name, "address", "add", f"{network}.2/30", "dev", inside)
        _ip("-n", name, "link", "set", inside, "up")
        yield f"{network}.2"
    finally:
        subprocess.run(["ip", "link", "delete", outside], capture_output=True, check=False)
        _ip("netns", "delete", name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], capture_output=True, check=True)


def _unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(address: str, port: int) -> None:
    end_s = time.monotonic() + _LIMIT_S
    while True:
        try:
            socket.create_connection((address, port), 1).close()
        except OSError:
            if time.monotonic() > end_s:
                raise
            time.sleep(0.02)
        else:
            return
