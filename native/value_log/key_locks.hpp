// Orders operations by key: operations on the same key run in order of arrival, and readers of a
// key run together. An operation with several keys queues for all of them at once, so there are no
// deadlocks. An operation on all keys waits for all earlier operations and delays all later ones.
//
//     class operation : public key_locks::holder { void all_held() noexcept override { start(); }
//     }; op.hashes = {hash_of(key)}; op.exclusive = true; locks.acquire(op);                 //
//     op.all_held(), now or later locks.release(op);
//
// Keys are identified by hash; two keys with the same hash only wait for each other. acquire()
// allocates everything that the operation needs until its release. Cost: one hash table lookup per
// key for acquire and release. Thread: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/linked_fifo.hpp"

namespace stallscope::value_log {

class key_locks {
  struct key_queue;

 public:
  class holder {
   public:
    // hashes of the keys; acquire() sorts them and removes duplicates
    std::vector<std::uint64_t> hashes;
    bool exclusive = false;
    bool whole = false;  // locks all keys exclusively

    // May be called from within acquire() and release().
    virtual void all_held() noexcept = 0;

   protected:
    ~holder() = default;

   private:
    friend class key_locks;
    friend class linked_fifo<holder>;

    // The place of the holder in the queue of one key.
    struct claim {
      holder* of;
      key_queue* queue;
      claim* next = nullptr;
    };

    std::vector<claim> claims_;  // as many as hashes
    std::size_t pending_ = 0;    // claims that wait
    holder* next = nullptr;
  };

  // Throws std::bad_alloc without effect.
  void acquire(holder& requester);
  void release(holder& done) noexcept;

 private:
  struct key_queue {
    linked_fifo<holder::claim> waiting;
    std::uint32_t claims = 0;  // of all holders, including those that wait for an operation on all
    std::uint32_t readers = 0;
    bool writer = false;

    [[nodiscard]] bool admits(const holder& requester) const noexcept {
      return !writer && (!requester.exclusive || readers == 0);
    }
    void admit(const holder& requester) noexcept {
      writer = requester.exclusive;
      readers += requester.exclusive ? 0U : 1U;
    }
  };

  void claim_keys(holder& requester);
  void drop_claims(holder& requester) noexcept;
  void start(holder& requester) noexcept;
  static void release_key(key_queue& of_key, const holder& done, linked_fifo<holder>& ready);

  std::unordered_map<std::uint64_t, key_queue> queues_;
  std::size_t active_ = 0;       // holders of keys and waiting operations
  holder* barrier_ = nullptr;    // the operation that locks all keys
  linked_fifo<holder> blocked_;  // operations that arrived after it
};

}  // namespace stallscope::value_log
