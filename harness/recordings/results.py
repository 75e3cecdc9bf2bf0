"""Results that a recording keeps and a command prints."""

from collections.abc import Mapping
from typing import Literal

from cstates.fingerprint import Fingerprint
from stallscope.documents import UNSET, Document, UnsetType, schema_name


class RecordedResult(Document, frozen=True, kw_only=True):
    """A result with its source; a recording keeps it in a file named after the verb.

    ``settings``, ``recording`` and ``report`` are set only in what ``--json`` prints: the machine's
    settings during the measurement, and the paths of the recording and its page.
    """

    source: Literal["measured", "modelled"]
    complete: bool
    warnings: tuple[str, ...] = ()
    settings: Fingerprint | UnsetType | None = UNSET
    recording: str | UnsetType = UNSET
    report: str | UnsetType | None = UNSET

    @property
    def source_text(self) -> str:
        """Return the source, and whether the measurement was interrupted."""
        return self.source if self.complete else f"{self.source}, interrupted"

    @property
    def title(self) -> str:
        """Return the subject of the measurement, for a page; by default the document's name."""
        return schema_name(self).partition("/")[0]


def facts_text(facts: Mapping[str, str]) -> str:
    """Return facts by label in one line; an empty text if there are none."""
    return "; ".join(f"{label}: {text}" for label, text in facts.items())
