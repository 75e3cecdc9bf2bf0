// A plan's members, each checked for type and range, for what reads one. Only for .cpp files: it
// brings nlohmann's JSON with it. Any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/failure.hpp"
#include "disk/plan.hpp"

namespace stallscope::disk {

// What is wrong with "the plan's ...": failure (usage).
inline failure wrong_plan(const std::string& what) {
  return {exit_code::usage, "the plan's " + what,
          "see the top of points.cpp and storm.cpp for what a plan is"};
}

// Of one object; a member that is absent or null is otherwise what the reader says.
class plan_members {
 public:
  plan_members(const nlohmann::json& object, std::string where)
      : object_{object}, where_{std::move(where)} {
    if (!object.is_object()) throw wrong_plan(where_ + " is not an object");
  }

  [[nodiscard]] const nlohmann::json* find(const char* name) const {
    const auto at = object_.find(name);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }

  std::uint64_t count(const char* name, std::uint64_t least, std::uint64_t most,
                      std::optional<std::uint64_t> otherwise = std::nullopt) const {
    const nlohmann::json* value = find(name);
    if (value == nullptr && otherwise) return *otherwise;
    if (value == nullptr || !value->is_number_unsigned() || value->get<std::uint64_t>() < least ||
        value->get<std::uint64_t>() > most) {
      throw wrong_plan(where_ + "." + name + " is not a whole number from " +
                       std::to_string(least) + " to " + std::to_string(most));
    }
    return value->get<std::uint64_t>();
  }

  double number(const char* name, double least, double most, double otherwise) const {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return otherwise;
    if (!value->is_number() || !(value->get<double>() >= least && value->get<double>() <= most)) {
      throw wrong_plan(where_ + "." + name + " is not a number from " + std::to_string(least) +
                       " to " + std::to_string(most));
    }
    return value->get<double>();
  }

  bool flag(const char* name, bool otherwise) const {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) throw wrong_plan(where_ + "." + name + " is neither true nor false");
    return value->get<bool>();
  }

  std::string text(const char* name, std::string otherwise) const {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return otherwise;
    if (!value->is_string()) throw wrong_plan(where_ + "." + name + " is not a string");
    return value->get<std::string>();
  }

  // One of two words, the first of which is meant where nothing is said; true for the second.
  bool second(const char* name, const char* first, const char* other) const {
    const std::string found = text(name, first);
    if (found == first) return false;
    if (found == other) return true;
    throw wrong_plan(where_ + "." + name + " is neither " + first + " nor " + other);
  }

 private:
  const nlohmann::json& object_;
  std::string where_;
};

// The target of a plan, which says where it is and how much of it may be used.
target read_target(const nlohmann::json& object);

}  // namespace stallscope::disk
