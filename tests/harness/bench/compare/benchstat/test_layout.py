from harness.bench.compare.benchstat.layout import CENTER, LEFT, Column, HeadCell, Layout


def test_spans_widen_columns_and_cells_are_aligned():
    body = [Column(["a", "long"], LEFT, ""), Column(["1", "22"]), Column(["x", ""], LEFT)]
    head = [[HeadCell(1, 2, "a wide head", " ", CENTER)]]
    assert list(Layout(body, head).lines()) == [
        "     a wide head",
        "a        1 x",
        "long    22",
    ]


def test_a_text_that_is_too_long_pushes_the_next_cell():
    body = [Column(["a"]), Column(["b"], fixed=True), Column(["c"], fixed=True), Column([""])]
    head = [[HeadCell(1, 2, "vs base", "  "), HeadCell(3, 1, "", " |")]]
    assert next(iter(Layout(body, head).lines())) == "    vs base     |"
