// Typed and range-checked access to the members of a JSON plan. Any thread.
//
//   const plan_members members{object, "target"};
//   const std::uint64_t offset = members.count("offset", 0, max_offset, 0);
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/failure.hpp"
#include "base/json.hpp"
#include "disk/plan.hpp"

namespace stallscope::disk {

// Returns failure (usage) with the message "the plan's" and `what`.
inline failure wrong_plan(const std::string& what) {
  return {exit_code::usage, "the plan's " + what,
          "see the top of points.cpp and storm.cpp for the format of a plan"};
}

// The members of one object. A member that is absent or null has the default of the caller.
class plan_members {
 public:
  plan_members(const json& object, std::string path) : object_{object}, path_{std::move(path)} {
    if (!object.is_object()) throw wrong_plan(path_ + " is not an object");
  }

  [[nodiscard]] const json* find(const char* name) const {
    const json* const member = object_.find(name);
    return member == nullptr || member->is_null() ? nullptr : member;
  }

  std::uint64_t count(const char* name, std::uint64_t min, std::uint64_t max,
                      std::optional<std::uint64_t> default_value = std::nullopt) const {
    const json* value = find(name);
    if (value == nullptr && default_value) return *default_value;
    if (value == nullptr || !value->is_number_unsigned() || value->get<std::uint64_t>() < min ||
        value->get<std::uint64_t>() > max) {
      throw wrong_plan(path_ + "." + name + " is not a whole number from " + std::to_string(min) +
                       " to " + std::to_string(max));
    }
    return value->get<std::uint64_t>();
  }

  double number(const char* name, double min, double max, double default_value) const {
    const json* value = find(name);
    if (value == nullptr) return default_value;
    if (!value->is_number() || !(value->get<double>() >= min && value->get<double>() <= max)) {
      throw wrong_plan(path_ + "." + name + " is not a number from " + std::to_string(min) +
                       " to " + std::to_string(max));
    }
    return value->get<double>();
  }

  bool flag(const char* name, bool default_value) const {
    const json* value = find(name);
    if (value == nullptr) return default_value;
    if (!value->is_boolean()) throw wrong_plan(path_ + "." + name + " is neither true nor false");
    return value->get<bool>();
  }

  std::string text(const char* name, std::string default_value) const {
    const json* value = find(name);
    if (value == nullptr) return default_value;
    if (!value->is_string()) throw wrong_plan(path_ + "." + name + " is not a string");
    return value->get<std::string>();
  }

  // A member with one of two words, the first by default. Returns true for the second.
  bool is_second_word(const char* name, const char* first, const char* other) const {
    const std::string word = text(name, first);
    if (word == first) return false;
    if (word == other) return true;
    throw wrong_plan(path_ + "." + name + " is neither " + first + " nor " + other);
  }

 private:
  const json& object_;
  std::string path_;
};

// Parses a plan. Throws failure (usage) if it is not JSON.
json parse_plan(std::string_view text);

// Returns a plan without points: the members that plans of all schemas share. Throws failure
// (usage) that names the invalid member.
plan read_plan_header(const plan_members& members, std::string_view schema);

}  // namespace stallscope::disk
