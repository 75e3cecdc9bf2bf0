"""The picture of a mix."""

from harness.io.mix.maps import heat_maps
from harness.io.mix.picture import mix_picture
from tests.harness.io.mix.results import result


def test_the_picture_has_the_titles_and_values_of_the_maps() -> None:
    measured = result()
    picture = mix_picture(measured, "svg").decode()
    assert picture.startswith("<?xml")
    first = heat_maps(measured)[0]
    assert first.title in picture
    assert first.text(first.values[0]) in picture
