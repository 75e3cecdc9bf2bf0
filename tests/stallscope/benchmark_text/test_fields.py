from stallscope.benchmark_text.fields import field_texts, series_ids
from stallscope.benchmark_text.results import read_benchmarks


def test_a_field_has_a_text_for_each_name_file_or_configuration(tmp_path):
    (tmp_path / "a").write_text("goos: x\nBenchmarkX/n=1 1 1 u\n")
    results = read_benchmarks([f"label={tmp_path / 'a'}"])
    assert field_texts(results, ".file") == ["label"]
    assert field_texts(results, "goos") == ["x"]
    assert field_texts(results, ".fullname", ["/n"]) == ["X"]
    assert series_ids(results, "/n").tolist() == [0]
