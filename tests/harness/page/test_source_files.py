"""Style sheets and scripts of a package."""

import pytest

from harness.page.source_files import sources


def test_sources_are_joined_in_their_order() -> None:
    names = ("flame_view/theme.css", "tables.css")
    whole = sources("harness.page", names)
    assert whole == "\n".join(sources("harness.page", (name,)) for name in names)
    with pytest.raises(FileNotFoundError):
        sources("harness.page", ("missing.css",))
