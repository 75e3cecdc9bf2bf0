#include "our_walk.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace stallscope::unwind_compare {
namespace {

// In the order of perf's numbers (arch/x86/include/uapi/asm/perf_regs.h); zeros are registers that
// the unwinder does not ask for.
std::array<std::uint64_t, 24> perf_registers(const user_regs_struct& r) {
  return {r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.rsp, r.rip, 0,     0,     0,
          0,     0,     0,     0,     r.r8,  r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15};
}

// What a sample would hold.
unwind::registers sampled(const user_regs_struct& registers) {
  const auto mask = unwind::perf_mask(unwind::architecture::x86_64);
  const auto all = perf_registers(registers);
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((mask >> i & 1U) != 0) values.push_back(all[i]);
  }
  return unwind::from_perf(unwind::architecture::x86_64, mask, values);
}

std::optional<unwind::table> compiled_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::optional<unwind::table> made;
  try {
    made = unwind::table::compile(file);
  } catch (const std::runtime_error&) {
    // No ELF file: its code has frame pointers or is not followed.
  }
  close(file);
  return made;
}

}  // namespace

std::vector<std::uint64_t> dwarf_registers(const user_regs_struct& r) {
  return {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
          r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
}

const unwind::table* our_walk::table_of(const mapping& code) {
  if (code.path.empty()) return nullptr;
  const auto [held, is_new] = tables_.try_emplace(code.path);
  if (is_new && code.path == "[vdso]") {
    held->second = unwind::table::compile(memory_.bytes(code.start, code.end - code.start));
  } else if (is_new) {
    held->second = compiled_file("/proc/" + std::to_string(process_) + "/root" + code.path);
  }
  return held->second ? &*held->second : nullptr;
}

void our_walk::use(const std::vector<mapping>& mappings) {
  mappings_.clear();
  ++version_;
  for (const auto& code : mappings) {
    mappings_.push_back({code.start, code.end, code.file_offset, table_of(code)});
  }
}

const unwind::mapped_code* our_walk::find(std::uint64_t address) {
  const auto after = std::ranges::upper_bound(mappings_, address, {}, &unwind::mapped_code::start);
  if (after == mappings_.begin() || std::prev(after)->end <= address) return nullptr;
  return &*std::prev(after);
}

our_chain our_walk::walk(const user_regs_struct& registers, std::span<const std::byte> stack) {
  std::vector<unwind::frame> frames;
  our_chain chain;
  chain.end = unwinder_.walk(sampled(registers), {registers.rsp, stack}, *this, frames);
  for (const auto& frame : frames) {
    const auto number = chain.addresses.size();
    if (frame.exact && chain.resumes == 0) chain.resumes = number;
    chain.addresses.push_back(frame.address);
  }
  return chain;
}

const char* name_of(unwind::chain_end end) {
  constexpr std::array names{"kernel_given", "complete",  "cut_by_copy",
                             "no_table",     "bad_frame", "unmapped",
                             "other_stack",  "too_deep",  "no_registers"};
  return names.at(static_cast<std::size_t>(end));
}

}  // namespace stallscope::unwind_compare
