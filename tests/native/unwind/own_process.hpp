// This process as a walk sees a sampled one: its mappings with their tables, and copies of its
// stacks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "unwind/unwinder.hpp"

class own_process : public stallscope::unwind::code_map {
 public:
  own_process();  // reads /proc/self/maps and compiles what is mapped for execution
  const stallscope::unwind::mapped_code* find(std::uint64_t address) override;

  // Up to `most` bytes from `address` on, as the kernel copies them.
  static std::vector<std::byte> copy(std::uint64_t address, std::size_t most);

 private:
  std::map<std::string, std::unique_ptr<stallscope::unwind::table>> tables_;
  std::vector<stallscope::unwind::mapped_code> code_;
};
