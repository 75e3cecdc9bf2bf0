// Samples that the helper has no room for are counted.
#include "managed_frames/walk_helper.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <thread>

using namespace stallscope::managed_frames;

TEST_SUITE("walk helper") {
  TEST_CASE("samples without room for their lines are counted") {
    const auto channel = std::make_unique<sample_channel>();
    const auto shared = std::make_unique<watch_shared>();
    constexpr std::uint64_t samples = 5;
    for (std::uint64_t number = 0; number < samples; ++number) {
      auto* slot = channel->next();
      REQUIRE(slot != nullptr);
      slot->pid = 1;
      slot->tid = 1;
      channel->commit();
    }
    helper_options options;
    options.max_waiting_bytes = 0;
    std::thread helper{[&] { serve_samples(options, *channel, *shared); }};
    while (channel->front() != nullptr) std::this_thread::yield();
    channel->request_stop();
    helper.join();
    CHECK(channel->dropped() == samples);
  }

  TEST_CASE("a process that ended is no dropped sample") {
    const auto channel = std::make_unique<sample_channel>();
    const auto shared = std::make_unique<watch_shared>();
    auto* slot = channel->next();
    REQUIRE(slot != nullptr);
    slot->pid = 1;
    slot->tid = 0;
    channel->commit();
    helper_options options;
    options.max_waiting_bytes = 0;
    std::thread helper{[&] { serve_samples(options, *channel, *shared); }};
    while (channel->front() != nullptr) std::this_thread::yield();
    channel->request_stop();
    helper.join();
    CHECK(channel->dropped() == 0);
  }
}
