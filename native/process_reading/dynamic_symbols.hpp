// Looks up symbols that an ELF file exports, through its hash table (DT_GNU_HASH or DT_HASH), as
// the dynamic linker does. The file is untrusted input: chains are limited, and a malformed table
// has no symbols. Costs about ten small reads per name, whatever the size of the file. Any thread.
#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "process_reading/elf_file.hpp"

namespace stallscope::process_reading {

class dynamic_symbols {
 public:
  // The file must outlive this object.
  explicit dynamic_symbols(const elf_file& file);

  struct exported {
    std::uint64_t value = 0;
    std::uint64_t bytes = 0;
  };
  // Returns a defined symbol; nullopt if the file does not export it.
  [[nodiscard]] std::optional<exported> find(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint64_t> value_of(std::string_view name) const;

 private:
  struct table_addresses {
    std::uint64_t symbols = 0;
    std::uint64_t strings = 0;
    std::uint64_t gnu_hash = 0;
    std::uint64_t system_v_hash = 0;
  };
  template <class T>
  [[nodiscard]] std::optional<T> at(std::uint64_t address) const;
  [[nodiscard]] std::optional<exported> by_gnu_hash(std::string_view name) const;
  [[nodiscard]] std::optional<exported> by_system_v_hash(std::string_view name) const;
  [[nodiscard]] std::optional<exported> if_named(std::uint32_t index, std::string_view name) const;

  const elf_file* file_;
  table_addresses tables_;
};

}  // namespace stallscope::process_reading
