#include <doctest/doctest.h>

#include <vector>

#include "benchmark_text/rank_test.hpp"

namespace stallscope::benchmark_text {

TEST_CASE("separated samples have the smallest p-value") {
  rank_test tests;
  const std::vector<double> first{1, 2, 3, 4, 5};
  const std::vector<double> second{6, 7, 8, 9};
  CHECK(tests.compare(first, second).p == doctest::Approx(2.0 / 126));
  CHECK(tests.compare(second, first).p == doctest::Approx(2.0 / 126));
}

TEST_CASE("ties make the distribution asymmetric, and both p-values differ") {
  rank_test tests;
  const std::vector<double> first{1, 2, 2};
  const std::vector<double> second{2, 5, 6, 7};
  const rank_test_result result = tests.compare(first, second);
  CHECK(result.p == doctest::Approx(4.0 / 35));
  CHECK(result.p_doubled == doctest::Approx(6.0 / 35));
}

TEST_CASE("equal and empty samples have no difference") {
  rank_test tests;
  const std::vector<double> equal{1, 1, 1};
  CHECK(tests.compare(equal, equal).kind == rank_test_kind::all_equal);
  CHECK(tests.compare(equal, {}).kind == rank_test_kind::empty);
  const std::vector<double> many(80, 1.0);
  CHECK(tests.compare(many, many).p == 1);
}

}  // namespace stallscope::benchmark_text
