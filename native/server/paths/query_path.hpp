// The path `query`: real libraries in sequence. The request is QUERY <mac> <json>, where <mac> is
// the HMAC-SHA256 of the JSON under query_key in hexadecimal, and the JSON selects one row:
//   {"from": "items", "id": 17, "select": ["name", "price"], "tag": "anything"}
// The reply is the JSON {"tag": ..., "row": {...}}; row is null if it does not exist. Errors are
// replies that start with "ERR query: ".
//
// Steps: query_authenticate (libcrypto), query_parse (RapidJSON), query_plan, query_execute (a
// prepared SQLite statement on in-memory tables with the same rows in every shard), query_encode
// (RapidJSON), query_reply. Cost: making a path fills its tables, about 20 ms. One thread per path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/paths/path.hpp"

namespace stallscope::server {

// The key of the benchmark. It is public and protects nothing.
inline constexpr std::string_view query_key = "stallscope reference query";
inline constexpr std::int64_t query_rows = 2000;  // rows per table, with ids from 1
inline constexpr std::size_t max_query_bytes = std::size_t{16} << 10U;

// Throws std::runtime_error with the message of the failing library.
std::unique_ptr<path> make_query_path();

// The <mac> for a JSON text.
std::string query_mac(std::string_view json);

}  // namespace stallscope::server
