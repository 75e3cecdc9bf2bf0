// Requests that note how they ended.
#pragma once

#include <cstdint>
#include <functional>

#include "ioqueue/request.hpp"

class noted_request final : public stallscope::ioqueue::request {
 public:
  void settled(stallscope::ioqueue::outcome outcome, std::int64_t with) override {
    ++settled_times;
    how = outcome;
    result = with;
    if (then) then();
  }

  int settled_times = 0;
  stallscope::ioqueue::outcome how{};
  std::int64_t result = 0;
  std::function<void()> then;
};
