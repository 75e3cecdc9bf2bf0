// What one shard asks of another: a call goes to the other's thread, runs there, and comes back.
// Calls from one shard to one other keep their order. Bounded queues carry them; a call that finds
// its queue full waits at the sender, in order, linked through itself, so that nothing is allocated
// and no thread waits for another. A turn's calls cost one ring of the other's bell.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/eventfd.hpp"
#include "reactor/bounded_queue.hpp"
#include "reactor/reactor.hpp"

namespace stallscope::server {

class shard;

// Owned by its sender, and in place until it came back.
class cross_call {
 public:
  // On the other's thread. False: it is not done yet, and is handed to send_back() when it is.
  [[nodiscard]] virtual bool run_there(shard& there) = 0;
  virtual void come_back() = 0;  // on the sender's

 protected:
  ~cross_call() = default;

 private:
  friend class cross_mail;
  cross_call* next_ = nullptr;
  std::size_t home_ = 0;
  bool returning_ = false;
};

// The queues and bells of all shards; made before their threads, gone after them.
class mail_room {
 public:
  using queue = reactor::bounded_queue<cross_call*, 1024>;

  explicit mail_room(std::size_t shards);

  [[nodiscard]] std::size_t shards() const noexcept { return bells_.size(); }
  [[nodiscard]] queue& between(std::size_t from, std::size_t to) noexcept {
    return *queues_[from * shards() + to];
  }
  [[nodiscard]] const eventfd_bell& bell(std::size_t of) const noexcept { return bells_[of]; }

 private:
  std::vector<eventfd_bell> bells_;
  std::vector<std::unique_ptr<queue>> queues_;
};

// One shard's end. Its thread's alone.
class cross_mail final : public reactor::event_handler, private reactor::task {
 public:
  // Called for each ring, after the calls: also rung for other reasons.
  class listener {
   public:
    virtual void bell_rang() = 0;

   protected:
    ~listener() = default;
  };

  cross_mail(mail_room& room, shard& owner, std::size_t index, reactor::reactor& loop,
             listener& rung);

  void post(std::size_t to, cross_call& call);
  void send_back(cross_call& done);
  void end_turn();  // sends what waits, rings the others' bells
  void on_events(std::uint32_t events) override;

 private:
  struct waiting_calls {
    cross_call* first = nullptr;
    cross_call* last = nullptr;
    bool ring = false;
  };

  void run() override { scheduled_ = false; }
  void send(std::size_t to, cross_call& call);
  bool send_waiting(std::size_t to);
  void take(cross_call& call);

  mail_room& room_;
  shard& owner_;
  std::size_t index_;
  reactor::reactor& loop_;
  listener& rung_;
  std::vector<waiting_calls> out_;
  bool scheduled_ = false;
};

}  // namespace stallscope::server
