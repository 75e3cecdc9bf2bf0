import csv

from harness.bench.compare.csv import csv_lines
from tests.harness.bench.compare.samples import result


def test_a_row_has_all_digits_under_its_heads():
    head, row = csv.reader(csv_lines(result()))
    fields = dict(zip(head, row, strict=True))
    assert (fields["a_median"], fields["b_n"], fields["verdict"]) == ("1e-06", "9", "worse")
