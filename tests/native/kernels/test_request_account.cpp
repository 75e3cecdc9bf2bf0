#include "kernels/waiting/request_account.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace stallscope::kernels;

namespace {

std::map<std::string, std::uint64_t> values_of(const request_account& account) {
  std::map<std::string, std::uint64_t> values;
  for (const auto& parameter : account.parameters())
    values[parameter.name] = std::get<std::uint64_t>(parameter.value);
  return values;
}

}  // namespace

TEST_CASE("the account has the means of slow and median requests") {
  request_account first;
  request_account second;
  for (std::uint64_t i = 1; i <= 99; ++i) first.add(i, 0);
  second.add(1000, 900);
  first.merge(second);
  const auto values = values_of(first);
  CHECK(values.at("requests") == 100);
  CHECK(values.at("slow_requests") == 1);
  CHECK(values.at("slow_wall_ns") == 1000);
  CHECK(values.at("slow_extra_ns") == 900);
  CHECK(values.at("median_requests") == 20);
  CHECK(values.at("median_wall_ns") == 50);
  CHECK(values.at("median_extra_ns") == 0);
}

TEST_CASE("an account without requests has means of zero") {
  CHECK(values_of(request_account{}).at("slow_wall_ns") == 0);
}
