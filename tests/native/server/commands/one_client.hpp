// One client of one shard, without a network: maps request lines to replies.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "resp/request_parser.hpp"
#include "server/commands/command.hpp"

namespace stallscope::test {

class fixed_view : public server::server_view {
 public:
  std::string secret;

  std::string_view password() const override { return secret; }
  std::string info(std::span<const std::string_view> sections) override {
    std::string text = "# Sections\r\n";
    for (const std::string_view section : sections) text += std::string(section) + "\r\n";
    return text;
  }
  std::string client_line(const server::session& client) override {
    return "id=" + std::to_string(client.id) + " name=" + client.name;
  }
  std::string client_lines() override { return "id=1\nid=2\n"; }
  std::vector<std::pair<std::string, std::string>> settings() override {
    return {{"save", ""}, {"appendonly", "no"}, {"maxmemory", "0"}};
  }
};

class one_client {
 public:
  static constexpr std::int64_t start_ms = 1'700'000'000'000;

  one_client() : keys(store::hash_seed{1, 2}) {
    keys.advance(start_ms);
    client.id = 7;
  }

  // The reply to an inline command.
  std::string ask(std::string line) {
    line += "\n";
    resp::request_parser parser;
    if (parser.parse(line) != resp::parse_status::request) return "not a request";
    resp::byte_buffer out;
    resp::reply_writer to(out, client.version);
    if (const server::command* what = server::admit(parser.words(), client, to); what) {
      server::execution on{&keys, &client, &view};
      server::run(*what, on, parser.words(), to);
    }
    return std::string(out.view());
  }

  store::keyspace keys;
  server::session client;
  fixed_view view;
};

}  // namespace stallscope::test
