#include "wake/answerers.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <string>
#include <system_error>

using namespace stallscope::wake;

namespace {

// Asks until that throws; what is on its way when a process ends may still be answered.
void ask_to_the_end(channel& first) {
  while (true) first.round_trip();
}

}  // namespace

TEST_CASE("the death of any process of the chain ends the wait") {
  for (const char* name : {"futex", "pipe", "unix", "tcp"}) {
    for (const bool front : {true, false}) {
      CAPTURE(std::string(name));
      CAPTURE(front);
      const auto first = open_channel(transport_of(name));
      const auto second = open_channel(transport_of(name));
      answerers others;
      const pid_t near = others.start(*first, second.get(), -1);
      const pid_t far = others.start(*second, nullptr, -1);
      others.watch(*first, std::nullopt);
      first->round_trip();
      CHECK(others.why_ended() == nullptr);
      ::kill(front ? near : far, SIGKILL);
      CHECK_THROWS_AS(ask_to_the_end(*first), std::system_error);
      CHECK(std::string(others.why_ended()) == "a process that answers ended early");
    }
  }
}

TEST_CASE("the wait for a stopped process has a time limit") {
  const auto link = open_channel(transport::futex);
  answerers others;
  ::kill(others.start(*link, nullptr, -1), SIGSTOP);
  others.watch(*link, std::chrono::milliseconds(20));
  CHECK_THROWS_AS(ask_to_the_end(*link), std::system_error);
  CHECK(std::string(others.why_ended()) == "no reply came in time");
}
