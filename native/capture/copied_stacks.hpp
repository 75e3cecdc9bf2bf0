// The copied registers and stacks of samples. The first pass stores their positions (16 bytes per
// sample), the second pass reads them one by one. Bytes that cannot be read again are kept in a
// temporary file. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "capture/capture.hpp"
#include "capture/read_capture.hpp"
#include "capture/record_stream.hpp"
#include "capture/sample_layout.hpp"
#include "capture/temporary_file.hpp"

namespace stallscope::capture {

// The copy of a sample. The spans are valid until the next read().
struct copied_stack {
  bool is_64_bit = false;
  std::span<const std::uint64_t> registers;
  std::span<const std::byte> stack;
  bool whole = true;  // no more of the stack was copied
};

class copied_stacks {
 public:
  copied_stacks(byte_source& source, memory_budget& budget, const read_options& options)
      : source_(source), options_(options), places_(budget) {}

  // Enough for most chains of most programs, so that the rest of a copy is rarely read.
  static constexpr std::size_t usual_bytes = 4096;

  // Stores the position of a sample's copy, if it has one. Samples are numbered in file order.
  void add(std::uint32_t sample, const sample_fields& fields, const record& from);
  [[nodiscard]] bool empty() const { return places_.size() == 0; }
  // Returns at most `max_bytes` of registers and stack, which must hold the registers; nullopt if
  // the sample has no copy. Throws capture_error if the source has changed.
  std::optional<copied_stack> read(std::uint32_t sample, std::size_t max_bytes);

 private:
  struct place {
    std::uint64_t offset = 0;
    std::uint16_t size = 0;
    std::uint16_t stack_at = 0;  // offset of the stack, after the registers
    std::uint8_t abi = 0;        // none: no copy
    bool in_temporary_file = false;
  };
  void fetch(const place& from, std::span<std::byte> into);

  byte_source& source_;
  const read_options& options_;
  column<place> places_;
  std::unique_ptr<temporary_file> temporary_;
  std::vector<std::uint64_t> buffer_;
};

}  // namespace stallscope::capture
