// The newest lines of python.jsonl, runtimes.jsonl or waits.jsonl. Lines that later ones refer to
// are kept for longer, up to `max_bytes`. One thread.
//
//   flight_lines lines{monotonic_ns(), max_bytes};
//   file.divert(&lines.blocks());
//   while (recording) {
//     lines.blocks().cut(monotonic_ns());
//     lines.drop_before(horizon_ns);
//   }
//   file.append(lines.text());
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "collect/flight_blocks.hpp"
#include "collect/flight_definitions.hpp"

namespace stallscope::collect {

class flight_lines {
 public:
  flight_lines(std::uint64_t begin_ns, std::size_t max_bytes)
      : blocks_{begin_ns}, definitions_{max_bytes} {}

  [[nodiscard]] flight_blocks& blocks() { return blocks_; }
  [[nodiscard]] std::uint64_t size_bytes() const {
    return blocks_.size_bytes() + definitions_.size_bytes();
  }
  // Drops lines that were appended before that time.
  void drop_before(std::uint64_t ns);
  // All lines that are kept.
  [[nodiscard]] std::string text() { return definitions_.text_with(kept_text()); }
  // Definitions that did not fit into the memory, and lines without theirs.
  [[nodiscard]] std::uint64_t dropped() const { return definitions_.dropped(); }

 private:
  [[nodiscard]] std::string kept_text() const;

  flight_blocks blocks_;
  flight_definitions definitions_;
};

}  // namespace stallscope::collect
