#include "unwind/row_writer.hpp"

namespace stallscope::unwind {

void row_writer::push(std::uint64_t address, std::uint32_t rule_number) {
  const auto start = static_cast<std::uint32_t>(address - into_.first_address);
  if (!into_.rule_numbers.empty() && into_.rule_numbers.back() == rule_number) return;
  into_.starts.push_back(start);
  into_.rule_numbers.push_back(rule_number);
}

void row_writer::write(std::uint64_t start, std::uint64_t end, std::uint32_t rule_number) {
  if (start > end_ && !into_.starts.empty()) push(end_, 0);
  push(start, rule_number);
  end_ = end;
}

void row_writer::roll_back(const mark& to) {
  into_.starts.resize(to.rows);
  into_.rule_numbers.resize(to.rows);
  end_ = to.end;
}

void row_writer::finish() {
  if (!into_.starts.empty()) push(end_, 0);
}

}  // namespace stallscope::unwind
