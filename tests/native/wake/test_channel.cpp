#include "wake/channel.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

using namespace stallscope::wake;

TEST_CASE("every transport delivers requests and replies in turn") {
  for (const char* name : {"futex", "pipe", "unix", "tcp"}) {
    CAPTURE(std::string(name));
    const auto link = open_channel(transport_of(name));
    std::atomic<int> served{0};
    std::thread server([&] {
      for (int request = 0; request < 50; ++request) {
        link->await_request();
        ++served;
        link->reply();
      }
    });
    for (int request = 1; request <= 50; ++request) {
      link->round_trip();
      CHECK(served.load() == request);  // the reply follows the request, and none is ahead
    }
    server.join();
  }
}

TEST_CASE("an unknown transport is rejected by name") {
  CHECK_THROWS_AS(transport_of("carrier pigeon"), std::invalid_argument);
}
