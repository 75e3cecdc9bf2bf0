#include "load/key_choice.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using stallscope::load::key_choice;

namespace {

constexpr std::size_t draws = 400'000;

std::vector<std::size_t> drawn(std::uint64_t keys, std::optional<double> zipf) {
  const key_choice choose(keys, zipf);
  std::mt19937_64 random(11);
  std::vector<std::size_t> counts(keys);
  for (std::size_t i = 0; i < draws; ++i) ++counts.at(choose(random));
  return counts;
}

// The chi-squared statistic over all keys, minus its mean, in standard deviations.
double surprise(const std::vector<std::size_t>& counts, double exponent) {
  double whole = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    whole += std::pow(static_cast<double>(i + 1), -exponent);
  }
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected =
        static_cast<double>(draws) * std::pow(static_cast<double>(i + 1), -exponent) / whole;
    const double off = static_cast<double>(counts[i]) - expected;
    sum += off * off / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (sum - freedom) / std::sqrt(2 * freedom);
}

}  // namespace

TEST_CASE("keys follow Zipf's law") {
  for (const double exponent : {0.5, 0.99, 1.0, 1.2, 2.0}) {
    for (const std::uint64_t keys : {2U, 10U, 500U}) {
      CAPTURE(exponent);
      CAPTURE(keys);
      CHECK(std::abs(surprise(drawn(keys, exponent), exponent)) < 4);
    }
  }
}

TEST_CASE("without an exponent keys are uniform") {
  CHECK(std::abs(surprise(drawn(500, std::nullopt), 0)) < 4);
}

TEST_CASE("extreme parameters give valid keys") {
  std::mt19937_64 random(5);
  const key_choice single_key(1, 0.99);
  const key_choice many(1'000'000'000'000, 0.99);
  const key_choice steep(1'000, 20);
  std::uint64_t largest = 0;
  for (int i = 0; i < 10'000; ++i) {
    CHECK(single_key(random) == 0);
    CHECK(steep(random) < 2);
    largest = std::max(largest, many(random));
  }
  CHECK(largest < 1'000'000'000'000);
  CHECK(largest > 1'000'000'000);
}
