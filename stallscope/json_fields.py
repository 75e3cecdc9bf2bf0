"""Typed reading of JSON documents that strangers may have written."""

import errno
import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from stallscope.errors import RecordingError

# A recording's JSON is a few kilobytes; a command line with every argument at its limit is 2 MiB.
LARGEST_BYTES = 16 * 2**20
LARGEST_COUNT = 2**63 - 1
REMEDY = "the file was damaged or not written by stallscope; record again"


@dataclass(frozen=True, slots=True)
class Fields:
    """One JSON object with the place it came from; every getter checks the type."""

    values: Mapping[str, object]
    where: str

    def _wrong(self, key: str, expected: str) -> RecordingError:
        found = type(self.values.get(key)).__name__ if key in self.values else "nothing"
        return RecordingError(f"{self.where}: {key} should be {expected}, found {found}", REMEDY)

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string; the default where the key is absent."""
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, "a string")
        return value

    def maybe_text(self, key: str) -> str | None:
        """Return a string, or None where the key is absent or null."""
        return None if self.values.get(key) is None else self.text(key)

    def integer(self, key: str, default: int | None = None) -> int:
        """Return a whole number; the default where the key is absent."""
        value = self.values.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(key, "a whole number")
        return value

    def count(self, key: str, default: int | None = None) -> int:
        """Return a whole number that a 64-bit counter or clock may have; the default if absent."""
        value = self.integer(key, default)
        if not 0 <= value <= LARGEST_COUNT:
            raise RecordingError(
                f"{self.where}: {key} should be between 0 and {LARGEST_COUNT}", REMEDY
            )
        return value

    def maybe_count(self, key: str) -> int | None:
        """Return a count, or None where the key is absent or null."""
        return None if self.values.get(key) is None else self.count(key)

    def nullable_count(self, key: str) -> int | None:
        """Return a count, or None where it is null; RecordingError where the key is absent."""
        return self.maybe_count(key) if key in self.values else self.count(key)

    def maybe_share(self, key: str) -> float | None:
        """Return a number from 0 to 1, or None where the key is absent or null."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
            raise self._wrong(key, "a number from 0 to 1")
        return float(value)

    def maybe_number(self, key: str) -> float | None:
        """Return a finite number, or None where the key is absent or null."""
        value = self.values.get(key)
        return None if value is None else self._number(key, value)

    def number(self, key: str) -> float:
        """Return a finite number; RecordingError where the key is absent or null."""
        return self._number(key, self.values.get(key))

    def numbers(self, key: str) -> tuple[float, ...]:
        """Return a list of finite numbers; empty where the key is absent."""
        return tuple(self._number(key, item) for item in self._list(key))

    def _number(self, key: str, value: object) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool):
            with suppress(OverflowError):  # a whole number beyond any float
                if isfinite(number := float(value)):
                    return number
        raise self._wrong(key, "finite numbers")

    def boolean(self, key: str, default: bool | None = None) -> bool:
        """Return true or false; the default where the key is absent."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def fields(self, key: str) -> "Fields":
        """Return the object under a key; an empty one where the key is absent or null."""
        value = self.values.get(key)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise self._wrong(key, "an object")
        return Fields(value, f"{self.where}: {key}")

    def _list(self, key: str) -> list[object]:
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self._wrong(key, "a list")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; empty where the key is absent."""
        value = self._list(key)
        if not all(isinstance(item, str) for item in value):
            raise self._wrong(key, "a list of strings")
        return tuple(str(item) for item in value)

    def integers(self, key: str) -> tuple[int, ...]:
        """Return a list of whole numbers; empty where the key is absent."""
        value = self._list(key)
        numbers = tuple(item for item in value if isinstance(item, int))
        if len(numbers) != len(value):
            raise self._wrong(key, "a list of whole numbers")
        return numbers

    def objects(self, key: str) -> "tuple[Fields, ...]":
        """Return a list of objects; empty where the key is absent."""
        value = self._list(key)
        objects = tuple(
            Fields(item, f"{self.where}: {key}[{place}]")
            for place, item in enumerate(value)
            if isinstance(item, dict)
        )
        if len(objects) != len(value):
            raise self._wrong(key, "a list of objects")
        return objects


def read_fields(path: Path) -> Fields:
    """Return the one JSON object in a file.

    Raises RecordingError where the file is missing, not regular, too large or no JSON object.
    """
    try:
        raw = _read(path)
    except OSError as error:
        raise RecordingError(f"cannot read {path}: {error.strerror}", REMEDY) from error
    if len(raw) > LARGEST_BYTES:
        raise RecordingError(f"{path} is larger than {LARGEST_BYTES} bytes", REMEDY)
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"{path} is not JSON: {error}", REMEDY) from error
    if not isinstance(document, dict):
        raise RecordingError(f"{path} holds no JSON object", REMEDY)
    return Fields(document, str(path))


def _read(path: Path) -> bytes:
    """Return a regular file's first bytes; a pipe, which may never answer, is not waited for."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        return file.read(LARGEST_BYTES + 1)
