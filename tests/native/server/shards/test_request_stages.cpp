// Requests that pass the stages of several shards, compared with a server without stages.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "hand_driven_server.hpp"
#include "server/shards/totals.hpp"

using namespace stallscope;
using namespace stallscope::server;

namespace {

constexpr int idle_turns = 6;  // a request crosses to another shard and back in three

server_options options_of(std::size_t shards, bool stages, stages::stage_settings settings = {}) {
  server_options options;
  options.cpus.assign(shards, 0);
  options.stages = stages;
  options.stage = settings;
  return options;
}

std::string encoded(const std::vector<std::string>& words) {
  std::string text = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) {
    text += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  }
  return text;
}

// All replies to what the client has sent.
std::string replies(hand_driven_server& server, const descriptor& client) {
  std::string all;
  for (int idle = 0; idle < idle_turns; ++idle) {
    server.turns(1);
    for (;;) {
      const std::string more = hand_driven_server::receive(client).first;
      if (more.empty()) break;
      all += more;
      idle = 0;
    }
  }
  return all;
}

class random_requests {
 public:
  explicit random_requests(unsigned seed) : random_(seed) {}

  std::string pipeline() {
    std::string text;
    for (auto left = between(1, 40); left > 0; --left) text += encoded(request());
    return text;
  }

 private:
  int between(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  std::string key() { return "k" + std::to_string(between(0, 15)); }
  std::string number() { return std::to_string(between(0, 99)); }
  std::vector<std::string> with_keys(std::string name) {
    std::vector<std::string> words{std::move(name)};
    for (auto left = between(1, 6); left > 0; --left) words.push_back(key());
    return words;
  }

  std::vector<std::string> request() {
    switch (between(0, 19)) {
      case 0:
      case 1:
      case 2:
        return {"GET", key()};
      case 3:
      case 4:
      case 5:
        return {"SET", key(), number()};
      case 6:
        return with_keys("MGET");
      case 7:
        return {"MSET", key(), number(), key(), number(), key(), number()};
      case 8:
        return with_keys("DEL");
      case 9:
        return with_keys("EXISTS");
      case 10:
      case 11:
        return {"INCR", key()};
      case 12:
      case 13:
        return {"RANGE", key(), key(), std::to_string(between(0, 5))};
      case 14:
        return {"DBSIZE"};
      case 15:
        return {between(0, 3) == 0 ? "FLUSHALL" : "DBSIZE"};
      case 16:
        return {"HELLO", std::to_string(between(2, 3)), "SETNAME", "c" + number()};
      case 17:
        return {"CLIENT", "GETNAME"};
      case 18:
        return {"SET", key(), number(), "GET", "XX"};
      default:
        return {"MSET", key()};  // an error
    }
  }

  std::mt19937 random_;
};

// HELLO reports the id of the client, which is the same for the first client of each server.
void check_equal_replies(std::size_t shards, stages::stage_settings settings, unsigned seed) {
  hand_driven_server unstaged(options_of(shards, false));
  hand_driven_server staged(options_of(shards, true, settings));
  const descriptor unstaged_client = unstaged.connect();
  const descriptor staged_client = staged.connect();
  random_requests requests(seed);
  for (int round = 0; round < 40; ++round) {
    const std::string pipeline = requests.pipeline();
    hand_driven_server::send(unstaged_client, pipeline);
    hand_driven_server::send(staged_client, pipeline);
    const std::string expected = replies(unstaged, unstaged_client);
    REQUIRE(!expected.empty());
    CAPTURE(shards);
    CAPTURE(pipeline);
    REQUIRE(replies(staged, staged_client) == expected);
  }
}

std::uint64_t executed(hand_driven_server& server, std::string_view name) {
  for (const stages::stage_counts& stage : stages_of(server.server())) {
    if (stage.name == name) return stage.calls_executed;
  }
  return 0;
}

}  // namespace

TEST_CASE(
    "random pipelines get the same replies with and without stages, on any number of shards") {
  for (const std::size_t shards : {1U, 2U, 3U}) {
    check_equal_replies(shards, {}, static_cast<unsigned>(shards));
  }
}

TEST_CASE("replies are the same if stages run at once, in small batches, or with full queues") {
  check_equal_replies(2, {.max_batch = 1}, 4);
  check_equal_replies(2, {.max_batch = 3}, 5);
  check_equal_replies(2, {.max_batch = 64, .queue_limit = 2}, 6);
}

TEST_CASE("a client that reads slowly gets all replies, in order, with and without stages") {
  std::vector<std::string> all;
  for (const bool stages : {false, true}) {
    hand_driven_server server(options_of(2, stages));
    const descriptor client = server.connect();
    for (int i = 0; i < 8; ++i) {
      const std::string value(30'000, static_cast<char>('a' + i));
      hand_driven_server::send(client, encoded({"SET", "k" + std::to_string(i), value}));
      server.turns(4);
    }
    std::string pipeline;
    for (int i = 0; i < 100; ++i) {
      const std::string key = "k" + std::to_string(i * 5 % 8);
      pipeline += encoded({"GET", key});
      if (i % 7 == 0) pipeline += encoded({"RANGE", "k0", "k9", "3"});
      if (i % 3 == 0) pipeline += encoded({"INCR", "n" + std::to_string(i % 4)});
      if (i % 11 == 0) pipeline += encoded({"MGET", "k0", "k1", "k2", "k3"});
    }
    hand_driven_server::send(client, pipeline);
    server.turns(10);  // the client does not read
    all.push_back(replies(server, client));
  }
  CHECK(all[0].size() > 3'000'000);
  CHECK(all[0] == all[1]);
}

TEST_CASE("each kind of request passes its stages") {
  hand_driven_server server(options_of(2, true));
  const descriptor client = server.connect();
  const std::string here = server.key_of_shard(0);
  const std::string there = server.key_of_shard(1);
  const auto pipelined = [&](const std::vector<std::string>& words) {
    hand_driven_server::send(client, encoded(words) + encoded(words));
    replies(server, client);
  };
  pipelined({"GET", here});
  CHECK(executed(server, "execute") == 2);
  CHECK(executed(server, "parse") == 0);
  pipelined({"SET", here, "v"});
  CHECK(executed(server, "apply_local") == 2);
  CHECK(executed(server, "apply_remote") == 0);
  pipelined({"GET", there});
  CHECK(executed(server, "apply_remote") == 2);
  pipelined({"MSET", here, "v", there, "v"});
  CHECK(executed(server, "apply_local") == 4);
  CHECK(executed(server, "apply_remote") == 4);
  CHECK(executed(server, "parse") == 6);
  CHECK(executed(server, "coordinate") == 6);
  CHECK(executed(server, "range") == 0);
  pipelined({"RANGE", "", "z", "10"});
  CHECK(executed(server, "range") == 4);
}

TEST_CASE("requests in the stages are finished when their client disconnects or the server ends") {
  hand_driven_server server(options_of(2, true, {.max_batch = 2}));
  descriptor client = server.connect();
  std::string pipeline;
  for (int i = 0; i < 60; ++i) {
    pipeline += encoded({"MSET", "k" + std::to_string(i), "v", "l" + std::to_string(i), "w"});
    pipeline += encoded({"RANGE", "k", "m", "5"});
  }
  hand_driven_server::send(client, pipeline);
  server.turns(1);
  client.reset();
  server.turns(10);
  CHECK(server.server().connected() == 0);
  const descriptor other = server.connect();
  hand_driven_server::send(other, pipeline);
  server.begin_shutdown();
  server.turns(10);
  CHECK(std::ranges::count(replies(server, other), '+') == 60);
}

TEST_CASE("changes of values on a disk pass the stage log before they are appended") {
  server_options options = options_of(2, true);
  options.path = path_kind::disk;
  options.disk.limit = 4;
  hand_driven_server server(options);
  const descriptor client = server.connect();
  std::string pipeline;
  for (int i = 0; i < 20; ++i) pipeline += encoded({"SET", "k" + std::to_string(i), "v"});
  hand_driven_server::send(client, pipeline + encoded({"RANGE", "", "z", "9"}));
  std::string all;
  for (int turn = 0; turn < 5000 && std::ranges::count(all, '\n') < 21; ++turn) {
    server.turns(1, std::chrono::milliseconds(1));
    all += hand_driven_server::receive(client).first;
  }
  CHECK(std::ranges::count(all, '+') == 20);
  CHECK(all.ends_with("-ERR RANGE is not available while values are on a disk\r\n"));
  CHECK(executed(server, "parse") == 20);
  CHECK(executed(server, "coordinate") == 20);
  CHECK(executed(server, "log") == 20);
  CHECK(executed(server, "apply_local") == 0);
}
