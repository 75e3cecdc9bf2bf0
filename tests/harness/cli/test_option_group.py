import click
from click.testing import CliRunner

from harness.cli.option_group import option_group

GROUP = option_group(
    click.option("--first", is_flag=True),
    option_group(click.option("--second", is_flag=True), click.option("--third", is_flag=True)),
)


def test_the_help_lists_the_options_in_the_order_of_the_group() -> None:
    @click.command()
    @GROUP
    def command(first: bool, second: bool, third: bool) -> None:
        click.echo(f"{first} {second} {third}")

    help_text = CliRunner().invoke(command, ["--help"]).output
    places = [help_text.index(name) for name in ("--first", "--second", "--third")]
    assert places == sorted(places)
    assert CliRunner().invoke(command, ["--second"]).output == "False True False\n"
