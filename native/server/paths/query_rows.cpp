#include "server/paths/query_rows.hpp"

#include <sqlite3.h>

#include <stdexcept>
#include <string>

#include "server/paths/query_path.hpp"

namespace stallscope::server {
namespace {

constexpr std::array<query_table, 2> tables{{
    {"items", {"id", "name", "kind", "price", "stock", "note"}},
    {"people", {"id", "name", "city", "balance", "visits", "mail"}},
}};

std::string create_statement(const query_table& table) {
  constexpr std::array<std::string_view, query_columns> types{
      "INTEGER PRIMARY KEY", "TEXT", "TEXT", "REAL", "INTEGER", "TEXT"};
  std::string sql = "CREATE TABLE " + std::string(table.name) + " (";
  for (std::size_t i = 0; i < query_columns; ++i) {
    sql.append(i == 0 ? "" : ", ").append(table.columns[i]).append(" ").append(types[i]);
  }
  return sql + ")";
}

void bind_row(sqlite3_stmt* insert, std::string_view table, std::int64_t id) {
  const auto number = std::to_string(id);
  const auto text = [insert](int column, const std::string& value) {
    sqlite3_bind_text(insert, column, value.data(), static_cast<int>(value.size()),
                      SQLITE_TRANSIENT);
  };
  sqlite3_bind_int64(insert, 1, id);
  text(2, std::string(table) + " number " + number);
  text(3, "of kind " + std::to_string(id % 17));
  sqlite3_bind_double(insert, 4, static_cast<double>(id * 7919 % 100'000) / 100.0);
  sqlite3_bind_int64(insert, 5, id * 31 % 1000);
  text(6, "kept \"here\" since " + number + ", until it changes");
}

}  // namespace

std::span<const query_table> query_tables() { return tables; }

void sqlite_close::operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
void sqlite_finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

query_database::query_database() {
  // Used by one thread: the mutexes of SQLite are disabled.
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  sqlite3* opened = nullptr;
  const auto status = sqlite3_open_v2(":memory:", &opened, flags, nullptr);
  database_.reset(opened);
  if (status != SQLITE_OK) {
    throw std::runtime_error(std::string("SQLite: ") + sqlite3_errstr(status));
  }
  run("BEGIN");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    fill(i);
  }
  run("COMMIT");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    statements_[i] = prepare("SELECT * FROM " + std::string(tables[i].name) + " WHERE id = ?1");
  }
}

void query_database::run(const char* sql) {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(database_.get()));
  }
}

query_statement query_database::prepare(std::string_view sql) {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &prepared, nullptr) != SQLITE_OK) {
    throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(database_.get()));
  }
  return query_statement(prepared);
}

void query_database::fill(std::size_t table) {
  run(create_statement(tables[table]).c_str());
  const auto insert = prepare("INSERT INTO " + std::string(tables[table].name) +
                              " VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  for (std::int64_t id = 1; id <= query_rows; ++id) {
    bind_row(insert.get(), tables[table].name, id);
    if (sqlite3_step(insert.get()) != SQLITE_DONE) {
      throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(database_.get()));
    }
    sqlite3_reset(insert.get());
  }
}

}  // namespace stallscope::server
