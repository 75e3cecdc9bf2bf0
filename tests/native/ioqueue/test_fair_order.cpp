#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "ioqueue/fair_order.hpp"

namespace {

using stallscope::ioqueue::fair_order;

std::string turns(fair_order& order, int count, stallscope::ioqueue::cost cost_per_turn = 100) {
  std::string names;
  for (int i = 0; i < count; ++i) {
    names += static_cast<char>('a' + order.first());
    order.serve_first(cost_per_turn, true);
  }
  return names;
}

}  // namespace

TEST_CASE("classes of equal shares take turns, in the order in which they became busy") {
  fair_order order(0);
  for (int i = 0; i < 3; ++i) order.add(100);
  order.wake(1);
  order.wake(0);
  order.wake(2);
  CHECK(turns(order, 7) == "bacbacb");
}

TEST_CASE("a class with twice the shares gets twice the turns") {
  fair_order order(0);
  order.add(100);
  order.add(200);
  order.wake(0);
  order.wake(1);
  CHECK(turns(order, 9) == "abbabbabb");
}

TEST_CASE("shares count from the next request on") {
  fair_order order(0);
  order.add(100);
  order.add(100);
  order.wake(0);
  order.wake(1);
  CHECK(turns(order, 4) == "abab");
  order.set_shares(1, 300);
  CHECK(turns(order, 8) == "abbbabbb");
}

TEST_CASE("an idle class saves no service: it takes turns as if it had been busy") {
  fair_order order(0);
  order.add(100);
  order.add(100);
  order.wake(0);
  turns(order, 1000);
  order.wake(1);
  CHECK(turns(order, 6) == "bababa");
}

TEST_CASE("a class that wakes is served ahead by at most its credit") {
  fair_order order(500);
  order.add(100);
  order.add(100);
  order.wake(0);
  turns(order, 1000);
  order.wake(1);
  // Its position is 500 behind the class served last, which has advanced by 100 since.
  CHECK(turns(order, 10) == "bbbbbbabab");
}

TEST_CASE("a class that received more than its share owes it after an idle time as well") {
  fair_order order(0);
  order.add(100);
  order.add(100);
  order.wake(0);
  order.wake(1);
  REQUIRE(order.first() == 0);
  order.serve_first(1000, false);
  order.wake(0);
  CHECK(turns(order, 5, 250) == "bbbba");
}

TEST_CASE("a removed class is not served") {
  fair_order order(0);
  for (int i = 0; i < 3; ++i) {
    order.add(100);
    order.wake(static_cast<std::size_t>(i));
  }
  order.remove(1);
  CHECK_FALSE(order.is_waiting(1));
  CHECK(turns(order, 4) == "acac");
  order.serve_first(100, false);
  order.serve_first(100, false);
  CHECK(order.empty());
}

TEST_CASE("rebasing the positions does not change the order") {
  fair_order seldom(70);
  fair_order often(70, 1 << 20);
  for (const std::uint32_t shares : {1U, 7U, 100U, 999U}) {
    seldom.add(shares);
    often.add(shares);
  }
  std::uint64_t random = 1;
  for (int i = 0; i < 50'000; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const std::size_t number = (random >> 33U) % 4;
    if (!seldom.is_waiting(number)) {
      seldom.wake(number);
      often.wake(number);
    }
    REQUIRE(seldom.first() == often.first());
    const auto served = (random >> 40U) % 1000 + 1;
    const bool has_more = (random >> 60U) % 4 != 0;
    seldom.serve_first(served, has_more);
    often.serve_first(served, has_more);
  }
}

TEST_CASE("the largest costs of the class with the fewest shares do not overflow") {
  fair_order order(stallscope::ioqueue::max_cost);
  order.add(1);
  order.add(1);
  order.wake(0);
  order.wake(1);
  std::string expected;
  for (int i = 0; i < 500; ++i) expected += "ab";
  CHECK(turns(order, 1000, stallscope::ioqueue::max_cost) == expected);
}

TEST_CASE("shares out of range are rejected") {
  fair_order order(0);
  CHECK_THROWS_AS(order.add(0), std::invalid_argument);
  CHECK_THROWS_AS(order.add(fair_order::max_shares + 1), std::invalid_argument);
  order.add(1);
  CHECK_THROWS_AS(order.set_shares(0, 0), std::invalid_argument);
}
