// Writes the lines of python.jsonl, format stallscope.python-frames/1.0, in ASCII. Names are
// untrusted text; lone surrogates are written as \ud800 to \udfff. Linear in the size of the text.
// Functions without state: any thread may call them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "python_frames/code_table.hpp"
#include "python_frames/thread_reader.hpp"

namespace stallscope::python_frames {

struct read_counts {
  static constexpr std::size_t fields = 6;
  std::uint64_t read = 0;
  std::uint64_t torn = 0;
  std::uint64_t late = 0;       // the sample was too old when it was processed
  std::uint64_t no_frames = 0;  // the thread ran no Python code
  std::uint64_t too_deep = 0;
  std::uint64_t over_budget = 0;  // the process used up its time for reading

  // Returns a count by index, 0 to fields - 1.
  std::uint64_t& field(std::size_t index) noexcept {
    std::uint64_t* const all[fields] = {&read, &torn, &late, &no_frames, &too_deep, &over_budget};
    return *all[index % fields];
  }
  [[nodiscard]] std::uint64_t field(std::size_t index) const noexcept {
    return read_counts{*this}.field(index);
  }
  read_counts& operator+=(const read_counts& more) noexcept {
    for (std::size_t i = 0; i < fields; ++i) field(i) += more.field(i);
    return *this;
  }
};

struct snapshot_line {
  std::uint64_t sample_ns = 0;
  std::uint64_t read_ns = 0;
  pid_t tid = 0;
  pid_t pid = 0;
  std::uint64_t stack = 0;
  std::optional<bool> holds_gil;
};

enum class reading { offsets, trampoline, refused };

void put_header(std::string& out);
void put_interpreter(std::string& out, pid_t pid, std::string_view version, reading how,
                     std::string_view why);
void put_code(std::string& out, pid_t pid, const code_facts& code);
void put_stack(std::string& out, std::uint64_t number, std::span<const python_frame> frames);
void put_snapshot(std::string& out, const snapshot_line& line);
void put_counts(std::string& out, const read_counts& counts);

}  // namespace stallscope::python_frames
