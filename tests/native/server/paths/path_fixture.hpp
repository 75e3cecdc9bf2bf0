// Sends requests through a path, with stages on or off, and returns the bytes of the replies.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "resp/byte_buffer.hpp"
#include "resp/reply_writer.hpp"
#include "server/paths/path.hpp"
#include "server/paths/path_runner.hpp"
#include "stages/hand_driven_scheduler.hpp"

namespace stallscope::server {

using words = std::vector<std::string>;

class path_fixture final : path_runner::owner {
 public:
  explicit path_fixture(std::unique_ptr<path> path) : path_(std::move(path)) {}

  // Unclaimed requests get the reply "+untaken".
  std::string replies(const std::vector<words>& requests, bool stages, bool may_claim = true) {
    stages::hand_driven_scheduler scheduler;
    stages::stage_registry registry(scheduler);
    auto runner =
        stages ? path_runner(path_->steps(), *this, registry) : path_runner(path_->steps(), *this);
    std::vector<request_call> calls(requests.size());
    std::vector<std::vector<std::string_view>> views;
    for (const auto& request : requests) {
      views.emplace_back(request.begin(), request.end());
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      calls[i].state = path_->make_state();
      calls[i].renew(views[i], writer_, may_claim);
      runner.submit(calls[i]);
    }
    scheduler.run_all();
    std::string written(out_.view());
    out_.consume(out_.size());
    return written;
  }
  std::string reply(const words& request) { return replies({request}, false); }

 private:
  void finished(request_call& call) noexcept override {
    if (!call.claimed) {
      writer_.simple("untaken");
    } else if (call.error) {
      writer_.error("ERR thrown");
    }
  }

  std::unique_ptr<path> path_;
  resp::byte_buffer out_;
  resp::reply_writer writer_{out_};
};

}  // namespace stallscope::server
