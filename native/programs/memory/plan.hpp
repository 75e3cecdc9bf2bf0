// The JSON documents of stallscope-memory: the plan, and the lines of output. Any thread.
//
//   const measurement_plan plan = parse_plan(text);
//   print(point_line(0, measure(plan.points[0], plan.pace)));
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "chase.hpp"

namespace stallscope::memory {

struct measurement_plan {
  measurement_pace pace;
  std::vector<chase_point> points;
  std::vector<perf_events::event_spec> events;  // to count in each thread
};

// An invalid plan. The message names the invalid part and the expected value.
class plan_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Parses a document of schema "stallscope.memory-plan/1". Throws plan_error.
measurement_plan parse_plan(std::string_view text);

// Return a line of output without the newline: the first line, a measured point, and a point that
// could not be measured.
std::string hello_line(std::size_t points);
std::string point_line(std::size_t index, const std::vector<thread_chase>& threads);
std::string skipped_line(std::size_t index, std::string_view reason);

}  // namespace stallscope::memory
