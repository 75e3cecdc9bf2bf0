// A server of two shards that is turned by hand, so that a test decides when allocations fail.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "failing_allocations.hpp"
#include "hand_driven_server.hpp"

namespace stallscope::server {

class failing_server : public hand_driven_server {
 public:
  using plan = std::optional<failing_allocations::plan>;
  using hand_driven_server::hand_driven_server;

  // Connects a client to the first shard, under this plan, and returns its end.
  descriptor connect(const plan& failing = {}) {
    new_client made = make_client();
    if (failing) failing_allocations::begin(*failing);
    adopt(made);
    failed_ = failing_allocations::end();
    return std::move(made.end);
  }

  // Runs turns of all shards, under this plan.
  void turns(int count, const plan& failing = {}, std::chrono::nanoseconds longest = {}) {
    if (failing) failing_allocations::begin(*failing);
    hand_driven_server::turns(count, longest);
    failed_ = failing_allocations::end();
  }

  // Whether an allocation of the last call with a plan failed.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  bool failed_ = false;
};

}  // namespace stallscope::server
