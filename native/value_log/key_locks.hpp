// The order of operations on keys: those of one key run in the order they came, readers of it
// together. Whoever needs several keys gets in line for all of them at once, so that no two wait
// for each other; whoever needs the whole store waits for all before it and holds up all after it.
//
// Keys go by a hash: two that share one wait for each other at times, and nothing else happens.
// Costs a look-up in a hash table a key, each way. One thread.
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
    std::vector<std::uint64_t> hashes;  // of its keys; sorted, none twice, after acquire()
    bool exclusive = false;
    bool whole = false;  // all keys, exclusively

    virtual void all_held() = 0;  // also from within acquire() and release()

   protected:
    ~holder() = default;

   private:
    friend class key_locks;
    std::size_t missing_ = 0;
  };

  void acquire(holder& wanted);
  void release(holder& done);

 private:
  struct line {
    std::vector<holder*> waiting;
    std::uint32_t readers = 0;
    bool writer = false;

    [[nodiscard]] bool admits(const holder& wanted) const {
      return !writer && (!wanted.exclusive || readers == 0);
    }
    void admit(const holder& wanted) {
      writer = wanted.exclusive;
      readers += wanted.exclusive ? 0U : 1U;
    }
  };

  void acquire_keys(holder& wanted);
  void release_key(std::uint64_t hash, const holder& done, std::vector<holder*>& ready);

  std::unordered_map<std::uint64_t, line> lines_;
  std::size_t active_ = 0;     // holders of keys, and those in line for them
  holder* barrier_ = nullptr;  // that needs the whole store
  std::deque<holder*> held_back_;
};

}  // namespace stallscope::value_log
