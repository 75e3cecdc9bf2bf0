#include "load/sequence_check.hpp"

#include <doctest/doctest.h>

using stallscope::load::check_counts;
using stallscope::load::sequence_check;

namespace {

sequence_check sent(unsigned count) {
  sequence_check check("run-1");
  for (unsigned i = 0; i < count; ++i) check.next_token();
  return check;
}

}  // namespace

TEST_CASE("replies in order are right") {
  sequence_check check("run-1");
  for (int i = 0; i < 100; ++i) check.received(check.next_token());
  check.give_up();
  CHECK(check.counts().sent == 100);
  CHECK(check.counts().in_order == 100);
  CHECK(check.counts().wrong() == 0);
}

TEST_CASE("a missing reply is lost") {
  auto check = sent(4);
  check.received("run-1:0");
  check.received("run-1:2");
  check.give_up();
  CHECK(check.counts().lost == 2);
  CHECK(check.counts().wrong() == 2);
}

TEST_CASE("a duplicate reply is doubled") {
  auto check = sent(2);
  check.received("run-1:0");
  check.received("run-1:0");
  check.received("run-1:1");
  check.received("run-1:0");
  CHECK(check.counts().doubled == 2);
  CHECK(check.counts().wrong() == 2);
}

TEST_CASE("a late reply is out of order, not lost") {
  auto check = sent(3);
  for (const char* token : {"run-1:1", "run-1:0", "run-1:2"}) check.received(token);
  check.give_up();
  CHECK(check.counts().reordered == 1);
  CHECK(check.counts().lost == 0);
  CHECK(check.counts().in_order == 2);
}

TEST_CASE("a token that was never sent is foreign") {
  auto check = sent(2);
  for (const char* token : {"run-2:0", "run-1:2", "run-1:", "run-1:1x", "run-1", "", "run-1:-1",
                            "run-1:99999999999999999999"}) {
    CAPTURE(token);
    const auto before = check.counts().foreign;
    check.received(token);
    CHECK(check.counts().foreign == before + 1);
  }
}

TEST_CASE("errors and lost connections do not count as lost replies") {
  auto check = sent(3);
  check.answered_otherwise();
  check.received("run-1:1");
  check.forget();
  check.received(check.next_token());
  check.give_up();
  CHECK(check.counts().wrong() == 0);
  check.answered_otherwise();
  CHECK(check.counts().in_order == 2);
  check_counts all;
  all.add(check.counts());
  all.add(check.counts());
  CHECK(all.sent == 8);
}
