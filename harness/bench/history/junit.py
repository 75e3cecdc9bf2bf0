"""The history as a JUnit report."""

from xml.etree import ElementTree as ET

from harness.bench.history.result import BenchmarkSeries, HistoryResult
from harness.bench.history.text import change_text
from stallscope.printable import visible_text


def junit_text(result: HistoryResult) -> str:
    """Return a JUnit report: a test case for each series, failed if its last change is worse."""
    suites = ET.Element("testsuites")
    suite = _add(
        suites,
        "testsuite",
        name="stallscope bench history",
        tests=str(len(result.series)),
        failures=str(sum(series.is_worse for series in result.series)),
        errors=str(len(result.problems)),
    )
    for series in result.series:
        _add_series(suite, series)
    for problem in result.problems:
        _add(_add(suite, "testcase", classname="history", name=problem), "error", message=problem)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _add_series(suite: ET.Element, series: BenchmarkSeries) -> None:
    name = f"{series.name} {series.unit}"
    case = _add(suite, "testcase", classname=series.host, name=name)
    if series.is_worse:
        change = series.changes[-1]
        failure = _add(case, "failure", message=f"first bad run: {change.label}")
        failure.text = visible_text(change_text(series, change))


def _add(parent: ET.Element, tag: str, **attributes: str) -> ET.Element:
    visible = {key: visible_text(value) for key, value in attributes.items()}
    return ET.SubElement(parent, tag, visible)
