// The rules that walks found lately, by address: most frames of most chains stand at some thousand
// addresses. Direct-mapped; 384 KiB; one unwinder's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "unwind/table_content.hpp"

namespace stallscope::unwind {

// The rule in force where a frame stands, with what it refers to.
struct applied_rule {
  const rule* how = nullptr;
  const table_reader::content* of = nullptr;
  std::uint64_t load_bias = 0;
  bool reads_registers = false;  // to recover others, not only to find the CFA
  bool may_land = false;         // of a function that ends by __builtin_eh_return
};

class rule_cache {
 public:
  rule_cache() : kept_(size) {}

  // nullptr where it is not kept. `version`: of the mappings, never 0.
  [[nodiscard]] const applied_rule* find(std::uint64_t address,
                                         std::uint64_t version) const noexcept {
    const entry& kept = kept_[place_of(address)];
    return kept.address == address && kept.version == version ? &kept.found : nullptr;
  }
  void keep(std::uint64_t address, std::uint64_t version, const applied_rule& found) noexcept {
    kept_[place_of(address)] = {.address = address, .version = version, .found = found};
  }

 private:
  struct entry {
    std::uint64_t address = 0;
    std::uint64_t version = 0;
    applied_rule found;
  };
  static constexpr std::size_t size = std::size_t{1} << 13U;

  static std::size_t place_of(std::uint64_t address) noexcept {
    return (address ^ address >> 13U) % size;
  }

  std::vector<entry> kept_;
};

}  // namespace stallscope::unwind
