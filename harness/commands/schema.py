"""`stallscope schema`: prints the JSON Schema of a document."""

from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  stallscope schema                      (list the documents)
  stallscope schema io.curve
  stallscope schema --directory schemas  (write all of them)
"""


@click.command(epilog=EXAMPLES)
@click.argument("name", required=False)
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write every schema into this directory, as NAME.json.",
)
def command(name: str | None, directory: Path | None) -> None:
    """Print the JSON Schema of a document, or list the documents.

    NAME is the value of "schema" in a document, with or without "stallscope." and the version.
    """
    from harness.cli.outputs import output_error, write_whole  # noqa: PLC0415 - start-up stays light
    from harness.report.schemas import DOCUMENTS, full_name, schema_text  # noqa: PLC0415

    if directory is not None:
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise output_error(directory, error) from error
        for short_name in [name] if name else DOCUMENTS:
            write_whole(directory / f"{short_name}.json", [schema_text(short_name)])
    elif name is not None:
        click.echo(schema_text(name), nl=False)
    else:
        for short_name in DOCUMENTS:
            click.echo(f"{short_name:24}{full_name(short_name)}")
