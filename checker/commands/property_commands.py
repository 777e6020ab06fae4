"""The command that lists what the catalogue's models are judged by: `properties`."""

import click


@click.command()
@click.option("--markdown", is_flag=True, help="Print the page of the properties, as PROPERTIES.md has it.")
def properties(markdown: bool) -> int:
    """List what the catalogue's models are judged by, file by file, and which models use it.

    These are invariants, properties of steps, liveness properties, lemmas, examples that must occur, and measures. For
    each the command prints the first sentence of its docstring, the models that use it, and the models and known bugs
    that violate it.
    """
    from kafkacheck.checker.commands.property_report import list_properties

    return list_properties(markdown)


COMMANDS = (properties,)
