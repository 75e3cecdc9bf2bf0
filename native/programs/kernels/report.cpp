#include "kernels/report.hpp"

#include <array>
#include <cstdio>

#include "base/json.hpp"
#include "kernels/waiting/thread_times.hpp"

namespace stallscope::kernels {
namespace {

template <typename... Values>
std::string line(const char* format, Values... values) {
  std::array<char, 192> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return std::string(text.data()) + "\n";
}

json json_of(const wait_cause& cause) {
  json named = {{"kind", cause.kind}, {"name", nullptr}};
  if (cause.name != nullptr) named["name"] = cause.name;
  return named;
}

json json_of(const kernel_entry& entry) {
  json kernel = {{"name", entry.name},
                 {"what", entry.what},
                 {"expected", entry.expected},
                 {"without_counters", entry.without_counters},
                 {"threads", entry.threads},
                 {"min_threads", entry.min_threads},
                 {"max_threads", entry.max_threads},
                 {"iterations_per_call", entry.iterations_per_call},
                 {"instructions_per_iteration", nullptr},
                 {"look_alike", nullptr},
                 {"cured", nullptr},
                 {"held_out", entry.held_out},
                 {"first_cause", nullptr},
                 {"sign", nullptr},
                 {"measures_states", entry.measures_states},
                 {"child_process", entry.child_process}};
  if (entry.look_alike != nullptr) kernel["look_alike"] = entry.look_alike;
  if (entry.cured != nullptr) kernel["cured"] = entry.cured;
  if (entry.instructions_per_iteration != 0) {
    kernel["instructions_per_iteration"] = entry.instructions_per_iteration;
  }
  if (entry.first_cause.kind != nullptr) kernel["first_cause"] = json_of(entry.first_cause);
  if (entry.sign != nullptr) kernel["sign"] = entry.sign;
  return kernel;
}

json json_of(const account_reading& reading) {
  json states = {{"running", reading.running_ns}, {"run_queue", reading.run_queue_ns}};
  for (std::size_t state = 0; state < wait_states; ++state) {
    if (reading.waited_ns[state] > 0) states[wait_state_names[state]] = reading.waited_ns[state];
  }
  states["rest"] = reading.rest_ns;
  return states;
}

json json_of(const thread_times& times) {
  const auto readings = times.readings();
  json kept = json::array();
  for (const account_reading& reading : readings)
    kept.push_back({{"at_ns", reading.at_ns}, {"states_ns", json_of(reading)}});
  return {{"tid", times.tid()},
          {"name", times.name()},
          {"wall_ns", times.wall_ns()},
          {"iterations", times.iterations()},
          {"timed_waits", times.waits()},
          {"states_ns", json_of(readings.back())},
          {"readings", kept}};
}

std::string text_of(const kernel_parameter& parameter) {
  if (const auto* text = std::get_if<std::string>(&parameter.value)) return *text;
  return std::to_string(std::get<std::uint64_t>(parameter.value));
}

}  // namespace

std::string list_json(std::span<const kernel_entry> kernels) {
  json list = {{"schema", "stallscope.kernels.list/1"}, {"kernels", json::array()}};
  for (const auto& entry : kernels) list["kernels"].push_back(json_of(entry));
  return list.dump(2);
}

std::string list_text(std::span<const kernel_entry> kernels) {
  std::string list = line("%-20s %-36s %s", "kernel", "expected diagnosis", "description");
  for (const auto& entry : kernels) {
    list += line("%-20s %-36s %s", entry.name, entry.expected, entry.what);
  }
  list.pop_back();
  return list;
}

std::string report_json(const kernel_entry& entry, const run_report& report,
                        std::span<const kernel_parameter> parameters,
                        std::span<const kernel_parameter> account,
                        std::span<const thread_times> states) {
  json document = {{"schema", "stallscope.kernels/1"},
                   {"kernel", entry.name},
                   {"expected", entry.expected},
                   {"iterations", report.iterations},
                   {"elapsed_ns", report.elapsed_ns},
                   {"cpu_ns", report.cpu_ns},
                   {"user_ns", report.user_ns},
                   {"system_ns", report.system_ns},
                   {"minor_faults", report.minor_faults},
                   {"voluntary_switches", report.voluntary_switches},
                   {"involuntary_switches", report.involuntary_switches},
                   {"result", report.result},
                   {"parameters", json::object()}};
  for (const auto& parameter : parameters) {
    std::visit([&](const auto& value) { document["parameters"][parameter.name] = value; },
               parameter.value);
  }
  // Only kernels that measure themselves have an account.
  for (const auto& measured : account) {
    std::visit([&](const auto& value) { document["account"][measured.name] = value; },
               measured.value);
  }
  for (const thread_times& times : states) document["threads"].push_back(json_of(times));
  return document.dump();
}

std::string report_text(const kernel_entry& entry, const run_report& report,
                        std::span<const kernel_parameter> parameters,
                        std::span<const kernel_parameter> account) {
  const auto cpu_ns = static_cast<double>(report.cpu_ns);
  std::string text =
      line("%s: %s", entry.name, entry.what) + line("  expected         %s", entry.expected) +
      line("  iterations       %llu in %.3f s", static_cast<unsigned long long>(report.iterations),
           static_cast<double>(report.elapsed_ns) / 1e9);
  if (report.iterations > 0) {
    text += line("  CPU time         %.3f s, %.2f ns per iteration", cpu_ns / 1e9,
                 cpu_ns / static_cast<double>(report.iterations));
  }
  text += line("  minor faults     %llu; switches: %llu voluntary, %llu involuntary",
               static_cast<unsigned long long>(report.minor_faults),
               static_cast<unsigned long long>(report.voluntary_switches),
               static_cast<unsigned long long>(report.involuntary_switches));
  for (const auto& parameter : parameters) {
    text += line("  %-16s %s", parameter.name.c_str(), text_of(parameter).c_str());
  }
  if (!account.empty()) text += "  measured by the program itself:\n";
  for (const auto& measured : account) {
    text += line("    %-32s %s", measured.name.c_str(), text_of(measured).c_str());
  }
  text.pop_back();
  return text;
}

}  // namespace stallscope::kernels
