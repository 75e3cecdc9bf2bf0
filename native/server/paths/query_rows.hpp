// The tables of the query path and their prepared statements: one in-memory SQLite database. One
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace stallscope::server {

inline constexpr std::size_t query_columns = 6;

struct query_table {
  std::string_view name;
  std::array<std::string_view, query_columns> columns;
};

std::span<const query_table> query_tables();

struct sqlite_close {
  void operator()(sqlite3* database) const noexcept;
};
struct sqlite_finalize {
  void operator()(sqlite3_stmt* statement) const noexcept;
};
using query_statement = std::unique_ptr<sqlite3_stmt, sqlite_finalize>;

class query_database {
 public:
  // Fills the tables. Throws std::runtime_error with the message of SQLite.
  query_database();

  // Statement that selects all columns of the row with an id; `table` is an index into
  // query_tables().
  [[nodiscard]] sqlite3_stmt* by_id(std::size_t table) const { return statements_[table].get(); }

 private:
  void run(const char* sql);
  void fill(std::size_t table);
  query_statement prepare(std::string_view sql);

  std::unique_ptr<sqlite3, sqlite_close> database_;
  std::array<query_statement, 2> statements_;
};

}  // namespace stallscope::server
