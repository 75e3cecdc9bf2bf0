#include "managed_frames/frames_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "process_reading/line_text.hpp"

namespace stallscope::managed_frames {

using process_reading::put_number;
using process_reading::put_text;
using process_reading::put_word;

namespace {

void put_thread(std::string& out, const stack_sample& sample) {
  out += '{';
  put_number(out, "t", sample.time_ns);
  out += ',';
  put_number(out, "tid", static_cast<std::uint64_t>(sample.tid));
  out += ',';
  put_number(out, "pid", static_cast<std::uint64_t>(sample.pid));
}

void put_numbers(std::string& out, std::string_view key, std::span<const std::uint64_t> numbers) {
  out += ",\"";
  out += key;
  char before = '[';
  out += "\":";
  for (const auto number : numbers) {
    out += std::exchange(before, ',');
    out += std::to_string(number);
  }
  out += ']';
}

}  // namespace

const char* name_of(walk_result result) {
  switch (result) {
    case walk_result::walked:
      return "walked";
    case walk_result::late:
      return "late";
    case walk_result::torn:
      return "torn";
    case walk_result::unreadable:
      return "unreadable";
    case walk_result::over_budget:
      return "over-budget";
  }
  return "unreadable";
}

void put_header(std::string& out) {
  out += "{\"format\":\"stallscope.managed-frames/1.2\",\"clock\":\"monotonic\"}\n";
}

void put_runtime(std::string& out, pid_t pid, std::string_view name,
                 const runtime_detection& detection) {
  out += '{';
  put_number(out, "runtime", static_cast<std::uint64_t>(pid));
  out += ",\"name\":";
  put_word(out, name);
  out += ",\"version\":";
  put_word(out, detection.version);
  out += ",\"refusal\":";
  put_word(out, detection.refusal);
  if (detection.loop.end != 0) {
    put_numbers(out, "loop",
                std::array{detection.loop.begin, detection.loop.end,
                           std::uint64_t{detection.loop_counter}});
  }
  out += "}\n";
}

void put_function(std::string& out, std::uint64_t id, pid_t pid, const function_facts& facts) {
  out += '{';
  put_number(out, "function", id);
  out += ',';
  put_number(out, "pid", static_cast<std::uint64_t>(pid));
  out += ",\"name\":";
  put_text(out, facts.name);
  out += ",\"file\":";
  put_text(out, facts.file);
  out += ',';
  put_number(out, "line", facts.line);
  out += ",\"kind\":";
  put_word(out, facts.kind);
  out += ",\"reason\":";
  put_word(out, facts.reason);
  if (facts.code.end != 0) put_numbers(out, "code", std::array{facts.code.begin, facts.code.end});
  out += "}\n";
}

void put_stack(std::string& out, std::uint64_t id, std::span<const managed_frame> frames) {
  out += '{';
  put_number(out, "stack", id);
  out += ",\"frames\":[";
  for (const auto& frame : frames) {
    if (&frame != frames.data()) out += ',';
    out += '[' + std::to_string(frame.function) + ',' + std::to_string(frame.line) +
           (frame.inlined ? ",1]" : ",0]");
  }
  out += "]}\n";
}

void put_sample(std::string& out, const stack_sample& sample, const managed_stack& walked,
                std::span<const std::uint64_t> stacks) {
  put_thread(out, sample);
  out += ",\"segments\":[";
  for (std::size_t i = 0; i < walked.segments.size() && i < stacks.size(); ++i) {
    const auto& segment = walked.segments[i];
    out += i == 0 ? "[" : ",[";
    for (const auto value :
         {segment.entry_pc, segment.entry_sp, segment.exit_pc, segment.exit_sp, segment.exit_fp})
      out += std::to_string(value) + ',';
    out += std::to_string(stacks[i]) + ']';
  }
  out += ']';
  const auto runs = stacks.subspan(std::min(stacks.size(), walked.segments.size()));
  if (!runs.empty()) {
    out += ",\"runs\":[";
    for (const auto& run : runs) {
      if (&run != runs.data()) out += ',';
      out += std::to_string(run);
    }
    out += ']';
  }
  out += "}\n";
}

void put_failure(std::string& out, const stack_sample& sample, walk_result result) {
  put_thread(out, sample);
  out += ",\"failed\":";
  put_word(out, name_of(result));
  out += "}\n";
}

std::uint64_t function_log::add(pid_t pid, const function_facts& facts) {
  const auto id = ids_.next();
  put_function(*lines_, id, pid, facts);
  return id;
}

}  // namespace stallscope::managed_frames
