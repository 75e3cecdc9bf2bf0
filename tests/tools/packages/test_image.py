"""The layout of the OCI image."""

import gzip
import hashlib
import io
import json
import tarfile
from pathlib import Path

from tools.packages.archives import tar_of
from tools.packages.image import image_of
from tools.packages.source import Source

SOURCE = Source(Path("/nowhere"), "1.2.3", 1_700_000_000)
LAYER = tar_of([("usr/bin/stallscope", b"x", 0o755)], SOURCE.epoch_s)


def blobs(content: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        files = [member for member in archive if member.isfile()]
        return {file.name: archive.extractfile(file).read() for file in files}  # type: ignore[union-attr]


def test_every_descriptor_names_an_existing_blob_with_its_size_and_hash() -> None:
    files = blobs(image_of(LAYER, SOURCE))
    assert json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}

    def read(descriptor: dict[str, object]) -> bytes:
        kind, _, value = str(descriptor["digest"]).partition(":")
        content = files[f"blobs/{kind}/{value}"]
        assert len(content) == descriptor["size"]
        assert hashlib.sha256(content).hexdigest() == value
        return content

    (entry,) = json.loads(files["index.json"])["manifests"]
    assert entry["annotations"]["org.opencontainers.image.ref.name"] == "stallscope:1.2.3"
    manifest = json.loads(read(entry))
    config = json.loads(read(manifest["config"]))
    (layer,) = manifest["layers"]
    assert gzip.decompress(read(layer)) == LAYER
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(LAYER).hexdigest()]
    assert config["config"]["Entrypoint"] == ["/usr/bin/stallscope"]
    assert config["created"] == "2023-11-14T22:13:20Z"


def test_the_same_root_gives_the_same_bytes() -> None:
    assert image_of(LAYER, SOURCE) == image_of(LAYER, SOURCE)
