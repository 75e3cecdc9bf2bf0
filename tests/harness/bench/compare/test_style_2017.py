from tests.harness.bench.compare.command_line import compare


def test_a_published_row_has_its_form(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, values in (
        ("open", [474, 510, 520, 530, 546]),
        ("closed", [458, 459, 459, 460, 500]),
    ):
        lines = "".join(f"Benchmarkzeo/py/fs1-zhash.py 1 {value}e-6 sec/op\n" for value in values)
        (tmp_path / name).write_text(lines)
    row = compare("--style", "2017", "open", "closed").stdout.splitlines()[1]
    assert row.split()[:7] == ["zeo/py/fs1-zhash.py", "516us", "±", "8%", "459us", "±", "0%"]
    assert row.endswith("-11.05%  (p=0.016 n=5+4)")
