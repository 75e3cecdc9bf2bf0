// The queues of all shards on one disk: the limit of the process, and clients that disconnect.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hand_driven_server.hpp"
#include "server/shards/disk_totals.hpp"

namespace {

using namespace stallscope;
using namespace stallscope::server;
using namespace std::chrono_literals;

constexpr int max_turns = 3000;  // turns of at most 1 ms per shard
constexpr int keys = 100;

server_options on_disk(std::size_t threads, std::uint64_t limit) {
  server_options options;
  options.tcp = false;
  options.cpus.assign(threads, 0);
  options.path = path_kind::disk;
  options.disk.segment_bytes = std::uint64_t{1} << 20U;
  options.disk.limit = limit;
  return options;
}

std::string key(int number) { return "key" + std::to_string(number); }

class disk_clients {
 public:
  disk_clients(std::size_t threads, std::uint64_t limit) : server_(on_disk(threads, limit)) {
    const descriptor client = server_.connect();
    const std::string value(400, 'v');
    std::string requests;
    for (int i = 0; i < keys; ++i) requests += "SET " + key(i) + " " + value + "\r\n";
    hand_driven_server::send(client, requests);
    REQUIRE(replies(client, keys) == keys);
  }

  // Sends requests that read the values of all keys.
  static void send_reads(const descriptor& client) {
    std::string requests;
    for (int i = 0; i < keys; ++i) requests += "STRLEN " + key(i) + "\r\n";
    hand_driven_server::send(client, requests);
  }

  // Turns until `count` lines have arrived, and returns the number of lines. Records the largest
  // number of requests on the disk after any turn.
  int replies(const descriptor& client, int count) {
    int lines = 0;
    for (int turns = 0; turns < max_turns && lines < count; ++turns) {
      turn();
      const std::string received = hand_driven_server::receive(client).first;
      lines += static_cast<int>(std::ranges::count(received, '\n'));
    }
    return lines;
  }
  void turn() {
    for (const auto& shard : server_.server().shards()) {
      shard->loop().turn(idle_turns_ < 200 ? 0ms : 1ms);
      max_executing_ = std::max(max_executing_, in_class("executing"));
    }
    ++idle_turns_;
  }

  [[nodiscard]] std::uint64_t number(std::string_view name) {
    const auto known = disk_numbers();
    return total_of(server_.server(), *std::ranges::find(known, name, &disk_number::name));
  }
  [[nodiscard]] std::uint64_t in_class(std::string_view name) {
    const auto known = disk_class_numbers();
    const auto& number = *std::ranges::find(known, name, &disk_class_number::name);
    return total_of(server_.server(), number, 0) + total_of(server_.server(), number, 1);
  }
  [[nodiscard]] std::uint64_t max_executing() const { return max_executing_; }
  descriptor connect() { return server_.connect(); }

 private:
  hand_driven_server server_;
  std::uint64_t max_executing_ = 0;
  int idle_turns_ = 0;
};

}  // namespace

TEST_CASE("four threads together never have more requests on the disk than the limit") {
  disk_clients disk(4, 6);
  const descriptor client = disk.connect();
  disk_clients::send_reads(client);
  REQUIRE(disk.replies(client, keys) == keys);
  CHECK(disk.max_executing() <= 6);
  CHECK(disk.number("max_in_flight") == 6);
  CHECK(disk.in_class("limit_hits") > 0);
}

TEST_CASE("without a limit the threads pass on all requests") {
  disk_clients disk(4, 0);
  const descriptor client = disk.connect();
  disk_clients::send_reads(client);
  REQUIRE(disk.replies(client, keys) == keys);
  CHECK(disk.number("max_in_flight") > 6);
  CHECK(disk.in_class("limit_hits") == 0);
}

TEST_CASE("queued reads of a client that disconnects are cancelled and counted, on all shards") {
  disk_clients disk(2, 2);
  const std::uint64_t reads_before = disk.in_class("reads");
  {
    std::vector<descriptor> clients;
    clients.reserve(8);
    for (int i = 0; i < 8; ++i) clients.push_back(disk.connect());
    for (const descriptor& client : clients) disk_clients::send_reads(client);
    for (int i = 0; i < 4; ++i) disk.turn();
    REQUIRE(disk.in_class("queued") > 20);
  }
  const auto busy = [&] { return disk.in_class("queued") + disk.in_class("executing") != 0; };
  for (int turns = 0; turns < max_turns && busy(); ++turns) disk.turn();
  for (int turns = 0; turns < 20; ++turns) disk.turn();  // calls between shards
  CHECK(disk.in_class("queued") == 0);
  CHECK(disk.in_class("executing") == 0);
  CHECK(disk.number("cancelled_reads") > 20);
  CHECK(disk.in_class("reads") - reads_before + disk.number("cancelled_reads") <= 8 * keys);
  const descriptor other = disk.connect();
  disk_clients::send_reads(other);
  CHECK(disk.replies(other, keys) == keys);  // no key stays locked
}
