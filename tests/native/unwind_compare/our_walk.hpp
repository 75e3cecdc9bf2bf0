// A chain as our unwinder finds it: from the registers and a copy of the stack, as a sample holds
// them. Tables are compiled once a file. One thread.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mappings.hpp"
#include "target_memory.hpp"
#include "unwind/unwinder.hpp"

namespace stallscope::unwind_compare {

struct our_chain {
  std::vector<std::uint64_t> addresses;  // leaf first
  // The first frame behind the leaf that no call returns to: where a signal interrupted, or where
  // an exception lands. 0: none.
  std::size_t resumes = 0;
  unwind::chain_end end = unwind::chain_end::no_registers;
};

// By DWARF number.
std::vector<std::uint64_t> dwarf_registers(const user_regs_struct& registers);

class our_walk final : public unwind::code_map {
 public:
  our_walk(pid_t process, const target_memory& memory) : process_{process}, memory_{memory} {}

  void use(const std::vector<mapping>& mappings);
  our_chain walk(const user_regs_struct& registers, std::span<const std::byte> stack);
  const unwind::mapped_code* find(std::uint64_t address) override;
  [[nodiscard]] std::uint64_t version() const override { return version_; }

 private:
  const unwind::table* table_of(const mapping& code);

  pid_t process_;
  const target_memory& memory_;
  std::map<std::string, std::optional<unwind::table>> tables_;  // by path
  std::vector<unwind::mapped_code> mappings_;
  std::uint64_t version_ = 0;
  unwind::unwinder unwinder_{unwind::architecture::x86_64};
};

const char* name_of(unwind::chain_end end);

}  // namespace stallscope::unwind_compare
