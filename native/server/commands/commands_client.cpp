#include <algorithm>
#include <array>
#include <string>

#include "server/commands/handlers.hpp"
#include "server/commands/text.hpp"

namespace stallscope::server::handlers {

namespace {
constexpr std::array<std::string_view, 4> unsupported_client_types{"master", "replica", "slave",
                                                                   "pubsub"};
}

bool valid_client_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char byte) { return byte >= '!' && byte <= '~'; });
}

void client_id(execution& on, request_words /*words*/, reply_writer& to) {
  to.integer(static_cast<std::int64_t>(on.client->id));
}

void client_getname(execution& on, request_words /*words*/, reply_writer& to) {
  if (on.client->name.empty()) {
    to.null();
  } else {
    to.bulk(on.client->name);
  }
}

void client_setname(execution& on, request_words words, reply_writer& to) {
  if (!valid_client_name(words[2])) {
    to.error(invalid_client_name);
    return;
  }
  on.client->name = words[2];
  to.ok();
}

// From redis 7.2; client libraries send it by default.
void client_setinfo(execution& on, request_words words, reply_writer& to) {
  const bool is_name = is_option(words[2], "lib-name");
  if (!is_name && !is_option(words[2], "lib-ver")) {
    to.error("ERR Unrecognized option '" + std::string(c_text(words[2], words[2].size())) + "'");
    return;
  }
  if (!valid_client_name(words[3])) {
    to.error(std::string("ERR ") + (is_name ? "lib-name" : "lib-ver") +
             " cannot contain spaces, newlines or special characters.");
    return;
  }
  (is_name ? on.client->library_name : on.client->library_version) = words[3];
  to.ok();
}

void client_info(execution& on, request_words /*words*/, reply_writer& to) {
  to.verbatim(on.server->client_line(*on.client) + "\n");
}

void client_list(execution& on, request_words words, reply_writer& to) {
  if (words.size() == 2) {
    to.verbatim(on.server->client_lines());
    return;
  }
  if (words.size() != 4 || !is_option(words[2], "type")) {
    to.error(syntax_error);
    return;
  }
  const bool none = std::any_of(unsupported_client_types.begin(), unsupported_client_types.end(),
                                [&](std::string_view type) { return is_option(words[3], type); });
  if (none) {
    to.verbatim("");
  } else if (is_option(words[3], "normal")) {
    to.verbatim(on.server->client_lines());
  } else {
    to.error("ERR Unknown client type '" + std::string(c_text(words[3], words[3].size())) + "'");
  }
}

// Clients are never evicted, so both settings succeed.
void client_no_evict(execution& /*on*/, request_words words, reply_writer& to) {
  if (is_option(words[2], "on") || is_option(words[2], "off")) {
    to.ok();
  } else {
    to.error(syntax_error);
  }
}

}  // namespace stallscope::server::handlers
