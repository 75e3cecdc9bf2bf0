"""pipx installs the built wheel in a bare Debian 12 without compilers, and the installed command works."""

import os
import shutil
from pathlib import Path

import pytest

from stallscope import __version__
from tools.packages.bare_roots import BareRoot
from tools.packages.installation import bare_root, install
from tools.packages.source import PackageError


@pytest.fixture(scope="module")
def root(checkout: Path) -> BareRoot:
    if os.geteuid() != 0:
        pytest.skip("needs root: chroot")
    for name in ("mmdebstrap", "unshare"):
        if shutil.which(name) is None:
            pytest.skip(f"needs the program {name}: it is not installed")
    try:
        return bare_root(checkout / "build" / "bare-roots", "bookworm")
    except PackageError as error:
        if "not bare" in str(error):
            raise
        pytest.skip("needs the program pipx of Debian 12: it could not be fetched")


@pytest.mark.timeout(900)  # the package index can be slow
def test_pipx_installs_the_built_wheel_and_it_records(root: BareRoot, checkout: Path) -> None:
    (wheel,) = (checkout / "dist").glob("stallscope-*.whl")
    if "-cp311-" not in wheel.name:
        pytest.skip("needs the program python3.11: the wheel was built for another version")
    installation = install(root, wheel, timeout_s=800)
    assert installation.python.startswith("3.11.")
    assert installation.version == __version__
    assert {"stallscope", "numpy", "pandas", "scipy"} <= set(installation.pip_names)
    assert installation.doctor_checks > 10
    assert installation.samples is not None
    assert installation.samples > 0


def test_a_root_with_a_compiler_is_not_bare(tmp_path: Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/python3").touch()
    assert BareRoot(tmp_path, "amd64").compilers() == []
    (tmp_path / "usr/bin/gcc").symlink_to("gcc-12")
    assert BareRoot(tmp_path, "amd64").compilers() == ["usr/bin/gcc"]
