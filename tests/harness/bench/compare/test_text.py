from msgspec import structs

from harness.bench.compare.text import lines
from tests.harness.bench.compare.samples import result


def test_the_text_shows_configuration_rows_mean_and_what_is_missing():
    assert list(lines(result())) == [
        "goos: linux",
        "",
        "sec/op       a            b         change  p (Holm)     n  verdict",
        "Get<i>  1.000µ ± 2%  2.000µ ± 2%  +100.00%    <0.001  10+9  worse",
        "geomean of 1 row: +100.00%; 2 rows without a pair",
        "",
        "± larger distance of the 95 % interval of the median; ? too few values, or a median of 0.",
        "Verdicts: p < 0.05 in the exact U test, corrected by Holm for 1 row: 1 worse.",
        "warning: left out: 1 times NaN",
        "warning: 1 files or lines were not read; see standard error",
    ]


def test_rows_that_are_in_one_file_only_have_no_verdicts():
    alone = structs.replace(result().rows[0], b=None, delta=None, p=None, p_holm=None, verdict="")
    assert not [line for line in lines(result(rows=(alone,))) if line.startswith("Verdicts")]
