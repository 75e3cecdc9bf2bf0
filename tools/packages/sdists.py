"""The source distribution: what git tracks, as scikit-build-core packs it, with normal bytes."""

import gzip
import io
import shutil
import sys
import tarfile
from pathlib import Path

from tools.packages.archives import gzipped
from tools.packages.source import Source, run

_BUILD = (
    "from scikit_build_core.build import build_sdist; import sys; print(build_sdist(sys.argv[1]))"
)


def build_sdist(source: Source) -> Path:
    """Return the source distribution in the release folder."""
    folder = source.root / "build" / "sdist"
    shutil.rmtree(folder, ignore_errors=True)
    output = run([sys.executable, "-c", _BUILD, folder], source.root, source.environment)
    built = folder / output.split()[-1]
    source.release.mkdir(parents=True, exist_ok=True)
    target = source.release / built.name
    target.write_bytes(gzipped(normal_tar(gzip.decompress(built.read_bytes()), source.epoch_s)))
    return target


def normal_tar(content: bytes, epoch_s: int) -> bytes:
    """Return a tar archive with its members in order, owned by root, with one date."""
    buffer = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(content)) as old,
        tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid = epoch_s, 0, 0
            member.uname = member.gname = ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isreg() else None)
    return buffer.getvalue()
