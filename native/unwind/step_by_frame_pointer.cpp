// Steps to the caller in code without call frame information: generated at run time, written in
// assembly, or compiled without unwind tables (Go). A frame record is accepted if it lies above the
// stack pointer and its return address is code.
#include "unwind/cursor.hpp"

namespace stallscope::unwind {
namespace {

struct caller_frame {
  std::uint64_t address = 0;
  std::uint64_t sp = 0;
  std::uint64_t fp = 0;
  bool by_record = false;
};

std::optional<caller_frame> by_record(const cursor& at) {
  const std::uint64_t fp = at.values.at(at.fp());
  caller_frame caller{.sp = fp + 16, .by_record = true};
  if (fp % 8 != 0 || fp < at.values.at(at.sp()) || !at.stack.read(fp, caller.fp) ||
      !at.stack.read(fp + 8, caller.address)) {
    return std::nullopt;
  }
  caller.address = at.plain_address(caller.address);
  if (caller.address != 0 && !at.is_code(caller.address)) return std::nullopt;
  return caller;
}

std::optional<caller_frame> at_stack_pointer(const cursor& at, std::uint64_t offset) {
  const std::uint64_t sp = at.values.at(at.sp()) + offset;
  caller_frame caller{.sp = sp + 8, .fp = at.values.at(at.fp())};
  if (!at.stack.read(sp, caller.address) || !at.is_code(caller.address)) return std::nullopt;
  return caller;
}

// The CPU was at this address, possibly before the frame record was written. Old return addresses
// remain on stacks, so the word at the stack pointer is used only where it must be a return
// address: at the first instruction of a function, and after the push that begins a record. In
// frameless leaf functions the caller is lost.
std::optional<caller_frame> of_leaf(const cursor& at) {
  if (at.arch == architecture::x86_64) {
    std::uint64_t pushed = 0;
    if (at.stack.read(at.values.at(x86_64::rsp), pushed) && pushed != 0 &&
        pushed == at.values.at(x86_64::rbp)) {
      if (auto caller = at_stack_pointer(at, 8)) return caller;
    }
    return at.pc % 16 == 0 ? at_stack_pointer(at, 0) : std::nullopt;
  }
  // After a call, the link register contains an address in the function itself.
  constexpr std::uint64_t near = 4096;
  const std::uint64_t link = at.plain_address(at.values.at(arm64::lr));
  const std::uint64_t distance = link > at.pc ? link - at.pc : at.pc - link;
  if (distance < near || !at.is_code(link)) return std::nullopt;
  const auto record = by_record(at);
  if (record && record->address == link) return std::nullopt;
  return caller_frame{
      .address = link, .sp = at.values.at(arm64::sp), .fp = at.values.at(arm64::fp)};
}

std::optional<caller_frame> find_caller(const cursor& at, bool in_table) {
  if (at.exact) {
    if (auto caller = of_leaf(at)) return caller;
  }
  if (auto caller = by_record(at)) return caller;
  // CPython 3.12's perf trampoline reserves space but writes no frame record: sub $8,%rsp; call
  // *%rcx.
  if (at.arch == architecture::x86_64 && !at.exact && !in_table) return at_stack_pointer(at, 8);
  return std::nullopt;
}

}  // namespace

std::optional<chain_end> step_by_frame_pointer(cursor& at, bool in_table) {
  const auto caller = find_caller(at, in_table);
  if (caller) {
    at.values.set(at.fp(), caller->fp);
    at.values.set(at.sp(), caller->sp);
    if (at.arch == architecture::arm64) at.values.forget(arm64::lr);
    at.unmoved_steps = 0;
    at.by_record = caller->by_record;
    return at.arrive(caller->address, false);
  }
  if (!at.values.known(at.fp())) return chain_end::no_table;
  const std::uint64_t fp = at.values.at(at.fp());
  // At a thread's entry the frame record contains 0. Elsewhere fp is an ordinary register.
  if (fp == 0) return at.by_record ? chain_end::complete : chain_end::no_table;
  const bool beyond = fp % 8 == 0 && fp >= at.stack.begin() && !at.stack.holds(fp, 16);
  const chain_end why = at.missing_reason(fp);
  if (at.on_other_stack || (beyond && why == chain_end::cut_by_copy)) return why;
  return chain_end::no_table;
}

}  // namespace stallscope::unwind
