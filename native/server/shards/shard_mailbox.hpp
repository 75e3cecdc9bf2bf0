// Calls between shards: a call moves to the target thread, runs there, and returns to the sender.
// Calls from one shard to another keep their order.
//
//     class flush_call : public mailbox_call {
//       bool run_on_target(shard& target) override { target.keys().clear(); return true; }
//       void on_returned() override { reply(); }
//     };
//     home.mailbox().post(other_index, call);
//
// Bounded queues carry the calls. A call that finds its queue full waits at the sender, linked
// through itself, so there is no allocation and no thread blocks.
//
// Cost: two queue operations per call in each direction, and one eventfd write to the receiving
// shard per turn. Thread: a shard_mailbox belongs to the thread of its shard.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/eventfd.hpp"
#include "reactor/bounded_queue.hpp"
#include "reactor/reactor.hpp"

namespace stallscope::server {

class shard;

// The sender owns the call and keeps it in place until on_returned().
class mailbox_call {
 public:
  // Runs on the target thread. Returns false if the call is not done yet; send_back() is then
  // called later.
  [[nodiscard]] virtual bool run_on_target(shard& there) = 0;
  virtual void on_returned() = 0;  // on the thread of the sender

 protected:
  ~mailbox_call() = default;

 private:
  friend class shard_mailbox;
  mailbox_call* next_ = nullptr;
  std::size_t home_ = 0;
  bool returning_ = false;
};

// The queues and eventfds of all shards. Outlives their threads.
class mailbox_queues {
 public:
  using queue = reactor::bounded_queue<mailbox_call*, 1024>;

  explicit mailbox_queues(std::size_t shards);

  [[nodiscard]] std::size_t shards() const noexcept { return wake_events_.size(); }
  [[nodiscard]] queue& between(std::size_t from, std::size_t to) noexcept {
    return *queues_[from * shards() + to];
  }
  [[nodiscard]] const wake_event& wake_event_of(std::size_t of) const noexcept {
    return wake_events_[of];
  }

 private:
  std::vector<wake_event> wake_events_;
  std::vector<std::unique_ptr<queue>> queues_;
};

// The endpoint of one shard. Belongs to its thread.
class shard_mailbox final : public reactor::event_handler, private reactor::task {
 public:
  // Called after each wake-up, when all received calls have run. There are other reasons for a
  // wake-up, such as shutdown.
  class listener {
   public:
    virtual void mailbox_drained() = 0;

   protected:
    ~listener() = default;
  };

  shard_mailbox(mailbox_queues& queues, shard& owner, std::size_t index, reactor::reactor& loop,
                listener& on_wake_up);

  void post(std::size_t to, mailbox_call& call);
  void send_back(mailbox_call& done);
  void end_turn();  // sends waiting calls and wakes the receivers
  void on_events(std::uint32_t events) override;

 private:
  struct waiting_calls {
    mailbox_call* first = nullptr;
    mailbox_call* last = nullptr;
    bool must_wake = false;
  };

  void run() override { scheduled_ = false; }
  void send(std::size_t to, mailbox_call& call);
  bool send_waiting(std::size_t to);
  void take(mailbox_call& call);

  mailbox_queues& queues_;
  shard& owner_;
  std::size_t index_;
  reactor::reactor& loop_;
  listener& listener_;
  std::vector<waiting_calls> out_;
  bool scheduled_ = false;
};

}  // namespace stallscope::server
