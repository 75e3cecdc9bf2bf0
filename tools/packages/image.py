"""An OCI image: a minimal Debian with Python, and the Debian package of stallscope, as one layer.

mmdebstrap makes the root without a container engine. The archive is an OCI image
layout, which podman, docker (25 and later) and skopeo load.
"""

import hashlib
import json
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from tools.packages.archives import gzipped, tar_of
from tools.packages.image_bill import build_image_bill
from tools.packages.source import PackageError, Source

SUITE = "bookworm"
_LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
_CONFIG = "application/vnd.oci.image.config.v1+json"
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
# What differs between two builds of one root, or serves the package manager only.
_REMOVED = (
    "var/lib/apt/lists/*", "var/cache/apt/*", "var/cache/ldconfig/aux-cache", "var/log/*",
    "usr/share/man/*", "etc/hostname", "etc/resolv.conf",
)  # fmt: skip


def build_image(source: Source, deb: Path) -> list[Path]:
    """Return the image and its list of parts in the release folder.

    Raises PackageError if mmdebstrap fails.
    """
    root = _root(source, deb)
    name = f"stallscope-{source.version}-amd64"
    target = source.release / f"{name}.oci.tar"
    target.write_bytes(image_of(root, source))
    return [target, build_image_bill(source, root, source.release / f"{name}.oci.cdx.json")]


def _root(source: Source, deb: Path) -> bytes:
    """Return the tar archive of the root file system."""
    removed = " ".join(f'"$1"/{pattern}' for pattern in _REMOVED)
    command = [
        "mmdebstrap", "--quiet", "--mode=auto", "--variant=minbase", "--format=tar",
        "--include=python3-minimal,libpython3-stdlib,libstdc++6",
        "--dpkgopt=path-exclude=/usr/share/doc/*",
        "--dpkgopt=path-include=/usr/share/doc/*/copyright",
        "--dpkgopt=path-exclude=/usr/share/locale/*",
        f"--customize-hook=dpkg --root=\"$1\" --force-depends --install '{deb}' >/dev/null",
        f"--customize-hook=rm -rf {removed}",
        SUITE, "-",
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, check=False, env=source.environment)
    except OSError as error:
        raise PackageError(f"mmdebstrap cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").splitlines()[-10:]
        raise PackageError("\n".join(["mmdebstrap failed:", *last]))
    return done.stdout


def image_of(layer_tar: bytes, source: Source) -> bytes:
    """Return the tar archive of an OCI image layout with one layer."""
    layer = gzipped(layer_tar)
    date = datetime.fromtimestamp(source.epoch_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    config = _json(
        {
            "created": date,
            "architecture": "amd64",
            "os": "linux",
            "config": {
                "Entrypoint": ["/usr/bin/stallscope"],
                "Cmd": ["doctor"],
                "WorkingDir": "/work",
                "Env": ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/work"],
                "Labels": {
                    "org.opencontainers.image.title": "stallscope",
                    "org.opencontainers.image.version": source.version,
                },
            },
            "rootfs": {
                "type": "layers",
                "diff_ids": ["sha256:" + hashlib.sha256(layer_tar).hexdigest()],
            },
            "history": [{"created": date, "created_by": "./dev build image"}],
        }
    )
    manifest = _json(
        {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": _descriptor(_CONFIG, config),
            "layers": [_descriptor(_LAYER, layer)],
        }
    )
    name = {"org.opencontainers.image.ref.name": f"stallscope:{source.version}"}
    index = _json(
        {
            "schemaVersion": 2,
            "manifests": [_descriptor(_MANIFEST, manifest) | {"annotations": name}],
        }
    )
    members = [
        ("index.json", index, 0o644),
        ("oci-layout", _json({"imageLayoutVersion": "1.0.0"}), 0o644),
    ]
    members += [("blobs/", b"", 0o755), ("blobs/sha256/", b"", 0o755)]
    members += [
        (f"blobs/sha256/{hashlib.sha256(blob).hexdigest()}", blob, 0o644)
        for blob in (config, manifest, layer)
    ]
    return tar_of(members, source.epoch_s)


def _descriptor(media_type: str, content: bytes) -> dict[str, object]:
    digest = "sha256:" + hashlib.sha256(content).hexdigest()
    return {"mediaType": media_type, "digest": digest, "size": len(content)}


def _json(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, indent=1, sort_keys=True).encode()
