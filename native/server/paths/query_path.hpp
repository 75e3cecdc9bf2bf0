// The path `query`: real libraries one after another. QUERY <mac> <json>, where <mac> is the
// HMAC-SHA256 of the JSON's bytes under query_key, in hexadecimal, and the JSON asks for one row:
//   {"from": "items", "id": 17, "select": ["name", "price"], "tag": "anything"}
// The reply is the JSON of {"tag": ..., "row": {...}}, with a row of null where there is none.
// What is wrong with a request is a reply that begins with "ERR query: ".
//
// Steps: query_authenticate (libcrypto), query_parse (RapidJSON), query_plan, query_execute (a
// prepared SQLite statement on tables in memory, of the same rows in every shard), query_encode
// (RapidJSON), query_reply. Making a path fills its tables: some 20 ms. One thread a path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/paths/path.hpp"

namespace stallscope::server {

// The benchmark's key, known to all: it proves nothing about who asks.
inline constexpr std::string_view query_key = "stallscope reference query";
inline constexpr std::int64_t query_rows = 2000;  // of each table, by ids from 1
inline constexpr std::size_t most_query_bytes = std::size_t{16} << 10U;

// Throws std::runtime_error with the library's words where one of them fails.
std::unique_ptr<path> make_query_path();

// The <mac> of a request's JSON.
std::string query_mac(std::string_view json);

}  // namespace stallscope::server
