#include "python_frames/frames_text.hpp"

#include <array>
#include <cstddef>

#include "process_reading/line_text.hpp"

namespace stallscope::python_frames {
namespace {

using process_reading::put_number;
using process_reading::put_text;
using process_reading::put_word;

constexpr std::string_view base64_digits{
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"};

void put_base64(std::string& out, std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = bytes.size() - at < 3 ? bytes.size() - at : 3;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8U | (i < count ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= count ? base64_digits[(group >> (18U - 6U * i)) & 63U] : '=';
  }
}

}  // namespace

void put_header(std::string& out) {
  out += "{\"format\":\"stallscope.python-frames/1.0\",\"clock\":\"monotonic\"}\n";
}

void put_interpreter(std::string& out, pid_t pid, std::string_view version, reading how,
                     std::string_view why) {
  static constexpr std::array<std::string_view, 3> names{"offsets", "trampoline", "refused"};
  out += '{';
  put_number(out, "interpreter", static_cast<std::uint64_t>(pid));
  out += ",\"version\":";
  put_word(out, version);
  out += ",\"how\":";
  put_word(out, names.at(static_cast<std::size_t>(how)));
  out += ",\"why\":";
  put_word(out, why);
  out += "}\n";
}

void put_code(std::string& out, pid_t pid, const code_facts& code) {
  out += '{';
  put_number(out, "code", code.number);
  out += ',';
  put_number(out, "pid", static_cast<std::uint64_t>(pid));
  out += ",\"name\":";
  put_text(out, code.name);
  out += ",\"file\":";
  put_text(out, code.file);
  out += ",\"line\":" + std::to_string(code.first_line) + ",\"table\":\"";
  put_base64(out, code.line_table);
  out += "\"}\n";
}

void put_stack(std::string& out, std::uint64_t number, std::span<const python_frame> frames) {
  out += '{';
  put_number(out, "stack", number);
  out += ",\"frames\":[";
  for (const auto& frame : frames) {
    if (&frame != frames.data()) out += ',';
    out += '[' + std::to_string(frame.code) + ',' + std::to_string(frame.instruction) +
           (frame.entered_from_c ? ",1]" : ",0]");
  }
  out += "]}\n";
}

void put_snapshot(std::string& out, const snapshot_line& line) {
  out += '{';
  put_number(out, "t", line.sample_ns);
  out += ',';
  put_number(out, "read_ns", line.read_ns);
  out += ',';
  put_number(out, "tid", static_cast<std::uint64_t>(line.tid));
  out += ',';
  put_number(out, "pid", static_cast<std::uint64_t>(line.pid));
  out += ',';
  put_number(out, "stack", line.stack);
  out += ",\"gil\":";
  out += !line.holds_gil ? "null" : *line.holds_gil ? "true" : "false";
  out += "}\n";
}

void put_counts(std::string& out, const read_counts& counts) {
  out += "{\"counts\":{";
  put_number(out, "read", counts.read);
  out += ',';
  put_number(out, "torn", counts.torn);
  out += ',';
  put_number(out, "late", counts.late);
  out += ',';
  put_number(out, "no_frames", counts.no_frames);
  out += ',';
  put_number(out, "too_deep", counts.too_deep);
  out += ',';
  put_number(out, "over_budget", counts.over_budget);
  out += "}}\n";
}

}  // namespace stallscope::python_frames
