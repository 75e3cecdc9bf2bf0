// The registers and stacks that samples hold a copy of: the first pass notes where they lie (16
// bytes a sample), the second reads each when its turn comes. Bytes that cannot be read again wait
// in a temporary file.
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

// One sample's copy; the spans stand until the next one is read.
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

  // Holds most chains of most programs, so that the rest of their copies need not be read.
  static constexpr std::size_t usual_bytes = 4096;

  // Keeps the place of a sample's copy, if it has one. `sample` counts in the order of the file.
  void add(std::uint32_t sample, const sample_fields& fields, const record& from);
  [[nodiscard]] bool empty() const { return places_.size() == 0; }
  // Nothing where the sample has no copy. At most `most_bytes` of registers and stack, which must
  // hold the registers. Throws capture_error where the source has changed.
  std::optional<copied_stack> read(std::uint32_t sample, std::size_t most_bytes);

 private:
  struct place {
    std::uint64_t offset = 0;
    std::uint16_t size = 0;
    std::uint16_t stack_at = 0;  // within it; behind the registers
    std::uint8_t abi = 0;        // none: no copy
    bool waits = false;          // in the temporary file
  };
  void fetch(const place& from, std::span<std::byte> into);

  byte_source& source_;
  const read_options& options_;
  column<place> places_;
  std::unique_ptr<temporary_file> waiting_;
  std::vector<std::uint64_t> buffer_;
};

}  // namespace stallscope::capture
