// Writes the rows of a table in order of address; equal neighbours become one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unwind/rule_pool.hpp"
#include "unwind/table_content.hpp"

namespace stallscope::unwind {

class row_writer {
 public:
  explicit row_writer(table_reader::content& into) : into_{into}, pool_{into} {}

  // From `start` on this rule, nothing known from `end` on.
  void write(std::uint64_t start, std::uint64_t end, std::uint32_t rule_number);
  [[nodiscard]] rule_pool& pool() noexcept { return pool_; }

  // What was written since is taken back by returning to a mark.
  struct mark {
    std::size_t rows = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] mark here() const noexcept { return {into_.starts.size(), end_}; }
  void take_back(const mark& to);
  void finish();  // closes the last row

 private:
  void push(std::uint64_t address, std::uint32_t rule_number);

  table_reader::content& into_;
  rule_pool pool_;
  std::uint64_t end_ = 0;
};

}  // namespace stallscope::unwind
