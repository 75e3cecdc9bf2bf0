// A path: the named steps that a request runs through. With stages off, a request runs through all
// steps at once; with stages on, each step is an execution stage (path_runner.hpp).
//
// Every request of a connection passes every step, including commands that do not belong to the
// path, so that one FIFO keeps the replies in order. The first step inspects the words and sets
// `claimed` if the request belongs to the path; the other steps return at once if it is not set,
// and the step "execute" behind the path answers unclaimed requests from the command table. Only
// the last step writes the reply: with stages on, earlier requests of the connection may not be
// answered yet.
//
// Cost: an indirect call per step. Thread: a path and its calls belong to one thread; every shard
// has its own. A step must not block.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace stallscope::resp {
class reply_writer;
}

namespace stallscope::server {

// State that a path keeps between steps, created once per call object and reused for many requests.
class call_state {
 public:
  call_state() = default;
  call_state(const call_state&) = delete;
  call_state& operator=(const call_state&) = delete;
  call_state(call_state&&) = delete;
  call_state& operator=(call_state&&) = delete;
  virtual ~call_state() = default;
};

// A request in flight. The owner (a slot derives from it) keeps it and the data it points to in
// place until the last step has run; renew() prepares it for the next request.
struct request_call {
  std::span<const std::string_view> words;  // command name first
  resp::reply_writer* reply = nullptr;      // the last step writes the reply here
  std::unique_ptr<call_state> state;        // from path::make_state(), may be null
  std::exception_ptr error;                 // exception of a step; later steps were skipped
  bool may_claim = true;                    // false for unauthenticated clients
  bool claimed = false;                     // the path answers this request

  void renew(std::span<const std::string_view> request_words, resp::reply_writer& replies,
             bool authenticated = true) {
    words = request_words;
    reply = &replies;
    may_claim = authenticated;
    error = nullptr;
    claimed = false;
  }
};

struct step {
  std::string name;  // unique in its path; also the name of the stage
  void* context = nullptr;
  void (*run)(void* context, request_call& call) = nullptr;
};

class path {
 public:
  path() = default;
  path(const path&) = delete;
  path& operator=(const path&) = delete;
  path(path&&) = delete;
  path& operator=(path&&) = delete;
  virtual ~path() = default;

  // In execution order; valid as long as the path.
  [[nodiscard]] virtual std::span<const step> steps() const = 0;

  // State for a new request_call; null if the path keeps none.
  [[nodiscard]] virtual std::unique_ptr<call_state> make_state() = 0;
};

}  // namespace stallscope::server
