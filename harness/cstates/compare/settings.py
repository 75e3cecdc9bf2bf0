"""Settings of ``--setting NAME=OPTIONS``, where the options are those of `stallscope pin`."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from cstates.comparison.candidates import (
    Candidate,
    CandidateSet,
    baseline_and_control,
    check_candidate,
    not_shown,
)
from harness.pin.options import pin_request, request_options
from stallscope.errors import UsageError
from stallscope.system_files import Roots

_EXAMPLE = "for example: --setting 'shallow=--states C1 --no-turbo'"


@click.command(add_help_option=False)
@request_options
def _pin_options(**values: Any) -> None:  # noqa: ANN401 - as click passes them
    del values


def named_settings(roots: Roots, texts: Sequence[str], cpus: str | None) -> CandidateSet:
    """Return the baseline, its control and the named settings, which this machine supports.

    Raises UsageError for an invalid setting, UnableError for one that this machine does not support
    or this user may not apply.
    """
    chosen = baseline_and_control(cpus)
    for text in texts:
        setting = _setting(text, cpus)
        if any(setting.name == candidate.name for candidate in chosen):
            raise UsageError(
                f"--setting {setting.name!r} occurs twice", "give each setting another name"
            )
        check_candidate(roots, setting)
        chosen.append(setting)
    return CandidateSet(tuple(chosen), (), not_shown(roots, cpus))


def _setting(text: str, cpus: str | None) -> Candidate:
    name, equals, options = text.partition("=")
    name = name.strip()
    if not (name and equals):
        raise UsageError(f"--setting {text!r} is not NAME=OPTIONS", _EXAMPLE)
    try:
        arguments = shlex.split(options)
        values = _pin_options.make_context(f"--setting {name}", arguments).params
    except (ValueError, click.UsageError) as error:
        reason = error.format_message() if isinstance(error, click.UsageError) else str(error)
        raise UsageError(
            f"--setting {name}: {reason}", f"its options are those of stallscope pin; {_EXAMPLE}"
        ) from error
    if values["cpus"] is not None:
        raise UsageError(
            f"--setting {name}: --cpus cannot differ between settings",
            "name --cpus outside of --setting",
        )
    return Candidate(name, replace(pin_request(values), cpus=cpus))
