from stallscope.benchmark_text.names import base_name, name_parts, name_without, part_value


def test_a_name_has_a_base_parts_and_gomaxprocs():
    assert name_parts("Sort/n=100/rand-8") == ("Sort", ["/n=100", "/rand", "-8"])
    assert base_name("Sort-8") == "Sort"
    assert base_name("Sort-x") == "Sort-x"


def test_gomaxprocs_is_the_number_after_the_last_hyphen():
    assert part_value("Sort/n=100-8", "/gomaxprocs") == "8"
    assert part_value("Sort/gomaxprocs=4", "/gomaxprocs") == "4"
    assert part_value("Sort/n=100-8", "/n") == "100"
    assert part_value("Sort", "/n") == ""


def test_excluded_parts_are_removed_from_the_full_name():
    assert name_without("Sort/n=100/kind=a-8", ["/n"]) == "Sort/kind=a-8"
    assert name_without("Sort/n=100-8", ["/gomaxprocs", ".name"]) == "*/n=100"
