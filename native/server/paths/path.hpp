// What a request runs through: named steps, one after another. With stages off a request runs
// through all of them at once; with stages on each step is an execution stage (path_runner.hpp).
//
// A path belongs to one thread, as do the calls that it runs: every shard makes its own. A step
// must not block, and costs what it computes: an indirect call each.
//
// Every request of a connection goes through every step, also a command that is not the path's own:
// one FIFO keeps the replies in order. The path's first step looks at the words and sets `taken`
// where the request is the path's; its other steps return at once where it is not set, and whoever
// ends the path answers what nobody took from its own table of commands. Only the last step writes
// the reply: with stages on, earlier requests of the connection may not have theirs yet.
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

// What a path keeps from step to step, made once a call and used again for request after request.
class call_state {
 public:
  call_state() = default;
  call_state(const call_state&) = delete;
  call_state& operator=(const call_state&) = delete;
  call_state(call_state&&) = delete;
  call_state& operator=(call_state&&) = delete;
  virtual ~call_state() = default;
};

// One request on its way. Whoever makes it (a connection derives from it) keeps it and what it
// points to in place until the last step has run, and then may use it again after renew().
struct request_call {
  std::span<const std::string_view> words;  // the command's name first
  resp::reply_writer* reply = nullptr;      // the path's last step writes its reply here
  std::unique_ptr<call_state> state;        // of path::make_state(), null where that is null
  std::exception_ptr error;                 // a step threw: the later ones were not run
  bool may_take = true;                     // false: no password yet, no path may answer it
  bool taken = false;                       // the path answers this request

  void renew(std::span<const std::string_view> request_words, resp::reply_writer& replies,
             bool authenticated = true) {
    words = request_words;
    reply = &replies;
    may_take = authenticated;
    error = nullptr;
    taken = false;
  }
};

struct step {
  std::string name;  // unique in its path: the stage's name
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

  // In the order they run; valid as long as the path.
  [[nodiscard]] virtual std::span<const step> steps() const = 0;

  // For each new request_call; null where the path keeps nothing.
  [[nodiscard]] virtual std::unique_ptr<call_state> make_state() = 0;
};

}  // namespace stallscope::server
