"""Typed documents: the JSON that commands print, recordings store and native programs write.

A document is a frozen msgspec structure. Its class is the only place that names its fields:
``encode`` writes it, ``decode`` reads it back and reports the path of a wrong field, and
``json_schema`` describes it for other programs.

    class Probe(Document, frozen=True, kw_only=True, tag="stallscope.io.probe/1"):
        path: str
        reads: Count
        p99_ns: Amount | None  # None: no read completed

Every number has a bound, which ``decode`` checks, so that arithmetic in renderers cannot overflow:
``Amount`` is not negative, ``Number`` may be.

Unknown fields are ignored, so that a newer minor version stays readable. A value that could not be
measured is None, which JSON writes as null; NaN and infinity are written as null too.
"""

import errno
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

import msgspec
from msgspec import UNSET, UnsetType, field

from stallscope.errors import RecordingError

__all__ = [
    "LARGEST",
    "UNSET",
    "Amount",
    "Count",
    "Document",
    "Integer",
    "Natural",
    "Number",
    "Record",
    "Share",
    "UnsetType",
    "decode",
    "encode",
    "field",
    "json_schema",
    "read_bounded",
    "read_document",
    "schema_name",
]

# A recording's JSON is a few kilobytes; a command line with every argument at its limit is 2 MiB.
LARGEST_BYTES = 16 * 2**20
DAMAGED = "the file was damaged or not written by stallscope; record again"
_UNREADABLE = "check its name, and that it is a regular file that this user may read"

Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]  # what a 64-bit counter or clock may hold
Natural = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
Integer = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
# No measurement reaches this, and its square and product with a count are finite.
LARGEST = 1e18
Amount = Annotated[float, msgspec.Meta(ge=0, le=LARGEST)]
Number = Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)]

T = TypeVar("T")


class Record(msgspec.Struct, frozen=True):
    """A part of a document."""


class Document(msgspec.Struct, frozen=True, tag_field="schema"):
    """A whole document; the ``tag`` of a subclass is its schema name with the major version.

    ``FORMER_KEYS`` of a subclass: current keys by those that earlier versions wrote, at any depth.
    """

    FORMER_KEYS: ClassVar[Mapping[str, str]] = {}


def schema_name(document: type[Document] | Document) -> str:
    """Return the schema name of a document, such as "stallscope.io.curve/1"."""
    return str(document.__struct_config__.tag)


def encode(document: object, *, indent: int = 0) -> str:
    """Return a document as JSON text, on one line without an indent."""
    try:
        encoded = msgspec.json.encode(document, enc_hook=_plain)
    except UnicodeEncodeError:  # a name of the system that is not UTF-8
        encoded = msgspec.json.encode(_escaped(msgspec.to_builtins(document, enc_hook=_plain)))
    return (msgspec.json.format(encoded, indent=indent) if indent else encoded).decode()


def _plain(value: object) -> object:
    """Return a numpy number as a Python number; TypeError for other types."""
    if type(value).__module__ == "numpy" and (item := getattr(value, "item", None)):
        return item()
    raise TypeError(f"{type(value)} has no form in JSON")


def _escaped(value: object) -> object:
    """Return builtins in which each byte that is not UTF-8 is a hexadecimal escape."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {_escaped(key): _escaped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(item) for item in value]
    return value


def decode(text: str | bytes, kind: type[T], source: str, *, remedy: str = DAMAGED) -> T:
    """Return the document in a JSON text; ``source`` names the text in errors.

    Raises RecordingError with the path of the first wrong field, such as ``$.points[...].depth``.
    """
    former = getattr(kind, "FORMER_KEYS", None)
    if former:
        text = _with_current_keys(text, former)
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        raise RecordingError(f"{source}: {error}", remedy) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        replaced = _without_surrogates(text)
        if replaced != text:
            return decode(replaced, kind, source, remedy=remedy)
        raise RecordingError(f"{source} is not JSON: {error}", remedy) from error


def _with_current_keys(text: str | bytes, former: Mapping[str, str]) -> bytes:
    """Return JSON whose former keys are the current ones; text in strings is not changed.

    In a string every quotation mark has a backslash before it, so that ``"key":`` cannot occur.
    """
    content = text.encode() if isinstance(text, str) else text
    for old, new in former.items():
        content = content.replace(f'"{old}":'.encode(), f'"{new}":'.encode())
    return content


def _without_surrogates(text: str | bytes) -> str | bytes:
    """Return JSON with lone surrogates replaced, which earlier versions wrote for invalid UTF-8."""
    try:
        replaced = json.dumps(json.loads(text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
    return replaced.encode("utf-8", "replace")


def read_document(path: Path, kind: type[T]) -> T:
    """Return the document in a file.

    Raises RecordingError if the file is missing, not regular, too large, or not such a document.
    """
    return decode(read_bounded(path), kind, str(path))


def read_bounded(path: Path, largest_bytes: int = LARGEST_BYTES) -> bytes:
    """Return the content of a regular file; RecordingError if it is larger than the limit.

    A pipe, which might never answer, is refused and not waited for.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            _check_regular(file.fileno())
            content = file.read(largest_bytes + 1)
    except OSError as error:
        raise RecordingError(f"cannot read {path}: {error.strerror}", _UNREADABLE) from error
    if len(content) > largest_bytes:
        raise RecordingError(f"{path} is larger than {largest_bytes} bytes", DAMAGED)
    return content


def _check_regular(descriptor: int) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "not a regular file")


def json_schema(kind: type[Document | Record]) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a document."""
    schema = msgspec.json.schema(kind)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
