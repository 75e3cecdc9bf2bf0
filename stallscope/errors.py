"""The errors of stallscope and the table of exit codes."""

import errno
from enum import IntEnum

# Errors of a file system that is full or fails, as opposed to a wrong path.
FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO))


class ExitCode(IntEnum):
    """The exit status of the command line."""

    DONE = 0
    FINDING = 1  # a finding or regression, if the command is a gate
    USAGE = 2  # the command line, or a path in it, is wrong
    UNABLE = 3  # this machine or this user cannot do it
    TARGET_FAILED = 4  # the observed process or command failed or does not exist
    UNREADABLE = 5  # the recording is empty, unreadable or over half lost
    UNWRITABLE = 6  # the output cannot be written: the disk is full or fails
    INTERRUPTED = 130  # interrupted twice; the analysis was aborted


class StallscopeError(Exception):
    """A failure: what failed and where, and the remedy."""

    exit_code = ExitCode.UNABLE

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class UsageError(StallscopeError):
    """The command line, or a path in it, is wrong."""

    exit_code = ExitCode.USAGE


class UnableError(StallscopeError):
    """The machine or the user cannot do what was requested."""

    exit_code = ExitCode.UNABLE


class TargetError(StallscopeError):
    """The observed process or command failed or does not exist."""

    exit_code = ExitCode.TARGET_FAILED


class RecordingError(StallscopeError):
    """A recording is empty, unreadable or over half lost."""

    exit_code = ExitCode.UNREADABLE


class OutputError(StallscopeError):
    """The output cannot be written: its file system is full or fails."""

    exit_code = ExitCode.UNWRITABLE
