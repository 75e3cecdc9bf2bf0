#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "server/shards/shard_mailbox.hpp"

namespace {

using namespace stallscope::server;
using stallscope::reactor::reactor;

// Shards are only forward-declared: the calls of this test do not use them.
shard& unused_shard() {
  alignas(64) static std::array<std::byte, 64> place{};
  return *reinterpret_cast<shard*>(place.data());
}

class wake_up_counter final : public shard_mailbox::listener {
 public:
  void mailbox_drained() override { ++rings; }
  int rings = 0;
};

class numbered_call final : public mailbox_call {
 public:
  numbered_call(int number, std::vector<int>& ran, std::vector<int>& back)
      : number_(number), ran_(ran), back_(back) {}
  bool run_on_target(shard& /*there*/) override {
    ran_.push_back(number_);
    return true;
  }
  void on_returned() override { back_.push_back(number_); }

 private:
  int number_;
  std::vector<int>& ran_;
  std::vector<int>& back_;
};

struct side {
  side(mailbox_queues& queues, std::size_t index)
      : mail(queues, unused_shard(), index, loop, wake_ups) {}

  reactor loop;
  wake_up_counter wake_ups;
  shard_mailbox mail;
};

struct two_sides {
  mailbox_queues queues{2};
  side first{queues, 0};
  side other{queues, 1};
  std::vector<int> ran;
  std::vector<int> back;
  std::vector<std::unique_ptr<numbered_call>> calls;

  void post(int count) {
    for (int i = 0; i < count; ++i) {
      calls.push_back(std::make_unique<numbered_call>(i, ran, back));
      first.mail.post(1, *calls.back());
    }
  }
};

bool counts_up(const std::vector<int>& numbers, std::size_t size) {
  if (numbers.size() != size) return false;
  for (std::size_t i = 0; i < size; ++i) {
    if (numbers[i] != static_cast<int>(i)) return false;
  }
  return true;
}

void turn(side& of) {
  of.loop.turn(std::chrono::nanoseconds{0});
  of.mail.end_turn();
}

}  // namespace

TEST_CASE("a call runs on the target and returns") {
  two_sides sides;
  sides.post(1);
  turn(sides.other);
  CHECK(sides.ran.empty());  // the sender wakes the target at the end of its turn
  turn(sides.first);
  turn(sides.other);
  CHECK(sides.ran == std::vector<int>{0});
  CHECK(sides.back.empty());
  turn(sides.first);
  CHECK(sides.back == std::vector<int>{0});
}

TEST_CASE("the calls of a turn cause one wake-up") {
  two_sides sides;
  sides.post(100);
  turn(sides.first);
  turn(sides.other);
  turn(sides.other);
  CHECK(sides.other.wake_ups.rings == 1);
  CHECK(counts_up(sides.ran, 100));
}

TEST_CASE("calls beyond the queue size wait at the sender and keep their order") {
  two_sides sides;
  constexpr int many = 5000;
  sides.post(many);
  for (int i = 0; i < 20; ++i) {
    turn(sides.first);
    turn(sides.other);
  }
  turn(sides.first);
  CHECK(counts_up(sides.ran, many));
  CHECK(counts_up(sides.back, many));
}

TEST_CASE("two threads: every call runs once and returns once, in order") {
  two_sides sides;
  constexpr int many = 5000;
  std::atomic<bool> over{false};
  std::jthread other([&] {
    while (!over) {
      turn(sides.other);
      std::this_thread::yield();
    }
  });
  sides.post(many);
  while (sides.back.size() < static_cast<std::size_t>(many)) {
    turn(sides.first);
    std::this_thread::yield();
  }
  over = true;
  other.join();
  CHECK(counts_up(sides.ran, many));
  CHECK(counts_up(sides.back, many));
}
