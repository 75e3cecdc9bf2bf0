#include "elfutils_walk.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <system_error>

namespace stallscope::unwind_compare {
namespace {

constexpr unsigned stack_pointer = 7;

// Both sides see what the mapped files hold, and nothing of separate debug files.
int no_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                  GElf_Word, char**) {
  return -1;
}

const Dwfl_Callbacks files_alone{
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = no_debug_file,
    .section_address = nullptr,
    .debuginfo_path = nullptr,
};

struct collected {
  their_chain chain;
  std::size_t max_frames = 0;
};

int collect_frame(Dwfl_Frame* frame, void* argument) {
  auto& into = *static_cast<collected*>(argument);
  Dwarf_Addr address = 0;
  if (!dwfl_frame_pc(frame, &address, nullptr)) return DWARF_CB_ABORT;
  Dwarf_Word pointer = 0;
  if (dwfl_frame_reg(frame, stack_pointer, &pointer) != 0) pointer = 0;
  into.chain.addresses.push_back(address);
  into.chain.stack_pointers.push_back(pointer);
  return into.chain.addresses.size() < into.max_frames ? DWARF_CB_OK : DWARF_CB_ABORT;
}

}  // namespace

const Dwfl_Thread_Callbacks elfutils_walk::callbacks{
    .next_thread = [](Dwfl*, void*, void**) -> pid_t { return 0; },
    .get_thread = [](Dwfl*, pid_t, void* ours, void** for_thread) -> bool {
      *for_thread = ours;
      return true;
    },
    .memory_read = [](Dwfl*, Dwarf_Addr address, Dwarf_Word* into, void* ours) -> bool {
      auto& known = *static_cast<state*>(ours);
      known.lowest_read = std::min(known.lowest_read, address);
      const auto word = known.memory.word(address);
      if (word) *into = *word;
      return word.has_value();
    },
    .set_initial_registers = [](Dwfl_Thread* thread, void* ours) -> bool {
      const auto& registers = *static_cast<state*>(ours)->registers;
      return dwfl_thread_state_registers(thread, 0, static_cast<unsigned>(registers.size()),
                                         registers.data());
    },
    .detach = nullptr,
    .thread_detach = nullptr,
};

elfutils_walk::elfutils_walk(pid_t process, target_memory& memory)
    : state_{std::make_unique<state>(state{.memory = memory})}, session_{dwfl_begin(&files_alone)} {
  if (!session_) throw std::runtime_error(dwfl_errmsg(-1));
  const int failed = dwfl_linux_proc_report(session_.get(), process);
  if (failed > 0)
    throw std::system_error(failed, std::generic_category(), "dwfl_linux_proc_report");
  if (failed < 0 || dwfl_report_end(session_.get(), nullptr, nullptr) != 0 ||
      !dwfl_attach_state(session_.get(), nullptr, process, &callbacks, state_.get())) {
    throw std::runtime_error(dwfl_errmsg(-1));
  }
}

their_chain elfutils_walk::walk(pid_t thread, const std::vector<std::uint64_t>& registers,
                                std::size_t max_frames) {
  state_->registers = &registers;
  state_->lowest_read = std::numeric_limits<std::uint64_t>::max();
  collected into{{}, max_frames};
  const int result = dwfl_getthread_frames(session_.get(), thread, collect_frame, &into);
  state_->registers = nullptr;
  into.chain.lowest_read = state_->lowest_read;
  if (result == 0) {
    into.chain.end = "complete";
  } else if (result == DWARF_CB_ABORT) {
    into.chain.end = "too deep";
  } else {
    const char* message = dwfl_errmsg(-1);
    into.chain.end = message == nullptr ? "no error given" : message;
  }
  return std::move(into.chain);
}

place elfutils_walk::place_of(std::uint64_t address, bool exact) const {
  const auto inside = exact ? address : address - 1;
  place location{"", address, ""};
  Dwfl_Module* module = dwfl_addrmodule(session_.get(), inside);
  if (module == nullptr) return location;
  Dwarf_Addr start = 0;
  const char* name =
      dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
  location.module = name == nullptr ? "" : name;
  location.offset = address - start;
  const char* symbol = dwfl_module_addrname(module, inside);
  if (symbol != nullptr) location.symbol = symbol;
  return location;
}

}  // namespace stallscope::unwind_compare
