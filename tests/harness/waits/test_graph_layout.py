from harness.waits.graph_layout import MAX_COLUMNS, MAX_EDGES, MAX_NODES, graph_picture
from tests.harness.waits.waits_results import edge


def test_causes_are_right_of_the_threads_that_wait_for_them() -> None:
    picture = graph_picture(
        [edge("v", "h", 9), edge("h", "disk", 8), edge("h", "v", 1)], [["disk"]]
    )
    left = {box.name: box.left for box in picture.boxes}
    assert left["v"] < left["h"] < left["disk"]
    assert [box.name for box in picture.boxes if box.knot] == ["disk"]
    assert picture.left_out == 0


def test_boxes_do_not_overlap_and_are_inside() -> None:
    edges = [edge(f"w{n}", f"s{n % 3}", 10 + n) for n in range(9)]
    picture = graph_picture(edges, [])
    places = {(box.left, box.top) for box in picture.boxes}
    assert len(places) == len(picture.boxes) == 12
    assert max(box.left for box in picture.boxes) < picture.width
    assert max(box.top for box in picture.boxes) < picture.height


def test_the_picture_is_bounded() -> None:
    chain = [edge(f"t{n}", f"t{n + 1}", 1000 - n) for n in range(500)]
    picture = graph_picture(chain, [])
    assert len(picture.boxes) <= MAX_NODES
    assert len(picture.arrows) <= MAX_EDGES
    assert picture.left_out == 500 - len(picture.arrows)
    assert len({box.left for box in picture.boxes}) <= MAX_COLUMNS


def test_heavier_edges_are_wider() -> None:
    heavy, light = graph_picture([edge("a", "b", 100), edge("c", "b", 10)], []).arrows
    assert heavy.width > light.width >= 1


def test_no_edges_give_no_boxes() -> None:
    assert graph_picture([], []).boxes == ()
