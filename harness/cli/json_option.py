"""The option that every command with a result has."""

import click

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead of text."
)
