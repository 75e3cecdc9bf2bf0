// Cache of recently used rules by address, because most frames of most chains are at a few thousand
// addresses. Direct-mapped, 384 KiB; a lookup takes constant time. A cache belongs to a single
// unwinder and its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "unwind/table_content.hpp"

namespace stallscope::unwind {

// The rule for a frame, with the data that it refers to.
struct applied_rule {
  const rule* definition = nullptr;
  const table_reader::content* content = nullptr;
  std::uint64_t load_bias = 0;
  bool reads_registers = false;  // to recover other registers, not only the CFA
  bool may_land = false;         // belongs to a function that ends with __builtin_eh_return
};

class rule_cache {
 public:
  rule_cache() : entries_(size) {}

  // Returns nullptr on a miss. `version` is the version of the mappings, never 0.
  [[nodiscard]] const applied_rule* find(std::uint64_t address,
                                         std::uint64_t version) const noexcept {
    const entry& cached = entries_[slot_of(address)];
    return cached.address == address && cached.version == version ? &cached.value : nullptr;
  }
  void insert(std::uint64_t address, std::uint64_t version, const applied_rule& value) noexcept {
    entries_[slot_of(address)] = {.address = address, .version = version, .value = value};
  }

 private:
  struct entry {
    std::uint64_t address = 0;
    std::uint64_t version = 0;
    applied_rule value;
  };
  static constexpr std::size_t size = std::size_t{1} << 13U;

  static std::size_t slot_of(std::uint64_t address) noexcept {
    return (address ^ address >> 13U) % size;
  }

  std::vector<entry> entries_;
};

}  // namespace stallscope::unwind
