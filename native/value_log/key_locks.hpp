// Orders operations by key: operations on the same key run in order of arrival, and readers of a
// key run together. An operation with several keys queues for all of them at once, so there are no
// deadlocks. An operation on all keys waits for all earlier operations and delays all later ones.
//
//     class operation : public key_locks::holder { void all_held() override { start(); } };
//     op.hashes = {hash_of(key)};
//     op.exclusive = true;
//     locks.acquire(op);                 // op.all_held(), now or later
//     locks.release(op);
//
// Keys are identified by hash; two keys with the same hash only wait for each other. Cost: one hash
// table lookup per key for acquire and release. Thread: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace stallscope::value_log {

class key_locks {
 public:
  class holder {
   public:
    // hashes of the keys; acquire() sorts them and removes duplicates
    std::vector<std::uint64_t> hashes;
    bool exclusive = false;
    bool whole = false;  // locks all keys exclusively

    virtual void all_held() = 0;  // may be called from within acquire() and release()

   protected:
    ~holder() = default;

   private:
    friend class key_locks;
    std::size_t pending_ = 0;
  };

  void acquire(holder& requester);
  void release(holder& done);

 private:
  struct key_queue {
    std::vector<holder*> waiting;
    std::uint32_t readers = 0;
    bool writer = false;

    [[nodiscard]] bool admits(const holder& requester) const {
      return !writer && (!requester.exclusive || readers == 0);
    }
    void admit(const holder& requester) {
      writer = requester.exclusive;
      readers += requester.exclusive ? 0U : 1U;
    }
  };

  void acquire_keys(holder& requester);
  void release_key(std::uint64_t hash, const holder& done, std::vector<holder*>& ready);

  std::unordered_map<std::uint64_t, key_queue> queues_;
  std::size_t active_ = 0;     // holders of keys and waiting operations
  holder* barrier_ = nullptr;  // the operation that locks all keys
  std::deque<holder*> blocked_;
};

}  // namespace stallscope::value_log
