"""What a limited process returns about a file: a line of JSON, followed by the content."""

import json
import os
from typing import Self

from msgspec import Struct, field

from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.file_identity import FileIdentity


class FileResult(Struct, frozen=True):
    """A warning or the content, and the identities of the files if the content may be cached."""

    warning: ProfileWarning | None = None
    identities: tuple[FileIdentity, ...] | None = None
    content: memoryview = field(default_factory=lambda: memoryview(b""))

    def header(self) -> bytes:
        """Return the line that precedes the content."""
        document = {
            "warning": None if self.warning is None else [self.warning.code, self.warning.message],
            "identities": None
            if self.identities is None
            else [
                [
                    os.fsdecode(identity.path),
                    identity.device,
                    identity.inode,
                    identity.size_bytes,
                    identity.modified_ns,
                    identity.changed_ns,
                ]
                for identity in self.identities
            ],
        }
        return json.dumps(document).encode() + b"\n"

    @classmethod
    def decode(cls, output: bytes) -> Self:
        """Return the result that was written."""
        end = output.find(b"\n")
        document = json.loads(output[:end])
        warning, identities = document["warning"], document["identities"]
        return cls(
            None if warning is None else ProfileWarning(*warning),
            None
            if identities is None
            else tuple(FileIdentity(os.fsencode(path), *numbers) for path, *numbers in identities),
            memoryview(output)[end + 1 :],
        )
