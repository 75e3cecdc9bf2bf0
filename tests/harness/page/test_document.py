"""Parts of a page: templates, escapes, policy."""

import json

import pytest
from markupsafe import Markup

from harness.page import document
from harness.page.document import Document, fragment, render, with_prefixed_ids

EVIL = "</script><!--\u2028\u202e\x1b"


def test_style_and_script_are_allowed_by_their_hashes_only() -> None:
    values = {
        "title": EVIL, "recording": "", "about": "", "source": "", "panels": "", "facts": {},
    }  # fmt: skip
    page = render(Document("harness.page/panels.html", "x", "p { }", values, script="1;"))
    assert page.count("'sha256-") == 2
    assert "default-src 'none'" in page
    assert EVIL not in page


def test_a_missing_value_is_an_error_and_not_empty() -> None:
    with pytest.raises(Exception, match="undefined"):
        fragment("harness.page/panels.html")


def test_json_for_script_reads_back_and_cannot_end_the_script() -> None:
    value = {"</script>": ["<!--", "&amp;", "\u2028\u2029"]}
    text = document.json_for_script(value)
    assert json.loads(text) == value
    assert not set("<>&\u2028\u2029") & set(text)


def test_ids_and_references_get_a_prefix_and_texts_do_not() -> None:
    markup = Markup('<p id="x" aria-labelledby="x-title">id=&#34;x&#34;</p><a href="#x"></a>')
    assert with_prefixed_ids(markup, "disk") == (
        '<p id="disk-x" aria-labelledby="disk-x-title">id=&#34;x&#34;</p><a href="#disk-x"></a>'
    )
