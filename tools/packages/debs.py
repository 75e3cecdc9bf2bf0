"""Debian packages, packed by dpkg-deb: owner root, one date, files in order."""

import os
import shutil
import sys
import textwrap
from dataclasses import dataclass, field
from importlib.metadata import PathDistribution
from pathlib import Path

from tools.packages.licences import declared_licence
from tools.packages.source import Source, run

MAINTAINER = "The stallscope authors <maintainers@stallscope.invalid>"
_LAUNCHER = """#!/usr/bin/python3 -Es
import sys
sys.path.insert(0, "/usr/lib/stallscope")
from stallscope.__main__ import run
sys.exit(run())
"""


@dataclass(frozen=True, slots=True)
class Deb:
    """A package: its control fields, and its files by path."""

    name: str
    architecture: str  # Debian's name
    summary: str
    description: str
    files: dict[str, Path] = field(default_factory=dict)  # a folder is copied whole
    texts: dict[str, str] = field(default_factory=dict)  # executable scripts
    depends: str = ""
    licences: str = ""  # after the text of NOTICE


def build_deb(source: Source, deb: Deb) -> Path:
    """Return the package in the release folder."""
    root = source.root / "build" / "debs" / f"{deb.name}_{deb.architecture}"
    shutil.rmtree(root, ignore_errors=True)
    for name, path in deb.files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, target, symlinks=True)
        else:
            shutil.copy(path, target)
    for name, text in deb.texts.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(0o755)
    documents = root / "usr" / "share" / "doc" / deb.name
    documents.mkdir(parents=True)
    documents.joinpath("copyright").write_text(_copyright(source, deb.licences))
    for licence in sorted((source.root / "LICENSES").glob("*.txt")):
        shutil.copy(licence, documents)
    size_kib = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024
    root.joinpath("DEBIAN").mkdir()
    root.joinpath("DEBIAN", "control").write_text(_control(source, deb, size_kib))
    _normal_modes(root)
    source.release.mkdir(parents=True, exist_ok=True)
    target = source.release / f"{deb.name}_{source.version}_{deb.architecture}.deb"
    run(
        ["dpkg-deb", "--root-owner-group", "-Zzstd", "--build", root, target],
        environment=source.environment,
    )
    return target


def _normal_modes(root: Path) -> None:
    """Give folders and programs 755 and other files 644, whatever the umask is."""
    root.chmod(0o755)
    for path in root.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def _control(source: Source, deb: Deb, size_kib: int) -> str:
    fields = {
        "Package": deb.name,
        "Version": source.version,
        "Architecture": deb.architecture,
        "Maintainer": MAINTAINER,
        "Installed-Size": str(size_kib),
        "Depends": deb.depends,
        "Section": "devel",
        "Priority": "optional",
        "Description": deb.summary + "\n" + textwrap.indent(deb.description, " "),
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items() if value)


def _copyright(source: Source, licences: str) -> str:
    return (source.root / "NOTICE").read_text() + licences


def build_full_deb(source: Source, wheel: Path) -> Path:
    """Return the package of all of stallscope and its Python packages, for this Python.

    Debian's own packages are older than what stallscope needs: pinned ones are inside.
    """
    site = source.root / "build" / "debs" / "site"
    shutil.rmtree(site, ignore_errors=True)
    runtime: list[str | Path] = [wheel, "-c", source.root / "requirements.txt"]
    run(
        [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check",
         "--no-compile", "--only-binary", ":all:", "--target", site, *runtime],
        environment=source.environment,
    )  # fmt: skip
    shutil.rmtree(site / "bin", ignore_errors=True)
    for record in site.glob("*.dist-info/RECORD"):
        record.unlink()  # dpkg keeps the list of files
    for origin in site.glob("*.dist-info/direct_url.json"):
        origin.unlink()  # it holds a path of the machine that made the package
    major, minor = sys.version_info[:2]
    return build_deb(
        source,
        Deb(
            name="stallscope",
            architecture="amd64",
            summary='one command line that answers "why is this slow?" on Linux',
            description="Where CPU and wall time go, what sleep states cost, disk waits.\n"
            "The Python packages that it needs are in /usr/lib/stallscope.",
            files={"usr/lib/stallscope": site},
            texts={"usr/bin/stallscope": _LAUNCHER},
            depends=f"python3 (>= {major}.{minor}), python3 (<< {major}.{minor + 1}), libstdc++6",
            licences=_bundled(site),
        ),
    )


def _bundled(site: Path) -> str:
    """Return a list of the bundled Python packages with their licences."""
    lines = ["\n\nPython packages in /usr/lib/stallscope, with their texts in NAME.dist-info", ""]
    for folder in sorted(site.glob("*.dist-info")):
        metadata = PathDistribution(folder).metadata
        licence = declared_licence(metadata) or "see its text"
        lines.append(f"{metadata['Name']} {metadata['Version']}: {licence}")
    return "\n".join(lines) + os.linesep
