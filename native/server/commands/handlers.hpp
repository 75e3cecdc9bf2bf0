// The handlers of the commands. The table in command_table.cpp defines when and where they run.
#pragma once

#include <cstdint>
#include <string_view>

#include "server/commands/command.hpp"

namespace stallscope::server::handlers {

using resp::reply_writer;

inline constexpr std::string_view syntax_error = "ERR syntax error";
inline constexpr std::string_view not_an_integer = "ERR value is not an integer or out of range";

// commands_strings.cpp
void get(execution& on, request_words words, reply_writer& to);
void set(execution& on, request_words words, reply_writer& to);
void setnx(execution& on, request_words words, reply_writer& to);
void setex(execution& on, request_words words, reply_writer& to);
void psetex(execution& on, request_words words, reply_writer& to);
void mget(execution& on, request_words words, reply_writer& to);
void mset(execution& on, request_words words, reply_writer& to);
void strlen(execution& on, request_words words, reply_writer& to);
void incr(execution& on, request_words words, reply_writer& to);
void decr(execution& on, request_words words, reply_writer& to);
void incrby(execution& on, request_words words, reply_writer& to);
void decrby(execution& on, request_words words, reply_writer& to);

// commands_keys.cpp
void del(execution& on, request_words words, reply_writer& to);
void exists(execution& on, request_words words, reply_writer& to);
void type(execution& on, request_words words, reply_writer& to);
void expire(execution& on, request_words words, reply_writer& to);
void pexpire(execution& on, request_words words, reply_writer& to);
void expireat(execution& on, request_words words, reply_writer& to);
void pexpireat(execution& on, request_words words, reply_writer& to);
void ttl(execution& on, request_words words, reply_writer& to);
void pttl(execution& on, request_words words, reply_writer& to);
void persist(execution& on, request_words words, reply_writer& to);
void dbsize(execution& on, request_words words, reply_writer& to);
void flush(execution& on, request_words words, reply_writer& to);

// commands_range.cpp
void range(execution& on, request_words words, reply_writer& to);

// commands_connection.cpp
void ping(execution& on, request_words words, reply_writer& to);
void echo(execution& on, request_words words, reply_writer& to);
void hello(execution& on, request_words words, reply_writer& to);
void auth(execution& on, request_words words, reply_writer& to);
void select(execution& on, request_words words, reply_writer& to);
void quit(execution& on, request_words words, reply_writer& to);
void reset(execution& on, request_words words, reply_writer& to);

// commands_client.cpp
void client_id(execution& on, request_words words, reply_writer& to);
void client_getname(execution& on, request_words words, reply_writer& to);
void client_setname(execution& on, request_words words, reply_writer& to);
void client_setinfo(execution& on, request_words words, reply_writer& to);
void client_info(execution& on, request_words words, reply_writer& to);
void client_list(execution& on, request_words words, reply_writer& to);
void client_no_evict(execution& on, request_words words, reply_writer& to);
// Whether the text is a valid name: printable and without spaces.
bool valid_client_name(std::string_view name);
inline constexpr std::string_view invalid_client_name =
    "ERR Client names cannot contain spaces, newlines or special characters.";

// commands_server.cpp
void info(execution& on, request_words words, reply_writer& to);
void compact(execution& on, request_words words, reply_writer& to);
void config_get(execution& on, request_words words, reply_writer& to);
void command_list_all(execution& on, request_words words, reply_writer& to);
void command_count(execution& on, request_words words, reply_writer& to);
void command_docs(execution& on, request_words words, reply_writer& to);
void command_info(execution& on, request_words words, reply_writer& to);
void command_list(execution& on, request_words words, reply_writer& to);

}  // namespace stallscope::server::handlers
