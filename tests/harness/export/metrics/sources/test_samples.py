from harness.export.metrics.metric import MetricTable
from harness.export.metrics.sources.samples import add_profile
from tests.harness.export.metrics.parsed import values_of
from tests.profile_builder import ProfileBuilder
from topdown.stacks.profile import Profile, SampleSource
from topdown.stacks.ranking import rank

EVENT = ("event", "cpu-clock")


def table_of(profile: Profile, top: int = 20) -> MetricTable:
    table = MetricTable()
    add_profile(table, profile, rank(profile), top)
    return table


def test_a_time_is_in_seconds_by_function_and_thread() -> None:
    values = values_of(table_of(ProfileBuilder().build([(["main", "f"], 3), (["main"], 1)])))
    assert values["stallscope_profile_cpu_seconds", (EVENT,)] == 0.004
    named = (EVENT, ("function", "main"), ("kind", "user"), ("module", "/bin/it"))
    assert values["stallscope_function_self_cpu_seconds", named] == 0.001
    assert values["stallscope_function_total_cpu_seconds", named] == 0.004
    thread = (EVENT, ("process", "it"), ("thread", "main"))
    assert values["stallscope_thread_cpu_seconds", thread] == 0.004


def test_events_are_counts_and_no_seconds() -> None:
    source = SampleSource("cache-misses", "measured", "events", None, 1000, "user")
    values = values_of(table_of(ProfileBuilder().build([(["f"], 2)], source=source)))
    assert values["stallscope_profile_events", (("event", "cache-misses"),)] == 2_000_000
    assert not [name for name, _ in values if name.endswith("_seconds")]


def test_an_unknown_share_is_left_out_and_colder_functions_are_counted() -> None:
    profile = ProfileBuilder().build(
        [(["f"], 2), (["g"], 1)], unknown_share=float("nan"), truncated_share=0.5
    )
    table = table_of(profile, top=1)
    values = values_of(table)
    assert ("stallscope_profile_unknown_ratio", (EVENT,)) not in values
    assert values["stallscope_profile_truncated_ratio", (EVENT,)] == 0.5
    assert {dict(labels).get("function") for _, labels in values} == {None, "f"}
    assert table.notes == ["functions left out by --top: 1"]
