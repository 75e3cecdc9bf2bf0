// Gives ids to the managed functions of all processes of a helper, and writes their lines of
// runtimes.jsonl. A reader adds a function once and keeps the id in its cache. Linear in the text.
// One thread.
//
//   const auto id = functions.add({.name = U"fib", .file = U"/a.js", .line = 3, .kind =
//   "turbofan"});
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "process_reading/numbering.hpp"

namespace stallscope::managed_frames {

// [begin, end) in the process.
struct address_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct function_facts {
  std::u32string name{};   // empty: not available, see `reason`
  std::u32string file{};   // script, class file or module; may be empty
  std::uint32_t line = 0;  // of the definition; 0: not known
  // interpreted, baseline, maglev, turbofan, c1, c2, builtin, regexp, stub, native
  std::string_view kind{};
  std::string_view reason{};  // why there is no name; plain ASCII
  address_range code{};       // instructions of an interpreter; empty: not known
};

class function_log {
 public:
  function_log(process_reading::numbering ids, std::string& lines) : ids_{ids}, lines_{&lines} {}

  std::uint64_t add(pid_t pid, const function_facts& facts);

 private:
  process_reading::numbering ids_;
  std::string* lines_;
};

}  // namespace stallscope::managed_frames
