#include "count/pmu_facts.hpp"

#include <linux/perf_event.h>
#include <unistd.h>

#include <charconv>
#include <system_error>
#include <vector>

#include "base/procfs.hpp"
#include "base/visible_text.hpp"

namespace stallscope::count {
namespace {

constexpr std::size_t max_attribute_bytes = 256;
constexpr std::size_t max_users = 4;
// Arm Architecture Reference Manual, PMCEID0 to PMCEID3: events 0x0000-0x003f and 0x4000-0x403f.
constexpr std::uint64_t architected = 0x3f;
constexpr std::uint64_t extended_first = 0x4000;
constexpr std::uint64_t event_bits = 0xffff;

bool is_architected(std::uint64_t event) {
  return event <= architected || (event >= extended_first && event <= extended_first + architected);
}

// "event=0x0011"
std::optional<std::uint64_t> event_of(std::string_view text) {
  static constexpr std::string_view key = "event=0x";
  if (!text.starts_with(key)) return std::nullopt;
  text.remove_prefix(key.size());
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

void read_arm_pmu(const std::filesystem::path& pmu, pmu_facts& facts) {
  facts.is_arm = true;
  const std::string type = read_text(pmu / "type", max_attribute_bytes);
  std::uint32_t number = 0;
  if (std::from_chars(type.data(), type.data() + type.size(), number).ec == std::errc{})
    facts.arm_type = number;
  std::error_code error;
  for (std::filesystem::directory_iterator at{pmu / "events", error}, end; !error && at != end;
       at.increment(error)) {
    if (const auto event = event_of(read_text(at->path(), max_attribute_bytes)))
      facts.arm_events.insert(*event);
  }
}

bool has_perf_events(const std::filesystem::path& descriptors) {
  std::error_code error;
  for (std::filesystem::directory_iterator at{descriptors, error}, end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;
    if (std::filesystem::read_symlink(at->path(), gone) == "anon_inode:[perf_event]") return true;
  }
  return false;
}

}  // namespace

pmu_facts read_pmu_facts(const std::filesystem::path& sys, const std::filesystem::path& proc) {
  pmu_facts facts;
  std::error_code error;
  for (std::filesystem::directory_iterator at{sys / "bus/event_source/devices", error}, end;
       !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    const bool arm = name.starts_with("armv8") || name.starts_with("armv9");
    if (name == "cpu" || name == "cpu_core" || name == "cpu_atom" || arm) facts.has_cpu_pmu = true;
    if (arm) read_arm_pmu(at->path(), facts);
  }
  facts.watchdog =
      read_text(proc / "sys/kernel/nmi_watchdog", max_attribute_bytes).starts_with('1');
  return facts;
}

std::vector<std::string> perf_users(const std::filesystem::path& proc) {
  const procfs processes{proc};
  std::vector<std::string> users;
  for (const pid_t pid : processes.processes()) {
    if (users.size() == max_users) break;
    if (pid == ::getpid() || !has_perf_events(proc / std::to_string(pid) / "fd")) continue;
    const auto status = processes.status(pid);
    users.push_back(visible_text(status ? status->name : "?") + " (" + std::to_string(pid) + ")");
  }
  return users;
}

event_presence presence(const perf_events::event_spec& event, const pmu_facts& facts) {
  if (!facts.is_arm) return event_presence::unknown;
  if (event.type != PERF_TYPE_RAW && facts.arm_type != event.type) return event_presence::unknown;
  const std::uint64_t number = event.config & event_bits;
  if (!is_architected(number)) return event_presence::unknown;
  return facts.arm_events.contains(number) ? event_presence::present : event_presence::absent;
}

bool is_hardware(const perf_events::event_spec& event) {
  return event.type != PERF_TYPE_SOFTWARE && event.type != PERF_TYPE_TRACEPOINT;
}

}  // namespace stallscope::count
