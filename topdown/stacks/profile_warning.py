"""A warning about a profile's numbers; apart from the profile, which loads numpy."""

from msgspec import Struct

DOWNLOAD_WARNING = "debuginfod"  # code of warnings about debug files that were not downloaded


class ProfileWarning(Struct, frozen=True):
    """A warning about the numbers of a result, with a stable code."""

    code: str
    message: str
