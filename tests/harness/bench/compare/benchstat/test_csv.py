from tests.harness.bench.compare.command_line import compare


def test_warnings_name_the_cell_they_belong_to(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text('note: say "x"\nBenchmarkX 1 1 u\n')
    run = compare("--style", "benchstat", "--format", "csv", "a")
    assert run.stdout.splitlines() == ['"note: say ""x"""', ",a,", ",u,CI", "X,1,∞", "geomean,1,"]
    assert run.stderr == "B4: need >= 6 samples for confidence interval at level 0.95\n"
