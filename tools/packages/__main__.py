"""Makes packages in dist/release: ``python -m tools.packages KIND...``; ./dev build calls it.

Kinds: wheel, wheel-arm64, sdist, collector, deb, image, bill, all. With --check it compares two
builds.
"""

import argparse
import platform
import sys
from collections.abc import Callable
from pathlib import Path

from tools.packages.archives import digest
from tools.packages.bill import build_bill
from tools.packages.collectors import build_collector_debs, build_collectors
from tools.packages.debs import build_full_deb
from tools.packages.elf_needs import needs_text
from tools.packages.image import build_image
from tools.packages.sdists import build_sdist
from tools.packages.source import PackageError, Source, read_source, run
from tools.packages.wheels import build_arm64_wheels, build_wheels


def wheel(source: Source) -> list[Path]:
    """Return the wheels, and print which systems have what they need."""
    return _with_systems(build_wheels(source))


def wheel_arm64(source: Source) -> list[Path]:
    """Return the wheels for arm64, and print which systems have what they need."""
    return _with_systems(build_arm64_wheels(source))


def _with_systems(wheels: list[Path]) -> list[Path]:
    for path in wheels:
        for line in needs_text(path):
            say(line)
    return wheels


def sdist(source: Source) -> list[Path]:
    """Return the source distribution."""
    return [build_sdist(source)]


def collector(source: Source) -> list[Path]:
    """Return the static collectors and their Debian packages."""
    return [*build_collectors(source), *build_collector_debs(source)]


def deb(source: Source) -> list[Path]:
    """Return the Debian packages."""
    return [*build_collector_debs(source), build_full_deb(source, _wheel_of_this_python(source))]


def image(source: Source) -> list[Path]:
    """Return the OCI image and its list of parts."""
    package = source.release / f"stallscope_{source.version}_amd64.deb"
    if not package.exists():
        package = build_full_deb(source, _wheel_of_this_python(source))
    return build_image(source, package)


def bill(source: Source) -> list[Path]:
    """Return the list of parts, with the hashes of the packages that exist."""
    return [build_bill(source, packages_of(source))]


KINDS: dict[str, Callable[[Source], list[Path]]] = {
    "wheel": wheel,
    "wheel-arm64": wheel_arm64,
    "sdist": sdist,
    "collector": collector,
    "deb": deb,
    "image": image,
    "bill": bill,
}


_BUILD_FOLDERS = ("python", "python-abi3", "python-arm64", "python-abi3-arm64")


def packages_of(source: Source) -> list[Path]:
    """Return the packages in the release folder."""
    return sorted(path for path in source.release.glob("*") if path.suffix != ".json")


def _wheel_of_this_python(source: Source) -> Path:
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    wheels = [
        path
        for kind in (f"{tag}-{tag}", "*-abi3")
        for path in source.release.glob(f"*-{kind}-*_{platform.machine()}.whl")
    ]
    return wheels[0] if wheels else wheel(source)[0]


def main() -> int:
    """Make the packages; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="./dev build", description="Make packages in dist/release."
    )
    parser.add_argument("kinds", nargs="+", choices=(*KINDS, "all"), help="packages to make")
    parser.add_argument(
        "--check", action="store_true", help="make them twice and compare the bytes"
    )
    arguments = parser.parse_args()
    kinds = list(KINDS) if "all" in arguments.kinds else arguments.kinds
    try:
        source = read_source()
        first = make(source, kinds)
        if arguments.check and not is_equal(source, kinds, first):
            return 1
    except PackageError as error:
        say(f"error: {error}")
        return 3
    return 0


def make(source: Source, kinds: list[str]) -> dict[str, str]:
    """Return the SHA-256 of the packages made, by name."""
    made = {path.name: digest(path) for kind in kinds for path in KINDS[kind](source)}
    for name, value in made.items():
        sys.stdout.write(f"{value}  dist/release/{name}\n")
    return made


def is_equal(source: Source, kinds: list[str], first: dict[str, str]) -> bool:
    """Make the packages again and print the names of those that differ."""
    for name in first:
        (source.release / name).unlink()
    if {"wheel", "wheel-arm64"} & set(kinds):
        for folder in _BUILD_FOLDERS:
            if (source.root / "build" / folder / "build.ninja").exists():
                run(["cmake", "--build", f"build/{folder}", "--target", "clean"], source.root)
    second = make(source, kinds)
    different = [name for name in first if second.get(name) != first[name]]
    for name in different:
        say(f"error: the bytes of {name} differ between two builds")
    if not different:
        say(f"two builds of {len(first)} packages have the same bytes")
    return not different


def say(text: str) -> None:
    """Print a line for people."""
    sys.stderr.write(f"packages: {text}\n")


if __name__ == "__main__":
    sys.exit(main())
