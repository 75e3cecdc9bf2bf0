"""The style sheets of the panel on CPU slots; pages without slots import no more than this."""

FOLDER = "harness.topdown"
STYLES = ("slots.css",)
