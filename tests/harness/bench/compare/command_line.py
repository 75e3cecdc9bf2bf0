"""`stallscope bench compare` within the test's process."""

from click.testing import CliRunner, Result

from harness.commands.bench_compare import command


def compare(*arguments: object) -> Result:
    """The result of the command; its exit code is `return_value` if the command returns."""
    return CliRunner().invoke(command, list(map(str, arguments)), standalone_mode=False)
