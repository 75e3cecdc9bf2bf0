from harness.page.flame_script import flame_script


def test_all_sources_share_one_scope_and_the_start_comes_last() -> None:
    script = flame_script()
    assert script.startswith('(() => {\n"use strict";\n')
    assert script.endswith("})();")
    assert script.index("class Page {") < script.index("async function start()")


def test_another_page_opens_the_view_by_its_own_files() -> None:
    script = flame_script((("harness.page", "period_cells.js"),))
    assert "class Page {" in script
    assert "const PeriodCells" in script
    assert "async function start()" not in script
