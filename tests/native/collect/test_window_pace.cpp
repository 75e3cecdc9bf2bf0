#include <doctest/doctest.h>

#include "collect/window_pace.hpp"

using stallscope::collect::window_pace;

namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;

}  // namespace

TEST_CASE("gaps keep their length while the recorder stays within its part") {
  window_pace pace{0.01};
  for (std::uint64_t i = 0; i < 10; ++i)
    CHECK(pace.observe(i * second_ns, i * 9'000'000) == doctest::Approx(1));
}

TEST_CASE("gaps grow by at most a half per second, up to threefold, while the recorder uses more") {
  window_pace pace{0.01};
  CHECK(pace.observe(0, 0) == doctest::Approx(1));
  CHECK(pace.observe(second_ns, 50'000'000) == doctest::Approx(1.5));
  CHECK(pace.observe(2 * second_ns, 62'000'000) == doctest::Approx(1.5 * 1.2));
  for (std::uint64_t i = 3; i < 20; ++i) pace.observe(i * second_ns, i * 100'000'000);
  CHECK(pace.observe(20 * second_ns, 2'000'000'000) == doctest::Approx(3));
}

TEST_CASE("gaps shrink again when the recorder uses less") {
  window_pace pace{0.01};
  pace.observe(0, 0);
  pace.observe(second_ns, 20'000'000);
  CHECK(pace.observe(2 * second_ns, 20'000'000) == doctest::Approx(1.2));
  CHECK(pace.observe(3 * second_ns, 20'000'000) == doctest::Approx(1));
}

TEST_CASE("readings within a second change nothing") {
  window_pace pace{0.01};
  pace.observe(0, 0);
  CHECK(pace.observe(second_ns / 2, second_ns / 2) == doctest::Approx(1));
}
