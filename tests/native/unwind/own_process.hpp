// The mappings of this process with their tables, and copies of its stacks, in the form that a walk
// of a sampled process uses. Costs a compilation of every mapped file; a single thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "unwind/unwinder.hpp"

class own_process : public stallscope::unwind::code_map {
 public:
  own_process();  // reads /proc/self/maps and compiles the executable mappings
  const stallscope::unwind::mapped_code* find(std::uint64_t address) override;

  // Copies up to `max_bytes` from `address` on, with the kernel's bounds checks.
  static std::vector<std::byte> copy(std::uint64_t address, std::size_t max_bytes);

 private:
  std::map<std::string, std::unique_ptr<stallscope::unwind::table>> tables_;
  std::vector<stallscope::unwind::mapped_code> code_;
};
