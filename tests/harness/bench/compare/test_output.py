from tests.harness.bench.compare.command_line import compare


def test_other_styles_refuse_json_and_a_page(tmp_path):
    for option in ("--json", "-o=x.html"):
        assert "has no JSON and no page" in str(compare("--style", "2017", option, "x").exception)


def test_problems_go_to_standard_error(tmp_path):
    (tmp_path / "a").write_text("BenchmarkX 1 1 u\nBenchmarkX 1 y u\n")
    run = compare(tmp_path / "a", "--style", "benchstat")
    assert "1.000 ± ∞ ¹" in run.stdout
    assert run.stderr.endswith("a:2: parsing measurement: invalid syntax\n")
