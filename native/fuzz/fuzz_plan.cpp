// Any text is a plan of counters whose numbers are within its limits, or is refused as a usage
// error with a remedy.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/failure.hpp"
#include "count/plan.hpp"
#include "require.hpp"

namespace {

using stallscope::count::count_plan;

void check(const count_plan& plan) {
  require(!plan.events.empty() && plan.events.size() <= 1000);
  require(!plan.sets.empty() && plan.sets.size() <= 1000);
  for (const auto& event : plan.events) {
    require(!event.name.empty() && event.name.size() <= 200);
    require(event.encoded == event.known_as.empty());
  }
  for (const auto& set : plan.sets) {
    require(!set.name.empty() && set.name.size() <= 200);
    require(!set.events.empty() && set.events.size() <= 65);
    for (const std::size_t number : set.events) require(number < plan.events.size());
    if (set.leader) require(set.events.front() == *set.leader);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(stallscope::count::parse_plan({reinterpret_cast<const char*>(data), size}, "fuzz.json"));
  } catch (const stallscope::failure& error) {
    require(error.code() == stallscope::exit_code::usage && !error.remedy().empty());
    require(std::string_view(error.what()).find("fuzz.json") != std::string_view::npos);
  }
  return 0;
}
