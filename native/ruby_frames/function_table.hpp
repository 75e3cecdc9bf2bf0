// The functions of a Ruby process: from an instruction sequence and a method entry to label, class
// and file, and from an instruction to its line. Names are read once; whether the sequence and the
// entry are still the same is checked at each use, with one read for all functions of a stack.
// Everything is untrusted and limited. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "managed_frames/function_log.hpp"
#include "process_reading/process_memory.hpp"
#include "ruby_frames/layout.hpp"
#include "ruby_frames/line_table.hpp"
#include "ruby_frames/objects.hpp"

namespace stallscope::ruby_frames {

// What a frame executes. Without a sequence it is a method written in C; without a method entry,
// code outside methods.
struct executed_code {
  std::uint64_t sequence = 0;
  std::uint64_t method = 0;
  bool operator==(const executed_code&) const = default;
};

struct named_function {
  std::uint64_t id = 0;  // of the function log
  std::uint64_t first_instruction = 0;
  const line_table* lines = nullptr;  // valid until the next call
};

class function_table {
 public:
  // The log must outlive the table.
  function_table(process_reading::process_memory memory, const layout& fields, objects names,
                 managed_frames::function_log& log, pid_t pid)
      : memory_{memory}, fields_{fields}, objects_{std::move(names)}, log_{&log}, pid_{pid} {}

  // The functions in the order of the codes.
  std::vector<named_function> at(std::span<const executed_code> codes);

 private:
  // The words that identify the code: those of the body, of the sequence, and of the method entry.
  struct identity {
    std::uint64_t body = 0;
    std::uint64_t encoded = 0;
    std::uint64_t path = 0;
    std::uint64_t label = 0;
    std::uint64_t called_id = 0;
    std::uint64_t owner = 0;
    bool operator==(const identity&) const = default;
  };
  struct entry {
    identity now{};
    std::uint64_t id = 0;
    line_table lines{};
  };
  struct hash_of_code {
    std::size_t operator()(const executed_code& code) const noexcept;
  };
  [[nodiscard]] bool read_identities(std::span<const executed_code> codes,
                                     std::span<identity> into) const;
  [[nodiscard]] bool read_identity(const executed_code& code, identity& into) const;
  void name(const executed_code& code, const identity& now, entry& into);
  [[nodiscard]] line_table lines_of(std::span<const std::byte> body) const;
  std::uint64_t unnamed();

  process_reading::process_memory memory_;
  layout fields_;
  objects objects_;
  managed_frames::function_log* log_;
  pid_t pid_;
  std::unordered_map<executed_code, entry, hash_of_code> known_;
  std::uint64_t unnamed_ = 0;
};

}  // namespace stallscope::ruby_frames
