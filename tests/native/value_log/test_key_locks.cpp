#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "value_log/key_locks.hpp"

using namespace stallscope::value_log;

namespace {

class operation final : public key_locks::holder {
 public:
  operation(std::vector<std::uint64_t> keys, bool changes) {
    hashes = std::move(keys);
    exclusive = changes;
  }
  void all_held() noexcept override { held = true; }
  bool held = false;
};

}  // namespace

TEST_CASE("readers run together and writers exclusively, in order of arrival") {
  key_locks locks;
  operation read({1}, false);
  operation also({1}, false);
  operation write({1}, true);
  operation late({1}, false);
  operation other({2}, true);
  for (operation* requester : {&read, &also, &write, &late, &other}) locks.acquire(*requester);
  CHECK(read.held);
  CHECK(also.held);
  CHECK_FALSE(write.held);
  CHECK_FALSE(late.held);
  CHECK(other.held);
  locks.release(read);
  CHECK_FALSE(write.held);
  locks.release(also);
  CHECK(write.held);
  CHECK_FALSE(late.held);
  locks.release(write);
  CHECK(late.held);
}

TEST_CASE("a duplicate key counts once") {
  key_locks locks;
  operation twice({5, 5}, true);
  operation next({5}, true);
  locks.acquire(twice);
  locks.acquire(next);
  CHECK(twice.held);
  locks.release(twice);
  CHECK(next.held);
}

TEST_CASE("an operation on all keys waits for earlier ones and delays later ones") {
  key_locks locks;
  operation before({1}, true);
  operation all({}, true);
  all.whole = true;
  operation after({2}, false);
  for (operation* requester : {&before, &all, &after}) locks.acquire(*requester);
  CHECK_FALSE(all.held);
  CHECK_FALSE(after.held);
  locks.release(before);
  CHECK(all.held);
  CHECK_FALSE(after.held);
  locks.release(all);
  CHECK(after.held);
}

TEST_CASE("every operation gets its keys, and writers are exclusive") {
  std::mt19937 random(7);
  key_locks locks;
  std::vector<std::unique_ptr<operation>> waiting;
  for (int step = 0; step < 3000; ++step) {
    if (step < 2000) {
      std::vector<std::uint64_t> keys;
      for (unsigned i = random() % 3 + 1; i != 0; --i) keys.push_back(random() % 6);
      waiting.push_back(std::make_unique<operation>(keys, random() % 2 == 0));
      waiting.back()->whole = random() % 50 == 0;
      if (waiting.back()->whole) waiting.back()->hashes.clear();
      locks.acquire(*waiting.back());
    }
    std::map<std::uint64_t, std::pair<int, int>> held;  // readers, writers
    std::vector<std::size_t> running;
    bool whole_running = false;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (!waiting[i]->held) continue;
      running.push_back(i);
      for (const auto hash : waiting[i]->hashes) {
        ++(waiting[i]->exclusive ? held[hash].second : held[hash].first);
      }
      whole_running = whole_running || waiting[i]->whole;
    }
    if (whole_running) CHECK(running.size() == 1);
    for (const auto& [hash, counts] : held) {
      if (counts.second != 0) CHECK(counts.first + counts.second == 1);
    }
    if (running.empty()) {
      REQUIRE(waiting.empty());
      continue;
    }
    const std::size_t ended = running[random() % running.size()];
    const auto done = std::move(waiting[ended]);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(ended));
    locks.release(*done);
  }
}
