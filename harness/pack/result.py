"""The results of `stallscope pack` and `stallscope unpack`."""

from stallscope.documents import Count, Document


class PackResult(Document, frozen=True, kw_only=True, tag="stallscope.pack/1"):
    """An archive; ``binaries`` with symbols were added, ``missing_binaries`` were not available."""

    recording: str
    archive: str
    redacted: bool
    files: Count
    bytes: Count
    binaries: Count = 0
    missing_binaries: Count = 0


class UnpackResult(Document, frozen=True, kw_only=True, tag="stallscope.unpack/1"):
    """An unpacked archive; ``recording`` is the path for `stallscope report`."""

    archive: str
    recording: str
    bytes: Count
