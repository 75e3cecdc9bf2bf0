// Samples in the text of `perf script`, counted by stack.
//
//   samples all({.style = {.kernel = true}});
//   all.read(descriptor);
//   all.folded();  // "command;outermost;leaf 250000\n", sorted
//
// A last sample without a blank line after it, samples without frames, and names that are not UTF-8
// are kept. Memory is bounded by the distinct stacks and names; a line longer than 1 MiB is skipped
// and counted as malformed. A sample without a period counts as 1, as in stackcollapse-perf. About
// 0.1 us per line. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf_script/event_line.hpp"
#include "perf_script/file_address.hpp"
#include "perf_script/frame_line.hpp"
#include "text_input/interned_strings.hpp"

namespace stallscope::perf_script {

struct options {
  name_style style;
  bool process_ids = false;   // "command-process" instead of "command"
  bool thread_ids = false;    // "command-process/thread"
  bool by_address = false;    // a function per address in a file, in file_addresses()
  std::string event;          // samples of this event; empty: of the first one in the text
  std::size_t max_times = 0;  // samples whose times are kept; with more samples none is kept
};

// A function of a frame; names and files are numbers of strings.
struct function {
  std::uint32_t name;
  std::uint32_t file;
  bool inlined;
  std::uint32_t address = 0;  // 1 + its number in file_addresses(); 0 for any address
  bool operator==(const function&) const = default;
};

struct stack {
  std::uint32_t command;  // number of the process's text
  std::size_t begin;      // of its functions in frames(), leaf first
  std::uint32_t size;
  std::uint64_t samples = 0;
  std::uint64_t period = 0;
};

// A sample with its time; 24 bytes.
struct timed_sample {
  std::uint64_t time_ns;
  std::uint64_t period;
  std::uint32_t stack;  // index in stacks()
};

struct event_count {
  std::string name;
  std::uint64_t samples = 0;
};

class samples {
 public:
  explicit samples(options settings);

  // Reads a file to its end. Throws std::system_error.
  void read(int descriptor);

  // Names the functions at an address, by its number in file_addresses(): the outermost first,
  // divided by ';'.
  void set_names(std::size_t address, std::string_view names);

  // The stacks as text, sorted by bytes, one line each, weighted by periods.
  [[nodiscard]] std::string folded() const;

  const text_input::interned_strings& commands() const { return commands_; }
  const text_input::interned_strings& names() const { return names_; }
  const text_input::interned_strings& files() const { return files_; }
  const std::vector<function>& functions() const { return functions_; }
  const std::vector<std::uint32_t>& frames() const { return frames_; }
  const std::vector<stack>& stacks() const { return stacks_; }
  const text_input::interned_strings& symbols() const { return symbols_; }
  const std::vector<file_address>& file_addresses() const { return file_addresses_; }
  // Frames whose inlined functions are in the text: their addresses are not in file_addresses().
  std::uint64_t expanded_frames() const { return expanded_frames_; }
  const std::vector<event_count>& events() const { return events_; }  // left-out ones, too
  const std::string& event() const { return settings_.event; }
  std::uint64_t malformed_lines() const { return malformed_lines_; }
  std::uint64_t first_malformed_line() const { return first_malformed_line_; }  // 0: none
  std::uint64_t without_period() const { return without_period_; }  // samples that count as 1
  // Largest minus smallest time of the samples; none if no sample has a time.
  std::optional<std::uint64_t> duration_ns() const;
  // Samples with a time, in the order of the text; empty if there are more than max_times.
  const std::vector<timed_sample>& timed_samples() const { return timed_samples_; }
  bool has_too_many_times() const { return has_too_many_times_; }
  bool endless() const { return endless_; }  // reading stopped at a line without an end

 private:
  void add_line(std::string_view line);
  void begin_sample(const event_line& fields);
  void add_frame(const frame_line& frame);
  void add_functions(const frame_line& frame);
  void add_address(const frame_line& frame, std::uint64_t address);
  void add_function(const frame_line& frame, std::string_view part, bool inlined);
  void end_sample();
  void count_event(std::string_view event);
  std::uint32_t function_of(const function& key);
  void grow_stacks();
  void add_time(std::size_t stack);

  struct known_symbol {
    std::uint64_t key = 0;  // symbol, file and command's kind; 0: free
    std::uint32_t function = 0;
  };

  options settings_;
  text_input::interned_strings commands_;
  text_input::interned_strings symbols_;
  text_input::interned_strings names_;
  text_input::interned_strings files_;
  std::vector<function> functions_;
  std::vector<known_symbol> known_symbols_;
  std::size_t known_symbol_count_ = 0;
  std::vector<std::uint32_t> function_slots_;   // function + 1, 0 if free
  text_input::interned_strings address_texts_;  // address, symbol and file; numbered as below
  std::vector<file_address> file_addresses_;
  std::string expanded_address_;  // of functions that are inlined in the next frame
  std::uint64_t expanded_frames_ = 0;
  std::vector<std::uint32_t> frames_;
  std::vector<stack> stacks_;
  std::vector<std::uint64_t> stack_hashes_;
  std::vector<std::uint32_t> stack_slots_;  // stack + 1, 0 if free
  std::vector<event_count> events_;
  std::vector<std::uint32_t> current_;  // functions of the current sample, leaf first
  std::string command_text_;
  std::uint64_t period_ = 0;
  std::uint64_t without_period_ = 0;
  std::optional<std::uint64_t> first_ns_;
  std::uint64_t last_ns_ = 0;
  std::optional<std::uint64_t> time_ns_;  // of the current sample
  std::vector<timed_sample> timed_samples_;
  bool has_too_many_times_ = false;
  bool in_sample_ = false;  // of an event that is counted
  bool in_java_ = false;
  std::uint64_t malformed_lines_ = 0;
  std::uint64_t first_malformed_line_ = 0;
  std::uint64_t line_number_ = 0;
  bool endless_ = false;
};

}  // namespace stallscope::perf_script
