#include "collect/tracing_data.hpp"

#include <unistd.h>

#include <bit>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope::collect {
namespace {

void append_text(std::string& data, std::string_view text) {
  data.append(text);
  data.push_back('\0');
}

template <class T>
void append_number(std::string& data, T number) {
  data.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_file(std::string& data, const std::string& content) {
  append_number(data, static_cast<std::uint64_t>(content.size()));
  data.append(content);
}

std::string tracing_data_of(const trace_formats& formats) {
  std::string data{"\x17\x08\x44tracing"};
  append_text(data, "0.6");
  data.push_back(std::endian::native == std::endian::big ? '\1' : '\0');
  data.push_back(static_cast<char>(sizeof(long)));
  append_number(data, static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE)));
  append_text(data, "header_page");
  append_file(data, formats.header_page);
  append_text(data, "header_event");
  append_file(data, formats.header_event);
  append_number(data, std::uint32_t{0});  // formats of ftrace's own records
  std::map<std::string, std::vector<const tracepoint*>> systems;
  for (const auto& point : formats.points) systems[point.system].push_back(&point);
  append_number(data, static_cast<std::uint32_t>(systems.size()));
  for (const auto& [system, members] : systems) {
    append_text(data, system);
    append_number(data, static_cast<std::uint32_t>(members.size()));
    for (const auto* member : members) {
      append_file(data, member->format);
    }
  }
  append_number(data, std::uint32_t{0});  // kernel symbols
  append_number(data, std::uint32_t{0});  // formats of trace_printk
  append_number(data, std::uint64_t{0});  // saved command lines
  return data;
}

}  // namespace

void put_tracing_data(record_buffer& out, const trace_formats& formats) {
  if (formats.points.empty()) return;
  auto data = tracing_data_of(formats);
  data.resize((data.size() + 7) / 8 * 8);
  out.begin(perf_format::user_record::header_tracing_data);
  out.put(static_cast<std::uint32_t>(data.size()));
  out.end();
  out.put_bytes(std::as_bytes(std::span{data}));
}

}  // namespace stallscope::collect
