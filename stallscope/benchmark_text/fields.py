"""Fields of benchmark results by key: ``.name``, ``.fullname``, ``/size``, ``.file``, ``goos``."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from stallscope.benchmark_text.names import base_name, name_without, part_value
from stallscope.benchmark_text.results import BenchmarkResults

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def is_name_key(key: str) -> bool:
    """Return whether the key is a part of the benchmark's name."""
    return key in (".name", ".fullname") or key.startswith("/")


def series_ids(results: BenchmarkResults, key: str) -> "npt.NDArray[np.int64]":
    """Return for each series the position of its text in ``field_texts`` of the same key."""
    if is_name_key(key):
        return results.columns["name"]
    return results.columns["file" if key == ".file" else "configuration"]


def field_texts(results: BenchmarkResults, key: str, excluded: Collection[str] = ()) -> list[str]:
    """Return the texts of a field for all names, files or configurations.

    ``excluded``: keys that are removed from ``.fullname``.
    """
    if key == ".fullname":
        if not excluded:
            return results.names
        return [name_without(name, excluded) for name in results.names]
    if key == ".name":
        return [base_name(name) for name in results.names]
    if key.startswith("/"):
        return [part_value(name, key) for name in results.names]
    if key == ".file":
        return list(results.labels)
    return [configuration.get(key, "") for configuration in results.configurations]
