// Executes call frame instructions (DW_CFA_*, DWARF 5, 6.4.2) and writes the rows that they
// describe. Linear in the number of instructions. A program belongs to a single thread.
//  frame_program program(image, rows, max_bytes);
//  if (!program.run(function, common, function.start, function.end)) ++bad_entries;
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/byte_reader.hpp"
#include "unwind/frame_entries.hpp"
#include "unwind/frame_state.hpp"
#include "unwind/row_writer.hpp"
#include "unwind/table_content.hpp"

namespace stallscope::unwind {

class frame_program {
 public:
  // Executes at most `max_bytes` of instructions, which limits the cost of entries that share a CIE
  // or are executed in several pieces.
  frame_program(const elf_image& image, row_writer& into, std::uint64_t max_bytes);

  // Writes the rows of `function` in [from, to). Returns false and writes nothing if the
  // instructions are invalid.
  bool run(const function_entry& function, const common_entry& common, std::uint64_t from,
           std::uint64_t to);

  // Share (0..1) of the code after the first rows of functions whose caller frame the frame pointer
  // describes.
  [[nodiscard]] double frame_pointer_share() const noexcept;

 private:
  struct byte_totals {
    std::uint64_t described = 0;
    std::uint64_t by_frame_pointer = 0;
  };
  bool execute(std::span<const std::byte> instructions);
  bool step(byte_reader& reader);
  bool extended_step(std::uint8_t code, byte_reader& reader);
  bool location_step(std::uint8_t code, byte_reader& reader);
  bool cfa_step(std::uint8_t code, byte_reader& reader);
  bool register_step(std::uint8_t code, byte_reader& reader);
  bool define_cfa(std::uint64_t number, std::int64_t offset);
  bool set(std::uint64_t number, recovery how, std::int64_t value);
  bool restore_column(std::uint64_t number);
  bool restore_state();
  [[nodiscard]] std::int64_t factored(std::int64_t count) const noexcept;
  bool advance(std::uint64_t delta);
  bool move_to(std::uint64_t address);
  bool emit(std::uint64_t end);
  [[nodiscard]] bool by_frame_pointer() const noexcept;

  const elf_image& image_;
  row_writer& into_;
  architecture arch_;
  unsigned tracked_;  // registers below this number are tracked
  std::uint64_t bytes_left_;
  const common_entry* common_ = nullptr;
  const common_entry* initial_owner_ = nullptr;
  frame_state initial_;
  frame_state state_;
  std::vector<frame_state> saved_states_;
  std::uint64_t location_ = 0;
  std::uint64_t instructions_address_ = 0;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
  std::uint64_t function_start_ = 0;
  byte_totals totals_;
  byte_totals totals_before_;
};

}  // namespace stallscope::unwind
