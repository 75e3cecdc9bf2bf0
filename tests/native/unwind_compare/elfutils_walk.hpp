// The same thread's chain as elfutils' libdw finds it, from the same registers and the live memory;
// and the names of addresses, for people. Costs some 100 us a chain. One thread.
#pragma once

#include <elfutils/libdwfl.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "target_memory.hpp"

namespace stallscope::unwind_compare {

struct their_chain {
  std::vector<std::uint64_t> addresses;       // leaf first
  std::vector<std::uint64_t> stack_pointers;  // of each frame, 0 where unknown
  std::uint64_t lowest_read = 0;              // of all addresses that were read
  std::string end;                            // "complete", or libdw's error
};

struct place {
  std::string module;  // empty where nothing is mapped that libdw knows
  std::uint64_t offset = 0;
  std::string symbol;
};

class elfutils_walk {
 public:
  // Of the mappings of this moment: to be made anew where they change.
  elfutils_walk(pid_t process, target_memory& memory);

  // `registers` by DWARF number.
  their_chain walk(pid_t thread, const std::vector<std::uint64_t>& registers,
                   std::size_t max_frames);
  // `exact` is false for a return address: its call stands before it.
  [[nodiscard]] place place_of(std::uint64_t address, bool exact) const;

 private:
  struct end_session {
    void operator()(Dwfl* session) const { dwfl_end(session); }
  };
  // What libdw's callbacks are given; its address must stay.
  struct state {
    target_memory& memory;
    const std::vector<std::uint64_t>* registers = nullptr;
    std::uint64_t lowest_read = 0;
  };
  static const Dwfl_Thread_Callbacks callbacks;

  std::unique_ptr<state> state_;
  std::unique_ptr<Dwfl, end_session> session_;
};

}  // namespace stallscope::unwind_compare
