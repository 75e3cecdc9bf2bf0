// Any requests, on a small keyspace that evicts: each gets exactly one well-formed reply, memory
// stays near its limit, and what was set is read back. The first byte chooses the protocol's
// version and the policy of eviction; a zero byte in a line lets time pass.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reply_shape.hpp"
#include "require.hpp"
#include "resp/request_parser.hpp"
#include "server/commands/command.hpp"

namespace {

using namespace stallscope;
using namespace stallscope::server;

constexpr std::size_t memory_bytes = 16 * 1024;
constexpr std::int64_t start_ms = 1'700'000'000'000;

class small_view : public server_view {
 public:
  std::string_view password() const override { return "pass"; }
  std::string info(std::span<const std::string_view> /*sections*/) override { return "# Info\r\n"; }
  std::string client_line(const session& client) override { return client.name; }
  std::string client_lines() override { return "id=1\n"; }
  std::vector<std::pair<std::string, std::string>> settings() override {
    return {{"save", ""}, {"appendonly", "no"}};
  }
};

class fuzzed_client {
 public:
  explicit fuzzed_client(std::uint8_t choice) : keys_(store::hash_seed{1, 2}) {
    keys_.advance(now_ms_);
    keys_.set_limit({memory_bytes, static_cast<store::eviction_policy>((choice >> 1U) % 5U)});
    client_.version = (choice & 1U) != 0 ? resp::protocol::resp3 : resp::protocol::resp2;
    client_.authenticated = (choice & 0x80U) == 0;
  }

  void ask(request_words words) {
    for (const std::string_view word : words) {
      now_ms_ += std::count(word.begin(), word.end(), '\0') * 100;
    }
    keys_.advance(now_ms_);
    resp::byte_buffer out;
    resp::reply_writer to(out, client_.version);
    if (const command* what = admit(words, client_, to); what != nullptr) {
      execution on{&keys_, what->keys == key_places::none ? &client_ : nullptr, &view_};
      run(*what, on, words, to);
      if (what->name == "set" && out.view() == "+OK\r\n" && words.size() == 3) {
        require(keys_.get(words[1]) == words[2]);
      }
    }
    std::string_view reply = out.view();
    require(remove_reply(reply) && reply.empty());
    keys_.sweep(4);
    largest_request_ = std::max(largest_request_, bytes_of(words));
    require(keys_.memory_bytes() <= memory_bytes + 16 * 1024 + 8 * largest_request_);
  }

 private:
  static std::size_t bytes_of(request_words words) {
    std::size_t bytes = 0;
    for (const std::string_view word : words) bytes += 64 + word.size();
    return bytes;
  }

  std::int64_t now_ms_ = start_ms;
  std::size_t largest_request_ = 0;
  store::keyspace keys_;
  session client_;
  small_view view_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  fuzzed_client client(data[0]);
  std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::span<char> left(input);
  resp::request_parser parser;
  while (true) {
    const resp::parse_status status = parser.parse(left);
    if (status == resp::parse_status::incomplete || status == resp::parse_status::error) return 0;
    if (status == resp::parse_status::request) client.ask(parser.words());
    left = left.subspan(parser.consumed());
  }
}
