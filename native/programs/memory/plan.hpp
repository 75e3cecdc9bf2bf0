// What the program is asked to measure, and how it tells what it found: JSON both. Any thread.
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

// A plan that is none: which part of it is wrong, and what it must be.
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
