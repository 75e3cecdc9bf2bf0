"""The list of parts (SBOM) as CycloneDX JSON: Python packages, linked libraries, data of others."""

import json
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import License
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement

from tools.packages.archives import digest
from tools.packages.licences import declared_licence
from tools.packages.source import Source

# Linked into the programs or the Python module; NOTICE has their owners. Debian's package, licence.
LINKED = {
    "libpfm4": "MIT",
    "liburing-dev": "MIT",
    "nlohmann-json3-dev": "MIT",
    "rapidjson-dev": "MIT",
    "libcli11-dev": "BSD-3-Clause",
    "libzstd-dev": "BSD-3-Clause",
    "zlib1g-dev": "Zlib",
    "libsqlite3-dev": "blessing",
    "libssl-dev": "Apache-2.0",
    "libiberty-dev": "LGPL-2.0-or-later",
    "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libc6": "LGPL-2.1-or-later",
}
# Compiled into the Python module.
_BUILT_IN = {"nanobind": "BSD-3-Clause"}
_DATA = {
    "intel/perfmon": "BSD-3-Clause",
    "Arm telemetry-solution": "Apache-2.0",
    "Linux tools/perf/pmu-events": "GPL-2.0-only",
    "intel/pepc": "BSD-3-Clause",
}


def build_bill(source: Source, packages: list[Path]) -> Path:
    """Return the list of parts in the release folder, with the hashes of the packages."""
    licences = LicenseFactory()
    bom = Bom()
    root = Component(
        name="stallscope",
        version=source.version,
        type=ComponentType.APPLICATION,
        bom_ref="stallscope",
        licenses=[licences.make_with_expression(_own_licence(source))],
        properties=[
            Property(name=f"sha256:{path.name}", value=digest(path)) for path in sorted(packages)
        ],
    )
    bom.metadata.component = root
    bom.metadata.timestamp = datetime.fromtimestamp(source.epoch_s, UTC)
    parts = [*_python_parts(source, licences), *_linked_parts(licences), *_data_parts(licences)]
    bom.components.update(parts)
    bom.register_dependency(root, parts)
    content = json.dumps([digest(path) for path in sorted(packages)])
    bom.serial_number = uuid5(NAMESPACE_URL, f"stallscope/{source.version}/{content}")
    target = source.release / f"stallscope-{source.version}.cdx.json"
    source.release.mkdir(parents=True, exist_ok=True)
    JsonV1Dot6(bom).output_to_file(str(target), allow_overwrite=True, indent=2)
    return target


def _own_licence(source: Source) -> str:
    text = (source.root / "pyproject.toml").read_text()
    match = re.search(r'^license = "(.+)"$', text, re.MULTILINE)
    return match[1] if match else "Apache-2.0"


def _python_parts(source: Source, licences: LicenseFactory) -> Iterator[Component]:
    """Yield the pinned packages that an installation can contain, without the build tools."""
    for line in (source.root / "requirements.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        requirement = Requirement(line)
        version = next(iter(requirement.specifier)).version
        if requirement.name in {"scikit_build_core", "pathspec", "uv", "nanobind"}:
            continue
        yield Component(
            name=requirement.name,
            version=version,
            type=ComponentType.LIBRARY,
            bom_ref=f"pypi:{requirement.name}",
            purl=PackageURL("pypi", None, requirement.name.lower().replace("_", "-"), version),
            licenses=_declared(requirement.name, licences),
        )


def _declared(name: str, licences: LicenseFactory) -> list[License]:
    try:
        licence = declared_licence(metadata(name))
    except PackageNotFoundError:
        return []
    return [licences.make_from_string(licence)] if licence else []


def _linked_parts(licences: LicenseFactory) -> Iterator[Component]:
    for name, licence in LINKED.items():
        version = _debian_version(name)
        yield Component(
            name=name,
            version=version,
            type=ComponentType.LIBRARY,
            bom_ref=f"deb:{name}",
            purl=PackageURL("deb", "debian", name, version),
            licenses=[licences.make_from_string(licence)],
        )
    for name, licence in _BUILT_IN.items():
        yield Component(
            name=name,
            version=metadata(name)["Version"],
            type=ComponentType.LIBRARY,
            bom_ref=f"built-in:{name}",
            licenses=[licences.make_from_string(licence)],
        )


def _data_parts(licences: LicenseFactory) -> Iterator[Component]:
    for name, licence in _DATA.items():
        yield Component(
            name=name,
            type=ComponentType.DATA,
            bom_ref=f"data:{name}",
            licenses=[licences.make_from_string(licence)],
        )


def _debian_version(name: str) -> str | None:
    done = subprocess.run(
        ["dpkg-query", "-W", "-f=${Version}", name], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or None
