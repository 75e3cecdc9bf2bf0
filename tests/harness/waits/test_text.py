from pathlib import Path

import msgspec

from harness.waits.build import waits_result
from harness.waits.text import MAX_GROUPS, interval_text, lines, source_lines
from tests.harness.waits.analyses import analysis
from topdown.waits.records import WaitSource

TEXT = """
    main R(code)0-100 W(?,read)100-400 R(kernel)400-500
    w-1@1 R0-100 W(main,lock)100-450 Q450-460 R460-500
    w-2@2 W(?,sleep)0-490 R490-500
    """


def text_lines(text: str = TEXT, width: int = 100, **options: object) -> list[str]:
    result = waits_result(analysis(text, **options), recording=Path("run"), report=None)
    return [*lines(result, width), *source_lines(result, width)]


def test_a_row_per_group_has_shares_of_its_wall_time() -> None:
    text = text_lines(cpu_sample_every=1)
    assert text[0].startswith("3 working threads ")
    assert any(line.startswith("Waits of pid 1000: 500 ms, 3 threads") for line in text)
    heads = next(line for line in text if line.startswith("Group"))
    assert heads.split()[:5] == ["Group", "Threads", "Wall", "user", "system"]
    assert "lock" in heads
    main = next(line for line in text if line.startswith("main"))
    assert "60.0 %" in main


def test_the_unattributed_share_and_the_sources_are_shown() -> None:
    text = "\n".join(text_lines(cpu_sample_every=1))
    assert "unattributed" in text
    assert "user, system: CPU samples, in proportion" in text


def test_a_missing_source_is_shown_with_its_remedy() -> None:
    missing = WaitSource("sched_waking", False, "tracefs is not mounted", "mount -t tracefs")
    text = "\n".join(text_lines("A R0-10", sources=(missing,)))
    assert "sched_waking: tracefs is not mounted; mount -t tracefs" in text


def test_a_narrow_terminal_leaves_out_the_smallest_states_and_says_so() -> None:
    text = text_lines(width=46, cpu_sample_every=1)
    assert any(line.startswith("not shown: ") for line in text)


def test_names_of_threads_cannot_change_the_terminal() -> None:
    text = "\n".join(text_lines("A\x1b[31m R0-10"))
    assert "\x1b" not in text


def test_what_ran_while_threads_could_run_is_shown() -> None:
    text = text_lines("A R0-10 Q10-50 R50-60\nloop/!busy Q0-10 R10-50 Q50-60", whole_cpus=True)
    assert "Ran while threads could run (40.0 ms in the run queue):" in text
    assert "   100.0 %  busy (pid 1001)" in text or "  100.0 %  busy (pid 1001)" in text


def test_a_long_list_of_groups_is_cut() -> None:
    names = (chr(97 + n // 26) + chr(97 + n % 26) for n in range(MAX_GROUPS + 5))
    text = text_lines("\n".join(f"{name} R0-10" for name in names))
    assert any("and 5 more groups" in line for line in text)


def test_random_windows_have_intervals_in_points() -> None:
    result = waits_result(analysis("A R0-10 W(?,sleep)10-110"), recording=Path("run"), report=None)
    assert interval_text(result) == ""
    group = msgspec.structs.replace(result.groups[0], errors_ns={"sleep": 2_200_000, "lock": 0})
    limited = msgspec.structs.replace(result, groups=(group,))
    assert interval_text(limited) == "points, 95 %: A sleep \N{PLUS-MINUS SIGN}2.0"
    assert any(line.startswith("intervals") for line in source_lines(limited, 100))
