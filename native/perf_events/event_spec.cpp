#include "perf_events/event_spec.hpp"

#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

namespace stallscope::perf_events {
namespace {

struct known_event {
  std::string_view name;
  std::uint32_t type;
  std::uint64_t config;
};

constexpr std::array known_events{
    known_event{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    known_event{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    known_event{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    known_event{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    known_event{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    known_event{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    known_event{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    known_event{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    known_event{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    known_event{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    known_event{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    known_event{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    known_event{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};

bool counts_ns(std::uint32_t type, std::uint64_t config) {
  return type == PERF_TYPE_SOFTWARE &&
         (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
}

// libpfm4's global state: started by the first look-up that needs it, ended with the last
// event_lookup.
struct pfm_state {
  int users = 0;
  bool started = false;
  int status = PFM_SUCCESS;
};

pfm_state& pfm() {
  static pfm_state state;
  return state;
}

int start_pfm() {
  if (!pfm().started) pfm() = {pfm().users, true, pfm_initialize()};
  return pfm().status;
}

event_spec from_attribute(std::string name, const perf_event_attr& attribute) {
  event_spec event;
  event.name = std::move(name);
  event.type = attribute.type;
  event.config = attribute.config;
  event.config1 = attribute.config1;
  event.config2 = attribute.config2;
  event.precise = attribute.precise_ip;
  event.exclude_user = attribute.exclude_user != 0;
  event.exclude_kernel = attribute.exclude_kernel != 0;
  event.counts_ns = counts_ns(attribute.type, attribute.config);
  return event;
}

// Parses a number in C syntax. Returns nullopt for other text.
std::optional<std::uint64_t> number_of(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) == 0)
    return std::nullopt;
  errno = 0;
  char* end = nullptr;
  const auto value = std::strtoull(text.c_str(), &end, 0);
  if (errno != 0 || *end != '\0') return std::nullopt;
  return value;
}

// Parses a name with an encoding. Returns nullopt for a name without one.
std::optional<event_spec> find_encoded(std::string_view name) {
  const auto equals = name.rfind('=');
  if (equals == std::string_view::npos || equals == 0 || name.ends_with(':')) return std::nullopt;
  event_spec event;
  event.name = name.substr(0, equals);
  std::istringstream words{std::string{name.substr(equals + 1)}};
  std::vector<std::uint64_t> numbers;
  for (std::string word; std::getline(words, word, ':');) {
    const auto number = number_of(word);
    if (word == "p" && event.precise == 0) {
      event.precise = 3;
    } else if (number && event.precise == 0) {
      numbers.push_back(*number);
    } else {
      return std::nullopt;
    }
  }
  if (numbers.size() < 2 || numbers.size() > 4 || numbers.front() > UINT32_MAX) return std::nullopt;
  numbers.resize(4);
  event.type = static_cast<std::uint32_t>(numbers[0]);
  event.config = numbers[1];
  event.config1 = numbers[2];
  event.config2 = numbers[3];
  event.counts_ns = counts_ns(event.type, event.config);
  return event;
}

event_spec find_in_pfm(const std::string& name) {
  const event_lookup awake;
  perf_event_attr attribute{};
  attribute.size = sizeof attribute;
  pfm_perf_encode_arg_t encoding{};
  encoding.attr = &attribute;
  encoding.size = sizeof encoding;
  int status = start_pfm();
  if (status == PFM_SUCCESS) {
    status =
        pfm_get_os_event_encoding(name.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &encoding);
  }
  if (status != PFM_SUCCESS) {
    throw unknown_event("libpfm4 cannot encode the event '" + name +
                        "' on this machine: " + pfm_strerror(status));
  }
  return from_attribute(name, attribute);
}

}  // namespace

event_lookup::event_lookup() { ++pfm().users; }

event_lookup::~event_lookup() {
  if (--pfm().users != 0 || !pfm().started) return;
  if (pfm().status == PFM_SUCCESS) pfm_terminate();
  pfm().started = false;
}

event_spec cpu_clock() {
  event_spec event;
  event.name = "cpu-clock";
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  event.counts_ns = true;
  return event;
}

unsigned max_precise() {
  unsigned highest = 0;
  for (const char* pmu : {"cpu", "cpu_core", "cpu_atom"}) {
    std::ifstream file{std::string{"/sys/bus/event_source/devices/"} + pmu + "/caps/max_precise"};
    unsigned value = 0;
    if (file >> value) highest = std::max(highest, std::min(value, 3U));
  }
  return highest;
}

std::vector<event_spec> default_ladder(unsigned highest_precise) {
  std::vector<event_spec> ladder;
  for (unsigned precise = highest_precise + 1; precise-- > 0;) {
    event_spec event;
    event.name = "cycles";
    event.type = PERF_TYPE_HARDWARE;
    event.config = PERF_COUNT_HW_CPU_CYCLES;
    event.precise = precise;
    ladder.push_back(event);
  }
  ladder.push_back(cpu_clock());
  return ladder;
}

event_spec find_event(std::string_view name) {
  for (const auto& candidate : known_events) {
    if (candidate.name != name) continue;
    event_spec event;
    event.name = candidate.name;
    event.type = candidate.type;
    event.config = candidate.config;
    event.counts_ns = counts_ns(candidate.type, candidate.config);
    return event;
  }
  if (auto encoded = find_encoded(name)) return *std::move(encoded);
  return find_in_pfm(std::string{name});
}

}  // namespace stallscope::perf_events
