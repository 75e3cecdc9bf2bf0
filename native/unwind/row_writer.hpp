// Writes the rows of a table in address order and merges equal neighbours. A row takes amortized
// constant time. A writer belongs to a single thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unwind/rule_pool.hpp"
#include "unwind/table_content.hpp"

namespace stallscope::unwind {

class row_writer {
 public:
  explicit row_writer(table_reader::content& into) : into_{into}, pool_{into} {}

  // Applies the rule to [start, end). Code after `end` has no rule until the next write.
  void write(std::uint64_t start, std::uint64_t end, std::uint32_t rule_number);
  [[nodiscard]] rule_pool& pool() noexcept { return pool_; }

  // A position to roll back to, for entries that turn out to be invalid.
  struct mark {
    std::size_t rows = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] mark here() const noexcept { return {into_.starts.size(), end_}; }
  void roll_back(const mark& to);
  void finish();  // ends the last row

 private:
  void push(std::uint64_t address, std::uint32_t rule_number);

  table_reader::content& into_;
  rule_pool pool_;
  std::uint64_t end_ = 0;
};

}  // namespace stallscope::unwind
