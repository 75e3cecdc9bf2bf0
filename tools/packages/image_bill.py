"""The list of parts of the image: the packages of its root, as dpkg lists them."""

import io
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email.parser import Parser
from hashlib import sha256
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from tools.packages.source import PackageError, Source

_STATUS = "var/lib/dpkg/status"


def build_image_bill(source: Source, root: bytes, target: Path) -> Path:
    """Write the list of parts of a root's tar archive as CycloneDX; returns its path.

    Raises PackageError if the root has no list of packages.
    """
    bom = Bom()
    image = Component(
        name="stallscope image",
        version=source.version,
        type=ComponentType.CONTAINER,
        bom_ref="image",
    )
    bom.metadata.component = image
    bom.metadata.timestamp = datetime.fromtimestamp(source.epoch_s, UTC)
    parts = list(_packages(_status_of(root)))
    bom.components.update(parts)
    bom.register_dependency(image, parts)
    bom.serial_number = uuid5(NAMESPACE_URL, f"stallscope-image/{sha256(root).hexdigest()}")
    JsonV1Dot6(bom).output_to_file(str(target), allow_overwrite=True, indent=2)
    return target


def _status_of(root: bytes) -> str:
    with tarfile.open(fileobj=io.BytesIO(root)) as archive:
        for member in archive:
            if member.isreg() and member.name.removeprefix("./") == _STATUS:
                file = archive.extractfile(member)
                if file is not None:
                    return file.read().decode(errors="replace")
    raise PackageError(f"the root has no {_STATUS}")


def _packages(status: str) -> Iterator[Component]:
    for paragraph in status.split("\n\n"):
        fields = Parser().parsestr(paragraph)
        name, version = fields["Package"], fields["Version"]
        if not name or not version or "installed" not in (fields["Status"] or "").split():
            continue
        yield Component(
            name=name,
            version=version,
            type=ComponentType.LIBRARY,
            bom_ref=f"deb:{name}",
            purl=PackageURL("deb", "debian", name, version, {"arch": fields["Architecture"] or ""}),
        )
