from xml.etree import ElementTree as ET

from harness.bench.history.junit import junit_text
from tests.harness.bench.history.runs import hostile_result


def test_names_cannot_add_elements():
    suite = ET.fromstring(junit_text(hostile_result()))[0]
    assert suite.get("failures") == "1"
    assert [case.tag for case in suite] == ["testcase", "testcase"]
