// The JavaScript functions of a process by their SharedFunctionInfo: names, scripts and lines. A
// function is read once, some 10 to 26 reads, and its address is checked again with two reads for
// each sample. A check serves all samples that are older than it. Sources are read once per script,
// within a budget, for the lines. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "managed_frames/function_log.hpp"
#include "v8_frames/heap.hpp"

namespace stallscope::v8_frames {

struct script_lines {
  std::u32string file;
  std::uint64_t source = 0;  // tagged, as it was read
  std::uint64_t name = 0;
  std::vector<std::uint32_t> newlines{};  // offsets
  bool has_lines = false;

  // The line of an offset, from 1; 0 if it is not known.
  [[nodiscard]] std::uint32_t line_at(std::int32_t offset) const;
};

// How the code of a function was made.
enum class code_kind { interpreted, baseline, maglev, turbofan, regexp, other };

struct known_function {
  std::size_t index = 0;                 // in the table
  const script_lines* script = nullptr;  // null for functions without a script
  bool operator==(const known_function&) const = default;
};

class function_table {
 public:
  // All references must outlive the table.
  function_table(heap& objects, const layout& fields, managed_frames::function_log& log, pid_t pid)
      : heap_{&objects}, fields_{&fields}, log_{&log}, pid_{pid} {}

  // Functions that were read after this time need not be read again.
  void begin_sample(std::uint64_t sample_ns) noexcept { sample_ns_ = sample_ns; }
  // The function of a tagged SharedFunctionInfo; nullopt if the object is another.
  std::optional<known_function> of_shared_info(std::uint64_t shared_info);
  // The function of a tagged JSFunction.
  std::optional<known_function> of_function(std::uint64_t function);
  // Whether two functions have the same name and place: one that was moved has several entries.
  [[nodiscard]] bool equal(const known_function& first, const known_function& second) const;
  // The id of a function that runs as this kind of code; new functions are added to the log.
  std::uint64_t id_of(const known_function& function, code_kind kind);
  // A frame without a name, one per reason; `kind` and `reason` are literals.
  std::uint64_t unnamed(std::string_view reason);
  // Code that is not a JavaScript function: a builtin or regular expression.
  std::uint64_t fixed(std::string_view name, std::string_view kind);

 private:
  struct entry {
    std::uint64_t name = 0;
    std::uint64_t script = 0;
    known_function function;
  };
  struct record {
    managed_frames::function_facts facts;
    std::array<std::uint64_t, 6> ids{};  // by code_kind; 0: not used yet
  };
  struct scope_facts {
    std::u32string name;
    std::int32_t start = -1;  // of the function in its script
  };
  struct function_reading {
    std::optional<known_function> function{};
    std::uint64_t read_ns = 0;
  };
  std::optional<std::uint64_t> shared_info_of(std::uint64_t function);
  const script_lines* script_of(std::uint64_t script);
  scope_facts facts_of(std::uint64_t name_or_scope);
  scope_facts facts_of_scope(std::uint64_t scope);

  heap* heap_;
  const layout* fields_;
  managed_frames::function_log* log_;
  pid_t pid_;
  std::unordered_map<std::uint64_t, entry> known_;                // by tagged SharedFunctionInfo
  std::unordered_map<std::uint64_t, function_reading> readings_;  // by tagged JSFunction
  std::uint64_t sample_ns_ = 0;
  std::vector<record> records_;
  std::unordered_map<std::uint64_t, script_lines> scripts_;
  std::unordered_map<std::string, std::uint64_t> fixed_;
  std::uint64_t source_bytes_ = 0;
};

}  // namespace stallscope::v8_frames
