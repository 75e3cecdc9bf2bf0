"""Settings to compare that a person names, as ``NAME=`` and options of `stallscope pin`."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from cstates.comparison.candidates import Candidate, Candidates, check, usual_and_control
from harness.pin.options import pin_request, request_options
from stallscope.errors import UsageError
from stallscope.system_files import Roots

_EXAMPLE = "for example: --setting 'shallow=--states C1 --no-turbo'"


@click.command(add_help_option=False)
@request_options
def _pin_options(**values: Any) -> None:  # noqa: ANN401 - as click passes them
    del values


def own_settings(roots: Roots, texts: Sequence[str], cpus: str | None) -> Candidates:
    """Return "as it is", its control and the settings written, each of which can be had here.

    Raises UsageError for what is none, UnableError for what this machine or user cannot do.
    """
    chosen = usual_and_control(cpus)
    for text in texts:
        setting = _setting(text, cpus)
        if any(setting.name == each.name for each in chosen):
            raise UsageError(f"--setting {setting.name!r} is there twice", "name each once")
        check(roots, setting)
        chosen.append(setting)
    return Candidates(tuple(chosen), ())


def _setting(text: str, cpus: str | None) -> Candidate:
    name, equals, options = text.partition("=")
    name = name.strip()
    if not (name and equals):
        raise UsageError(f"--setting {text!r} is no NAME=OPTIONS", _EXAMPLE)
    try:
        words = shlex.split(options)
        values = _pin_options.make_context(f"--setting {name}", words).params
    except (ValueError, click.UsageError) as error:
        why = error.format_message() if isinstance(error, click.UsageError) else str(error)
        raise UsageError(
            f"--setting {name}: {why}", f"its options are those of stallscope pin; {_EXAMPLE}"
        ) from error
    if values["cpus"] is not None:
        raise UsageError(
            f"--setting {name}: --cpus cannot differ between settings", "put --cpus before it"
        )
    return Candidate(name, replace(pin_request(values), cpus=cpus))
