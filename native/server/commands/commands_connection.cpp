#include <cstdint>
#include <optional>
#include <string>

#include "resp/integer.hpp"
#include "server/commands/handlers.hpp"
#include "server/commands/text.hpp"

namespace stallscope::server::handlers {

namespace {

constexpr std::string_view wrong_password =
    "WRONGPASS invalid username-password pair or user is disabled.";
constexpr std::string_view the_only_user = "default";

// Constant time, independent of the position of the difference.
bool same_secret(std::string_view left, std::string_view right) {
  unsigned difference = left.size() == right.size() ? 0 : 1;
  for (std::size_t at = 0; at < left.size(); ++at) {
    const char beside = right.empty() ? '\0' : right[at % right.size()];
    difference |= static_cast<unsigned char>(left[at]) ^ static_cast<unsigned char>(beside);
  }
  return difference == 0;
}

bool may_enter(const server_view& server, std::string_view user, std::string_view password) {
  if (user != the_only_user) return false;
  return server.password().empty() || same_secret(password, server.password());
}

struct hello_options {
  std::optional<std::string_view> user;
  std::string_view password;
  std::optional<std::string_view> name;
};

std::optional<hello_options> parse_hello(request_words words, reply_writer& to) {
  hello_options options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::size_t more = words.size() - 1 - at;
    if (is_option(words[at], "auth") && more >= 2) {
      options.user = words[at + 1];
      options.password = words[at + 2];
      at += 2;
    } else if (is_option(words[at], "setname") && more >= 1) {
      options.name = words[++at];
      if (valid_client_name(*options.name)) continue;
      to.error(invalid_client_name);
      return std::nullopt;
    } else {
      to.error("ERR Syntax error in HELLO option '" +
               std::string(c_text(words[at], words[at].size())) + "'");
      return std::nullopt;
    }
  }
  return options;
}

// Writes an error and returns nothing if the version is not supported.
std::optional<resp::protocol> parse_version(std::string_view word, reply_writer& to) {
  const auto version = resp::to_integer(word);
  if (!version) {
    to.error("ERR Protocol version is not an integer or out of range");
    return std::nullopt;
  }
  if (*version != 2 && *version != 3) {
    to.error("NOPROTO unsupported protocol version");
    return std::nullopt;
  }
  return static_cast<resp::protocol>(*version);
}

void introduce(const session& client, reply_writer& to) {
  to.map(7);
  to.bulk("server");
  to.bulk("stallscope");
  to.bulk("version");
  to.bulk(STALLSCOPE_VERSION);
  to.bulk("proto");
  to.integer(static_cast<std::int64_t>(client.version));
  to.bulk("id");
  to.integer(static_cast<std::int64_t>(client.id));
  to.bulk("mode");
  to.bulk("standalone");
  to.bulk("role");
  to.bulk("master");
  to.bulk("modules");
  to.array(0);
}

}  // namespace

void ping(execution& /*on*/, request_words words, reply_writer& to) {
  if (words.size() > 2) {
    to.error("ERR wrong number of arguments for 'ping' command");
  } else if (words.size() == 2) {
    to.bulk(words[1]);
  } else {
    to.simple("PONG");
  }
}

void echo(execution& /*on*/, request_words words, reply_writer& to) { to.bulk(words[1]); }

void hello(execution& on, request_words words, reply_writer& to) {
  session& client = *on.client;
  auto version = std::optional(client.version);
  if (words.size() > 1) version = parse_version(words[1], to);
  if (!version) return;
  const auto options = parse_hello(words.subspan(words.size() > 1 ? 2 : 1), to);
  if (!options) return;
  if (options->user && !may_enter(*on.server, *options->user, options->password)) {
    to.error(wrong_password);
    return;
  }
  if (options->user) client.authenticated = true;
  if (!client.authenticated) {
    to.error(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
        "<proto> AUTH <user> <pass> option can be used to authenticate the client and select the "
        "RESP protocol version at the same time");
    return;
  }
  if (options->name) client.name = *options->name;
  client.version = *version;
  to.set_version(*version);
  introduce(client, to);
}

void auth(execution& on, request_words words, reply_writer& to) {
  if (words.size() > 3) {
    to.error(syntax_error);
  } else if (words.size() == 2 && on.server->password().empty()) {
    to.error(
        "ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?");
  } else if (may_enter(*on.server, words.size() == 3 ? words[1] : the_only_user, words.back())) {
    on.client->authenticated = true;
    to.ok();
  } else {
    to.error(wrong_password);
  }
}

void select(execution& /*on*/, request_words words, reply_writer& to) {
  const auto index = resp::to_integer(words[1]);
  if (!index) {
    to.error(not_an_integer);
  } else if (*index != static_cast<std::int32_t>(*index)) {
    to.error("ERR value is out of range, value must between -2147483648 and 2147483647");
  } else if (*index != 0) {
    to.error("ERR DB index is out of range");
  } else {
    to.ok();
  }
}

void quit(execution& on, request_words /*words*/, reply_writer& to) {
  on.client->closing = true;
  to.ok();
}

void reset(execution& on, request_words /*words*/, reply_writer& to) {
  session& client = *on.client;
  client.name.clear();
  client.version = resp::protocol::resp2;
  client.authenticated = on.server->password().empty();
  to.set_version(client.version);
  to.simple("RESET");
}

}  // namespace stallscope::server::handlers
