#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "server/shards/disk_executor.hpp"

using namespace stallscope::server;

namespace {

constexpr int patience = 2000;  // turns of at most 10 ms

// Sends requests to a shard without a directory and records the order of the replies.
class disk_fixture {
 public:
  explicit disk_fixture(const disk_options& options)
      : directory_(options.directory, 1),
        disk_(loop_, directory_, 0, options, std::size_t{64} << 20U) {}

  void send(const std::string& name, std::vector<std::string> words) {
    call& made = calls_.emplace_back();
    made.owner = this;
    made.number = calls_.size() - 1;
    words.insert(words.begin(), name);
    made.words_held = std::move(words);
    made.views.assign(made.words_held.begin(), made.words_held.end());
    const auto known = all_commands();
    made.what = &*std::ranges::find(known, name, &command::name);
    made.words = made.views;
    made.reply_to = &made.reply;
    disk_.submit(made);
  }
  // The numbers of all requests in the order of their replies.
  const std::vector<std::size_t>& answered() {
    for (int turns = 0; turns < patience && order_.size() < calls_.size(); ++turns) {
      loop_.turn(std::chrono::milliseconds{10});
      disk_.end_turn();
    }
    return order_;
  }
  [[nodiscard]] std::string_view reply(std::size_t number) const {
    return calls_[number].reply.view();
  }

 private:
  struct call final : disk_call {
    void disk_answered() noexcept override { owner->order_.push_back(number); }

    disk_fixture* owner = nullptr;
    std::size_t number = 0;
    std::vector<std::string> words_held;
    std::vector<std::string_view> views;
    stallscope::resp::byte_buffer reply;
  };

  stallscope::reactor::reactor loop_;
  stallscope::value_log::data_directory directory_;
  std::deque<call> calls_;
  std::vector<std::size_t> order_;
  disk_executor disk_;
};

std::size_t target_shard_of(const std::vector<std::size_t>& order, std::size_t number) {
  return static_cast<std::size_t>(std::ranges::find(order, number) - order.begin());
}

}  // namespace

TEST_CASE("a long value waits for memory, but not for later short values") {
  disk_options options;
  options.segment_bytes = std::uint64_t{1} << 20U;
  options.read_bytes = 60'000;
  disk_fixture fixture(options);
  fixture.send("set", {"first", std::string(50'000, 'f')});
  fixture.send("set", {"long", std::string(200'000, 'l')});
  for (int i = 0; i < 100; ++i) fixture.send("set", {"short" + std::to_string(i), "s"});
  REQUIRE(fixture.answered().size() == 102);
  fixture.send("strlen", {"first"});
  fixture.send("strlen", {"long"});
  for (int i = 0; i < 100; ++i) fixture.send("strlen", {"short" + std::to_string(i)});
  fixture.send("set", {"another", "reads nothing"});
  const std::vector<std::size_t>& order = fixture.answered();
  REQUIRE(order.size() == 205);
  CHECK(fixture.reply(102) == ":50000\r\n");
  CHECK(fixture.reply(103) == ":200000\r\n");
  for (std::size_t number = 104; number < 204; ++number) {
    CHECK(fixture.reply(number) == ":1\r\n");
    CHECK(target_shard_of(order, 103) < target_shard_of(order, number));
  }
  CHECK(fixture.reply(204) == "+OK\r\n");
}
