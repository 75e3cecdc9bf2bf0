"""The first thing a newcomer runs: profiles a program whose true shares are known, by its pid.

Run as ``python -m harness.demo`` by ``./dev demo``.
"""

import sys
from pathlib import Path

import click

from harness.command_line import report_error
from harness.mix_truth import Mix, running_mix
from harness.profiling import Analysis, analyze
from harness.recorder import record
from harness.reporting import write_page
from harness.summary import Places, show
from harness.terminal import percent
from stallscope.collector import CollectorOptions
from stallscope.errors import ExitCode, StallscopeError
from stallscope.recordings import Recording

OUTPUT = Path("stallscope-demo")
DURATION_S = 10.0


def demonstrate() -> None:
    """Profile ``stallscope-kernels mix`` and lay the sampled shares beside the true ones."""
    click.echo("Starting stallscope-kernels mix: threads whose true CPU shares it measures itself.")
    with running_mix() as mix:
        click.echo(f"Profiling it by its pid for {DURATION_S:g} s:")
        click.echo(f"  stallscope profile -p {mix.pid} --duration {DURATION_S:g} -o {OUTPUT}\n")
        options = CollectorOptions(
            output=OUTPUT,
            pids=(mix.pid,),
            duration_s=DURATION_S,
            force=(OUTPUT / "recording.json").exists(),
        )
        recording, _ = record(options)
        analysis = analyze(recording)
        page = write_page(recording, analysis)
        compared = _comparison(recording, analysis, mix)
    places = Places(recording.path, page)
    show(analysis, places, top=8, as_json=False)
    click.echo(compared)
    click.echo(
        f"\nOpen {page.resolve()} in a browser. Then, for a process of your own:\n"
        "  .venv/bin/stallscope profile -p PID\n"
        "  .venv/bin/stallscope doctor      (what this machine can measure)"
    )


def _comparison(recording: Recording, analysis: Analysis, mix: Mix) -> str:
    """Return the table of true against sampled self shares."""
    manifest = recording.manifest
    assert manifest is not None
    assert manifest.end_ns is not None
    truth = mix.shares(manifest.start_ns, manifest.end_ns)
    profile, ranking = analysis.profile, analysis.ranking
    sampled = {
        profile.functions[row.index].name: row.self_value / ranking.value
        for row in ranking.functions
    }
    rows = [f"\n{'true':>7}  {'sampled':>7}  function, as the program itself measured it"]
    rows += [
        f"{percent(share):>7}  {percent(sampled.get(name, 0.0)):>7}  {name}"
        for name, share in truth.items()
    ]
    return "\n".join(rows)


def main() -> int:
    """Return the exit code of the demonstration."""
    try:
        demonstrate()
    except StallscopeError as error:
        return report_error(error)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        return int(ExitCode.INTERRUPTED)
    return int(ExitCode.DONE)


if __name__ == "__main__":
    sys.exit(main())
