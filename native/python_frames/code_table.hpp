// The code objects of a process. A code object is read once and numbered. Because an address may be
// reused for other code, its identity (names, line table, first line, size) is read again with
// every stack and compared. Costs a system call per stack, five for new code. A table belongs to a
// single thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "process_reading/numbering.hpp"
#include "process_reading/process_memory.hpp"
#include "python_frames/interpreter.hpp"

namespace stallscope::python_frames {

struct code_facts {
  std::uint64_t number = 0;
  std::u32string name;  // qualified; may contain lone surrogates, as Python strings may
  std::u32string file;
  std::int32_t first_line = 0;
  std::vector<std::byte> line_table;  // empty if it exceeds the size limit
};

class code_table {
 public:
  // `memory` and `python` must outlive the table. `numbers` is shared by the tables of all
  // processes.
  code_table(const process_reading::process_memory& memory, const interpreter& python,
             std::shared_ptr<process_reading::numbering> numbers);

  struct known_code {
    std::uint64_t number = 0;
    std::uint64_t instruction_bytes = 0;
  };
  // The ranges of memory to read before look_up(); valid until the next call.
  std::span<const process_reading::memory_range> header_ranges(
      std::span<const std::uint64_t> addresses);
  // Returns the code at every address, in the same order; nullopt if an address is not a code
  // object. New code is appended to `fresh`. The addresses are those of header_ranges().
  std::optional<std::vector<known_code>> look_up(std::span<const std::uint64_t> addresses,
                                                 std::vector<code_facts>& fresh);

 private:
  struct identity {
    std::uint64_t type = 0;
    std::uint64_t size = 0;
    std::uint64_t file_name = 0;
    std::uint64_t qualified_name = 0;
    std::uint64_t line_table = 0;
    std::int32_t first_line = 0;
    bool operator==(const identity&) const = default;
  };
  struct cached_code {
    identity code_identity;
    known_code code;
  };
  [[nodiscard]] identity identity_of(std::span<const std::byte> header) const;
  [[nodiscard]] std::optional<code_facts> read_facts(const identity& code);
  [[nodiscard]] std::optional<std::u32string> read_text(std::uint64_t address) const;
  [[nodiscard]] std::vector<std::byte> read_bytes(std::uint64_t address);

  const process_reading::process_memory* memory_;
  const interpreter* interpreter_;
  std::shared_ptr<process_reading::numbering> numbers_;
  std::size_t header_bytes_;
  std::unordered_map<std::uint64_t, cached_code> known_;
  std::vector<std::byte> headers_;
  std::vector<process_reading::memory_range> header_ranges_;
  std::uint64_t new_line_table_bytes_ = 0;
};

}  // namespace stallscope::python_frames
