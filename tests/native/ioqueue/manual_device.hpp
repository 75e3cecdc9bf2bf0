// A device that completes operations when the test says so, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ioqueue/device.hpp"

class manual_device final : public stallscope::ioqueue::device {
 public:
  bool start(stallscope::ioqueue::operation& begun) override {
    if (started.size() >= room) return false;
    started.push_back(&begun);
    return true;
  }
  void flush() override { ++flushes; }
  void cancel(stallscope::ioqueue::operation& unwanted) noexcept override {
    cancel_requests.push_back(&unwanted);
  }

  void complete(std::size_t at, std::int64_t result) {
    stallscope::ioqueue::operation* const ended = started.at(at);
    started.erase(started.begin() + static_cast<std::ptrdiff_t>(at));
    ended->complete(result);
  }
  void complete(std::size_t at = 0) {
    complete(at, static_cast<std::int64_t>(started.at(at)->piece.size_bytes));
  }

  std::vector<stallscope::ioqueue::operation*> started;
  std::vector<stallscope::ioqueue::operation*> cancel_requests;
  std::size_t room = 1000;
  int flushes = 0;
};
