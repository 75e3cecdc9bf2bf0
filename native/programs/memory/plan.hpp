// The measurement plan and the result lines of stallscope-memory, both JSON. Any thread.
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
};

// An invalid plan; the message names the invalid member and the valid values.
class plan_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The plan of a document of schema "stallscope.memory-plan/1"; throws BadPlan.
measurement_plan parse_plan(std::string_view text);

// One line, without its end: of the start, of a point measured, of one that could not be.
std::string hello_line(std::size_t points);
std::string point_line(std::size_t index, const std::vector<thread_chase>& threads);
std::string skipped_line(std::size_t index, std::string_view why);

}  // namespace stallscope::memory
