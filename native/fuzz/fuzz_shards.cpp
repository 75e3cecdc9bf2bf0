// Any requests of a client, in any pieces, to a server of two shards, with values in memory or on
// the disk: every request gets exactly one well-formed reply, in order, and the replies are those
// of a single keyspace. The first byte chooses the store and how the input is cut.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "reply_shape.hpp"
#include "require.hpp"
#include "resp/request_parser.hpp"
#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace {

using namespace stallscope;
using namespace stallscope::server;
using namespace std::chrono_literals;

constexpr int patience = 20'000;  // turns of at most 1 ms, if nothing happens
constexpr int quick_turns = 500;
constexpr std::size_t max_requests = 64;

server_options options(path_kind path) {
  server_options made;
  made.cpus = {0, 0};  // both shards run on this thread
  made.path = path;
  made.disk.segment_bytes = std::uint64_t{1} << 20U;
  return made;
}

class two_shards {
 public:
  explicit two_shards(path_kind path) : server_(options(path)) {}

  descriptor connect() {
    std::array<int, 2> ends{};
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
    descriptor own(ends[0]);
    require(server_.enter());
    session start;
    start.id = server_.next_id();
    start.authenticated = true;
    server_.shards()[0]->adopt(descriptor(ends[1]), start);
    return own;
  }
  void turn(std::chrono::nanoseconds longest = {}) {
    for (const auto& owner : server_.shards()) owner->loop().turn(longest);
  }

 private:
  shared_server server_;
};

// Servers live as long as the process: a ring takes milliseconds to create and to close.
two_shards& server_of(path_kind path) {
  static two_shards memory(path_kind::kv);
  static two_shards disk(path_kind::disk);
  return path == path_kind::disk ? disk : memory;
}

// Receives replies until `count` have arrived or the server closes the connection.
std::string receive(two_shards& server, const descriptor& client, std::size_t count) {
  std::string all;
  for (int turns = 0; turns < patience; ++turns) {
    if (count != 0 && replies_in(all) >= count) return all;
    std::array<char, 1 << 14> piece{};
    const ssize_t got = ::recv(client.get(), piece.data(), piece.size(), 0);
    if (got == 0) return all;
    if (got > 0) {
      all.append(piece.data(), static_cast<std::size_t>(got));
      turns = 0;
    } else {
      server.turn(turns < quick_turns ? 0ms : 1ms);
    }
  }
  require(false);  // a reply is missing
  return all;
}

void send(two_shards& server, const descriptor& client, std::string_view text, std::size_t step) {
  while (!text.empty()) {
    const ssize_t sent =
        ::send(client.get(), text.data(), std::min(step, text.size()), MSG_NOSIGNAL);
    if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EAGAIN) return;
    server.turn();
  }
}

// The requests of the input that behave the same in every store, in the encoding of libraries. It
// ends before the first that depends on time, on the connection or on the server.
struct program_text {
  std::string requests;
  std::size_t count = 0;
  std::string replies;  // of a single keyspace
};

bool is_comparable(const command& what, request_words words) {
  if (what.keys == key_places::none) return what.name == "dbsize" || what.name == "flushall";
  // Options of SET set expiries, or return replies that depend on them.
  return what.name.find("ttl") == std::string_view::npos && what.name != "setex" &&
         what.name != "psetex" && !what.name.ends_with("expire") && what.name != "getex" &&
         what.name.find("expire") == std::string_view::npos &&
         (what.name != "set" || words.size() == 3);
}

void add(program_text& made, request_words words) {
  made.requests += "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    made.requests.append("$").append(std::to_string(word.size())).append("\r\n");
    made.requests.append(word).append("\r\n");
  }
  ++made.count;
}

program_text read_program(std::string input) {
  program_text made;
  store::keyspace keys(store::hash_seed{1, 2});
  session client;
  client.authenticated = true;
  resp::byte_buffer out;
  std::span<char> left(input);
  resp::request_parser parser;
  while (made.count < max_requests) {
    const resp::parse_status status = parser.parse(left);
    if (status == resp::parse_status::incomplete || status == resp::parse_status::error) break;
    if (status == resp::parse_status::request) {
      resp::byte_buffer reply;
      resp::reply_writer to(reply, resp::protocol::resp2);
      const command* what = admit(parser.words(), client, to);
      if (what != nullptr) {
        if (!is_comparable(*what, parser.words())) break;
        execution on{.keys = &keys};
        run(*what, on, parser.words(), to);
      }
      out.append(reply.view());
      add(made, parser.words());
    }
    left = left.subspan(parser.consumed());
  }
  made.replies = out.view();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const program_text program =
      read_program(std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  if (program.count == 0) return 0;
  two_shards& server = server_of((data[0] & 1U) != 0 ? path_kind::disk : path_kind::kv);
  const std::size_t step = (data[0] & 2U) != 0 ? program.requests.size() : 1 + data[0];
  {
    const descriptor client = server.connect();
    send(server, client, "FLUSHALL\r\n", 64);
    require(receive(server, client, 1) == "+OK\r\n");
    send(server, client, program.requests, step);
    require(receive(server, client, program.count) == program.replies);
  }
  server.turn();
  return 0;
}
