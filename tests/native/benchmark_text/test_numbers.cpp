#include <doctest/doctest.h>

#include <cmath>

#include "benchmark_text/numbers.hpp"
#include "benchmark_text/units.hpp"

namespace stallscope::benchmark_text {

TEST_CASE("numbers have the syntax of Go") {
  CHECK(parse_measurement("12.5").value == 12.5);
  CHECK(parse_measurement("0.1").value == 0.1);
  CHECK(parse_measurement("9007199254740993").value == 9007199254740992.0);
  CHECK(parse_measurement("+1e3").value == 1000);
  CHECK(parse_measurement("0x1.8p1").value == 3);
  CHECK(parse_measurement("1_000.5").value == 1000.5);
  CHECK(std::isinf(parse_measurement("-Infinity").value));
  CHECK(std::isnan(parse_measurement("nan").value));
  CHECK(parse_measurement("5e-324").value > 0);
  CHECK(parse_measurement("1e-400").value == 0);
  for (const char* wrong :
       {"", ".", "x", "1x", "+-1", "--1", "0x1", "_1", "1__0", "1_", "+nan", "in"}) {
    CAPTURE(wrong);
    CHECK(parse_measurement(wrong).error == number_error::syntax);
  }
  CHECK(parse_measurement("1e400").error == number_error::range);
}

TEST_CASE("counts are integers of 64 bits") {
  CHECK(check_count("+5") == number_error::none);
  CHECK(check_count("5.0") == number_error::syntax);
  CHECK(check_count("+-5") == number_error::syntax);
  CHECK(check_count("99999999999999999999") == number_error::range);
}

TEST_CASE("base units change the numerator") {
  CHECK(to_base_unit("ns/op").unit == "sec/op");
  CHECK(to_base_unit("MB*MB/s").factor == 1e12);
  CHECK(to_base_unit("op/ns-x").unit == "op/ns-x");
  CHECK(to_base_unit("").unit.empty());
}

}  // namespace stallscope::benchmark_text
