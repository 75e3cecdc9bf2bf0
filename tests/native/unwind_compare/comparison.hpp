// Counts equal chains, and files the different ones by class, each with one example. One thread.
#pragma once

#include <sys/user.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "elfutils_walk.hpp"
#include "our_walk.hpp"

namespace stallscope::unwind_compare {

// One moment of one thread.
struct observation {
  user_regs_struct registers;
  std::vector<std::byte> stack;  // the copy, from the stack pointer on
  our_chain ours;
  their_chain theirs;
  // elfutils' chain once the thread had gone on to where ours resumes; empty where it was not tried
  // or did not get there.
  their_chain theirs_there;
  std::vector<std::byte> code;  // around the leaf's address, for the example
};

class comparison {
 public:
  // `code` knows what is mapped for execution.
  void add(const observation& seen, const elfutils_walk& names, unwind::code_map& code);
  [[nodiscard]] std::uint64_t chains() const noexcept { return chains_; }
  [[nodiscard]] json document() const;

 private:
  // A class, and its first example.
  struct filed {
    std::uint64_t count = 0;
    json what;
  };

  std::uint64_t chains_ = 0;
  std::uint64_t equal_ = 0;
  filed equal_once_landed_;
  std::uint64_t equal_to_the_copys_end_ = 0;
  std::uint64_t equal_but_for_a_stray_word_ = 0;
  std::uint64_t frames_ = 0;
  std::set<std::uint64_t> leaves_;
  std::map<std::string, std::uint64_t> leaf_modules_;
  std::map<std::string, std::uint64_t> our_ends_;
  std::map<std::string, std::uint64_t> their_ends_;
  std::map<std::string, filed> ends_of_equal_;
  std::map<std::string, filed> differences_;
};

}  // namespace stallscope::unwind_compare
