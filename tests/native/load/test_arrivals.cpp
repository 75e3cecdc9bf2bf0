#include "load/arrivals.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace stallscope::load;

TEST_CASE("a fixed rate accumulates no rounding errors") {
  arrivals third(arrival_process::fixed, 3, 1'000, 1);
  CHECK(third.peek() == 1'000);
  for (std::uint64_t i = 0; i < 3'000'000; ++i) third.next();
  CHECK(third.peek() == 1'000 + 1'000'000 * second_ns);
}

TEST_CASE("threads of a fixed rate take turns") {
  arrivals first(arrival_process::fixed, 500, 0, 1, 0.0);
  arrivals second(arrival_process::fixed, 500, 0, 2, 0.5);
  for (std::uint64_t at = 0; at < 10'000'000; at += 2'000'000) {
    CHECK(first.next() == at);
    CHECK(second.next() == at + 1'000'000);
  }
}

TEST_CASE("a Poisson process has the right mean and exponential gaps") {
  constexpr std::size_t count = 200'000;
  constexpr double mean_ns = 50'000;
  arrivals poisson(arrival_process::poisson, 20'000, 0, 42);
  std::vector<double> gaps(count);
  std::uint64_t before = 0;
  for (double& gap : gaps) {
    const std::uint64_t at = poisson.next();
    REQUIRE(at >= before);
    gap = static_cast<double>(at - before);
    before = at;
  }
  CHECK(static_cast<double>(before) / count == doctest::Approx(mean_ns).epsilon(0.01));
  // Kolmogorov distance to the exponential distribution: it exceeds 1.63 / sqrt(n) in 1 % of cases.
  std::sort(gaps.begin(), gaps.end());
  double distance = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double law = 1 - std::exp(-gaps[i] / mean_ns);
    distance = std::max(distance, std::abs(law - static_cast<double>(i) / count));
  }
  CHECK(distance < 1.63 / std::sqrt(static_cast<double>(count)));
}

TEST_CASE("the seed determines the times") {
  arrivals thread_arrivals(arrival_process::poisson, 1'000, 7, 3);
  arrivals same(arrival_process::poisson, 1'000, 7, 3);
  arrivals other(arrival_process::poisson, 1'000, 7, 4);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t at = thread_arrivals.next();
    CHECK(at == same.next());
    differs |= at != other.next();
  }
  CHECK(differs);
}
