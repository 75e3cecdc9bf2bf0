// To the caller where no call frame information covers the code: made at run time, hand-written, or
// of a compiler that emits none (Go). The frame record is believed where it lies above the stack
// pointer and its return address is code.
#include "unwind/cursor.hpp"

namespace stallscope::unwind {
namespace {

struct caller_found {
  std::uint64_t address = 0;
  std::uint64_t sp = 0;
  std::uint64_t fp = 0;
  bool by_record = false;
};

std::optional<caller_found> by_record(const cursor& at) {
  const std::uint64_t fp = at.values.at(at.fp());
  caller_found found{.sp = fp + 16, .by_record = true};
  if (fp % 8 != 0 || fp < at.values.at(at.sp()) || !at.stack.read(fp, found.fp) ||
      !at.stack.read(fp + 8, found.address)) {
    return std::nullopt;
  }
  found.address = at.plain_address(found.address);
  if (found.address != 0 && !at.is_code(found.address)) return std::nullopt;
  return found;
}

std::optional<caller_found> at_stack_pointer(const cursor& at, std::uint64_t offset) {
  const std::uint64_t sp = at.values.at(at.sp()) + offset;
  caller_found found{.sp = sp + 8, .fp = at.values.at(at.fp())};
  if (!at.stack.read(sp, found.address) || !at.is_code(found.address)) return std::nullopt;
  return found;
}

// The CPU stood here, perhaps before the frame record was made. Old return addresses lie about on
// stacks, so the word at the stack pointer is believed only where it must be one: at a function's
// first instruction, and behind the push that begins a record. Frameless leaves lose their caller.
std::optional<caller_found> of_leaf(const cursor& at) {
  if (at.arch == architecture::x86_64) {
    std::uint64_t pushed = 0;
    if (at.stack.read(at.values.at(x86_64::rsp), pushed) && pushed != 0 &&
        pushed == at.values.at(x86_64::rbp)) {
      if (auto found = at_stack_pointer(at, 8)) return found;
    }
    return at.pc % 16 == 0 ? at_stack_pointer(at, 0) : std::nullopt;
  }
  // A function with a record that has called keeps an address of its own in the link register.
  constexpr std::uint64_t near = 4096;
  const std::uint64_t link = at.plain_address(at.values.at(arm64::lr));
  const std::uint64_t distance = link > at.pc ? link - at.pc : at.pc - link;
  if (distance < near || !at.is_code(link)) return std::nullopt;
  const auto record = by_record(at);
  if (record && record->address == link) return std::nullopt;
  return caller_found{
      .address = link, .sp = at.values.at(arm64::sp), .fp = at.values.at(arm64::fp)};
}

std::optional<caller_found> find_caller(const cursor& at, bool in_table) {
  if (at.exact) {
    if (auto found = of_leaf(at)) return found;
  }
  if (auto found = by_record(at)) return found;
  // CPython 3.12's trampoline for perf makes no frame record, only room: sub $8,%rsp; call *%rcx.
  if (at.arch == architecture::x86_64 && !at.exact && !in_table) return at_stack_pointer(at, 8);
  return std::nullopt;
}

}  // namespace

std::optional<chain_end> step_by_frame_pointer(cursor& at, bool in_table) {
  const auto found = find_caller(at, in_table);
  if (found) {
    at.values.set(at.fp(), found->fp);
    at.values.set(at.sp(), found->sp);
    if (at.arch == architecture::arm64) at.values.forget(arm64::lr);
    at.still_steps = 0;
    at.by_record = found->by_record;
    return at.arrive(found->address, false);
  }
  if (!at.values.known(at.fp())) return chain_end::no_table;
  const std::uint64_t fp = at.values.at(at.fp());
  // The entry of a thread has a record that says 0; elsewhere it is a number like others.
  if (fp == 0) return at.by_record ? chain_end::complete : chain_end::no_table;
  const bool beyond = fp % 8 == 0 && fp >= at.stack.begin() && !at.stack.holds(fp, 16);
  const chain_end why = at.missing(fp);
  if (at.on_other_stack || (beyond && why == chain_end::cut_by_copy)) return why;
  return chain_end::no_table;
}

}  // namespace stallscope::unwind
