#include "server/paths/request_file.hpp"

#include <initializer_list>
#include <ostream>
#include <random>
#include <stdexcept>
#include <string>

#include "server/paths/query_path.hpp"
#include "server/paths/query_rows.hpp"

namespace stallscope::server {
namespace {

// The standard fixes the output of std::mt19937_64, but not that of its distributions.
using chance = std::mt19937_64;

std::uint64_t below(chance& random, std::uint64_t bound) { return random() % bound; }

void write(std::ostream& out, std::initializer_list<std::string_view> words) {
  out << '*' << words.size() << "\r\n";
  for (const auto word : words) {
    out << '$' << word.size() << "\r\n" << word << "\r\n";
  }
}

std::string random_bytes(chance& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (auto& byte : bytes) {
    byte = static_cast<char>(below(random, 256));
  }
  return bytes;
}

void write_codec(std::ostream& out, chance& random) {
  write(out, {"CODEC", random_bytes(random, 64)});
}

void write_query(std::ostream& out, chance& random) {
  const auto tables = query_tables();
  const auto& table = tables[below(random, tables.size())];
  const auto id = 1 + below(random, static_cast<std::uint64_t>(query_rows) * 51 / 50);
  std::string json = R"({"from": ")" + std::string(table.name) + R"(", "id": )" +
                     std::to_string(id) + R"(, "select": [)";
  const auto first = below(random, 3);
  for (auto column = first; column < query_columns; column += 1 + below(random, 2)) {
    json.append(column == first ? "\"" : ", \"").append(table.columns[column]).append("\"");
  }
  json += R"(], "tag": "request \u00e9 )" + std::to_string(below(random, 1'000'000)) + "\"}";
  write(out, {"QUERY", query_mac(json), json});
}

void write_kv(std::ostream& out, chance& random) {
  const auto key = "key:" + std::to_string(below(random, 10'000));
  if (below(random, 10) == 0) {
    write(out, {"SET", key, random_bytes(random, 100)});
  } else {
    write(out, {"GET", key});
  }
}

}  // namespace

void write_requests(std::ostream& out, std::string_view path, std::uint64_t count,
                    std::uint64_t seed) {
  void (*write_one)(std::ostream&, chance&) = nullptr;
  if (path == "codec") {
    write_one = &write_codec;
  } else if (path == "query") {
    write_one = &write_query;
  } else if (path == "kv") {
    write_one = &write_kv;
  } else {
    throw std::invalid_argument("unknown path \"" + std::string(path) + "\"");
  }
  chance random(seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    write_one(out, random);
  }
}

}  // namespace stallscope::server
