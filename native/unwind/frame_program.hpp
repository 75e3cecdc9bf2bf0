// Runs the instructions of call frame information (DW_CFA_*, DWARF 5, 6.4.2) and writes the rows
// that they describe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "unwind/byte_reader.hpp"
#include "unwind/frame_entries.hpp"
#include "unwind/frame_state.hpp"
#include "unwind/row_writer.hpp"
#include "unwind/table_content.hpp"

namespace stallscope::unwind {

class frame_program {
 public:
  // `most_bytes` of instructions are run at the most, so that entries which share their common
  // entry's or are run in pieces cost no more than a few times what they take.
  frame_program(const elf_image& image, row_writer& into, std::uint64_t most_bytes);

  // Writes the rows of `function` that lie in [from, to); false, and nothing written, where its
  // instructions make no sense.
  bool run(const function_entry& function, const common_entry& common, std::uint64_t from,
           std::uint64_t to);

  // Share of bytes behind the functions' first rows whose frame the frame pointer finds.
  [[nodiscard]] double frame_pointer_share() const noexcept;

 private:
  struct bytes_counted {
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
  unsigned tracked_;  // registers below this number are followed
  std::uint64_t bytes_left_;
  const common_entry* common_ = nullptr;
  const common_entry* initial_of_ = nullptr;
  frame_state initial_;
  frame_state state_;
  std::vector<frame_state> remembered_;
  std::uint64_t location_ = 0;
  std::uint64_t instructions_address_ = 0;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
  std::uint64_t function_start_ = 0;
  bytes_counted counted_;
  bytes_counted counted_before_;
};

}  // namespace stallscope::unwind
