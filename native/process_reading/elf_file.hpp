// The headers of a 64-bit ELF file in this machine's byte order, read with limits. The file is
// untrusted input. Costs two reads. Belongs to a single thread.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "process_reading/read_budget.hpp"

namespace stallscope::process_reading {

class elf_file {
 public:
  // Returns nullopt if the file is not such a file. `fd` must stay open.
  static std::optional<elf_file> open(int fd, read_budget& budget);

  [[nodiscard]] const Elf64_Ehdr& header() const noexcept { return header_; }
  [[nodiscard]] const std::vector<Elf64_Phdr>& segments() const noexcept { return segments_; }
  // Reads the section headers; empty if there are none or too many.
  [[nodiscard]] std::vector<Elf64_Shdr> sections() const;

  // Reads the whole range. Returns false if it is not in the file or the budget is exhausted.
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> into) const;
  template <class T>
  [[nodiscard]] std::optional<T> read_value(std::uint64_t offset) const {
    T value{};
    if (!read(offset, std::as_writable_bytes(std::span{&value, 1}))) return std::nullopt;
    return value;
  }
  // Returns the file offset of `bytes` bytes at a virtual address; nullopt if no segment contains
  // them.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t address,
                                                       std::uint64_t bytes) const;

 private:
  elf_file(int fd, read_budget& budget) noexcept : fd_{fd}, budget_{&budget} {}

  int fd_;
  read_budget* budget_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace stallscope::process_reading
