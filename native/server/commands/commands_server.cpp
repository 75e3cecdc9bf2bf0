#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "server/commands/glob.hpp"
#include "server/commands/handlers.hpp"
#include "server/commands/text.hpp"

namespace stallscope::server::handlers {

namespace {

std::int64_t count_commands() {
  const auto all = all_commands();
  return std::count_if(all.begin(), all.end(),
                       [](const command& what) { return !what.is_subcommand(); });
}

std::vector<std::string_view> flags_of(const command& what) {
  std::vector<std::string_view> flags;
  if (what.needs_memory) flags.insert(flags.end(), {"write", "denyoom"});
  if (what.before_password) flags.emplace_back("no_auth");
  return flags;
}

// The ten fields that redis 7.0 returns per command; categories, tips, key specifications and
// subcommands are empty.
void describe(const command& what, reply_writer& to) {
  const auto flags = flags_of(what);
  const bool has_keys = what.keys != key_places::none;
  const bool only_one = what.keys == key_places::first;
  to.array(10);
  to.bulk(what.name);
  to.integer(what.arity);
  to.set(flags.size());
  for (const std::string_view flag : flags) to.simple(flag);
  to.integer(has_keys ? 1 : 0);
  to.integer(has_keys ? (only_one ? 1 : -1) : 0);
  to.integer(has_keys ? (what.keys == key_places::every_second ? 2 : 1) : 0);
  to.set(0);
  to.array(0);
  to.array(0);
  to.array(0);
}

void describe_all(reply_writer& to) {
  to.array(static_cast<std::size_t>(count_commands()));
  for (const command& what : all_commands()) {
    if (!what.is_subcommand()) describe(what, to);
  }
}

}  // namespace

void info(execution& on, request_words words, reply_writer& to) {
  to.verbatim(on.server->info(words.subspan(1)));
}

// With --path disk, the disk shard answers this command itself.
void compact(execution& /*on*/, request_words /*words*/, reply_writer& to) {
  to.error("ERR there is no log to compact: start the server with --path disk");
}

void config_get(execution& on, request_words words, reply_writer& to) {
  std::vector<std::pair<std::string, std::string>> matches;
  for (const auto& [name, value] : on.server->settings()) {
    const auto pattern_at =
        std::find_if(words.begin() + 2, words.end(),
                     [&name = name](auto pattern) { return glob_match(pattern, name); });
    if (pattern_at == words.end()) continue;
    // If requested by name, the reply uses the spelling of the client.
    const bool by_name = pattern_at->find_first_of("*?[") == std::string_view::npos;
    matches.emplace_back(by_name ? *pattern_at : name, value);
  }
  to.map(matches.size());
  for (const auto& [name, value] : matches) {
    to.bulk(name);
    to.bulk(value);
  }
}

void command_list_all(execution& /*on*/, request_words /*words*/, reply_writer& to) {
  describe_all(to);
}

void command_count(execution& /*on*/, request_words /*words*/, reply_writer& to) {
  to.integer(count_commands());
}

// There is no documentation; redis-cli works without it.
void command_docs(execution& /*on*/, request_words /*words*/, reply_writer& to) { to.map(0); }

void command_info(execution& /*on*/, request_words words, reply_writer& to) {
  if (words.size() == 2) {
    describe_all(to);
    return;
  }
  const auto all = all_commands();
  to.array(words.size() - 2);
  for (const std::string_view name : words.subspan(2)) {
    const auto entry = std::find_if(
        all.begin(), all.end(), [&](const command& what) { return is_option(name, what.name); });
    if (entry == all.end()) {
      to.null();
    } else {
      describe(*entry, to);
    }
  }
}

void command_list(execution& /*on*/, request_words words, reply_writer& to) {
  if (words.size() > 2) {
    to.error(syntax_error);
    return;
  }
  to.array(static_cast<std::size_t>(count_commands()));
  for (const command& what : all_commands()) {
    if (!what.is_subcommand()) to.bulk(what.name);
  }
}

}  // namespace stallscope::server::handlers
