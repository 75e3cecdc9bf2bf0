"""The errors of stallscope and the one table of exit codes."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the command line returns to its caller."""

    DONE = 0
    FINDING = 1  # a finding or regression, where asked to gate
    USAGE = 2  # the command line, or a path it names, is not as it must be
    UNABLE = 3  # this machine, or this user on it, cannot
    TARGET_FAILED = 4  # the process or command to be observed failed or is not there
    UNREADABLE = 5  # the recording is empty, lossy beyond the limit or unreadable
    INTERRUPTED = 130  # interrupted twice: the analysis was given up


class StallscopeError(Exception):
    """A failure with its remedy: what failed and where, and what to do about it."""

    exit_code = ExitCode.UNABLE

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class UsageError(StallscopeError):
    """The command line, or a path it names, is not as it must be."""

    exit_code = ExitCode.USAGE


class UnableError(StallscopeError):
    """What was asked cannot be done on this machine, or by this user on it."""

    exit_code = ExitCode.UNABLE


class TargetError(StallscopeError):
    """The process or command to be observed failed or is not there."""

    exit_code = ExitCode.TARGET_FAILED


class RecordingError(StallscopeError):
    """A recording is empty, lossy beyond the limit or unreadable."""

    exit_code = ExitCode.UNREADABLE
