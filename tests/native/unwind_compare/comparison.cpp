#include "comparison.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>

namespace stallscope::unwind_compare {
namespace {

using stallscope::json;

std::string hex(std::uint64_t value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) {
    const auto digit = value >> shift & 0xfU;
    if (digit != 0 || !text.empty() || shift == 0) text += digits[digit];
  }
  return text;
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const auto byte : bytes) {
    const auto two = hex(0x100U | std::to_integer<std::uint64_t>(byte));
    text += two.substr(1);
  }
  return text;
}

std::size_t frames_in_common(const our_chain& ours, const their_chain& theirs) {
  const auto parted = std::ranges::mismatch(ours.addresses, theirs.addresses);
  return static_cast<std::size_t>(parted.in1 - ours.addresses.begin());
}

// Whether the frame that we did not find lies outside the copy: above it (a return address stands
// right below its caller's stack pointer), or below the stack pointer, where the copy begins.
bool ends_with_the_copy(const observation& seen, std::size_t common) {
  if (common != seen.ours.addresses.size() || common == seen.theirs.addresses.size()) return false;
  const auto start = seen.registers.rsp;
  const auto is_outside = [&] {
    const auto pointer = seen.theirs.stack_pointers[common];
    return pointer < start + sizeof pointer || pointer > start + seen.stack.size();
  };
  switch (seen.ours.end) {
    case unwind::chain_end::cut_by_copy:
      return seen.theirs.lowest_read < start || is_outside();
    case unwind::chain_end::other_stack:
      return is_outside();
    // The frame pointer may lead to another stack: Go changes stacks inside a chain.
    case unwind::chain_end::no_table:
      return is_outside() || (common <= 2 && seen.theirs.lowest_read < start);
    case unwind::chain_end::bad_frame:
      return common <= 2 && seen.theirs.lowest_read < start;
    default:
      return false;
  }
}

struct beginning {
  std::string_view code;  // in hexadecimal
  const char* state;
};

// Instructions before which the frame record is not made yet, or is not there any more.
constexpr std::array<beginning, 5> beginnings{{
    {"55", "at entry"},        // push %rbp
    {"f30f1efa", "at entry"},  // endbr64
    {"493b6610", "at entry"},  // cmp 16(%r14),%rsp: Go looks whether the stack is large enough
    {"ff25", "at jump"},       // jmp *offset(%rip): a stub of procedure linkage
    {"c3", "at return"},
}};

// Where the frame that elfutils follows by its frame pointer may not be the leaf's own.
const char* state_of_leaf(const observation& seen) {
  const auto code = hex(seen.code);
  for (const auto& beginning : beginnings) {
    if (code.starts_with(beginning.code)) return beginning.state;
  }
  std::uint64_t top = 0;
  if (seen.stack.size() >= sizeof top) std::memcpy(&top, seen.stack.data(), sizeof top);
  if (top != 0 && top == seen.registers.rbp) return "frame pointer pushed";
  return seen.registers.rip % 16 == 0 ? "at a multiple of 16" : "inside";
}

// Whether the one chain is the other without some frames right after the first.
bool skips_callers(std::span<const std::uint64_t> shorter, std::span<const std::uint64_t> longer) {
  return longer.size() > shorter.size() && shorter.size() > 1 && shorter[0] == longer[0] &&
         std::ranges::equal(shorter.subspan(1), longer.last(shorter.size() - 1));
}

// elfutils takes the last word that it finds for a frame, whether it is an address of code or not.
bool has_stray_word(const observation& seen, std::size_t common, unwind::code_map& code) {
  return common == seen.ours.addresses.size() && common + 1 == seen.theirs.addresses.size() &&
         code.find(seen.theirs.addresses[common]) == nullptr;
}

// Whether ours is, up to where it resumes, elfutils' chain, and from there on the chain that
// elfutils found once the thread was there.
bool lands_as_told(const observation& seen, std::size_t common) {
  const auto resumes = seen.ours.resumes;
  return resumes != 0 && common >= resumes && !seen.theirs_there.addresses.empty() &&
         std::ranges::equal(std::span(seen.ours.addresses).subspan(resumes),
                            seen.theirs_there.addresses);
}

const char* kind_of(const observation& seen, std::size_t common) {
  if (skips_callers(seen.theirs.addresses, seen.ours.addresses)) return "theirs skips callers";
  if (skips_callers(seen.ours.addresses, seen.theirs.addresses)) return "ours skips callers";
  if (common == seen.theirs.addresses.size()) return "ours goes on";
  return common == seen.ours.addresses.size() ? "ours ends" : "parted";
}

json chain_document(const std::vector<std::uint64_t>& addresses, const elfutils_walk& names) {
  json lines = json::array();
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto where = names.place_of(addresses[i], i == 0);
    lines.push_back(hex(addresses[i]) + " " + where.module + "+" + hex(where.offset) + " " +
                    where.symbol);
  }
  return lines;
}

json counts_document(const std::map<std::string, std::uint64_t>& counts) {
  json all = json::object();
  for (const auto& [name, count] : counts) all[name] = count;
  return all;
}

json registers_document(const user_regs_struct& registers) {
  constexpr std::array names{"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                             "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
  const auto values = dwarf_registers(registers);
  json all = json::object();
  for (std::size_t i = 0; i < names.size(); ++i) all[names[i]] = hex(values[i]);
  return all;
}

}  // namespace

void comparison::add(const observation& seen, const elfutils_walk& names, unwind::code_map& code) {
  ++chains_;
  frames_ += seen.theirs.addresses.size();
  leaves_.insert(seen.registers.rip);
  const auto leaf = names.place_of(seen.registers.rip, true);
  ++leaf_modules_[std::filesystem::path(leaf.module).filename()];
  const std::string our_end = name_of(seen.ours.end);
  ++our_ends_[our_end];
  ++their_ends_[seen.theirs.end];
  if (seen.ours.addresses == seen.theirs.addresses) {
    ++equal_;
    auto& same = ends_of_equal_[our_end + " / " + seen.theirs.end];
    if (same.count++ == 0) same.what = chain_document(seen.ours.addresses, names);
    return;
  }
  const auto common = frames_in_common(seen.ours, seen.theirs);
  if (lands_as_told(seen, common)) {
    if (equal_once_landed_.count++ == 0) {
      equal_once_landed_.what = {{"ours", chain_document(seen.ours.addresses, names)},
                                 {"theirs", chain_document(seen.theirs.addresses, names)}};
    }
    return;
  }
  if (ends_with_the_copy(seen, common)) {
    ++equal_to_the_copys_end_;
    return;
  }
  if (has_stray_word(seen, common, code)) {
    ++equal_but_for_a_stray_word_;
    return;
  }
  const auto last =
      common == 0 ? leaf : names.place_of(seen.ours.addresses[common - 1], common == 1);
  json what{{"kind", kind_of(seen, common)},
            {"our_end", our_end},
            {"their_end", seen.theirs.end},
            {"module", std::filesystem::path(last.module).filename().string()},
            {"symbol", last.symbol},
            {"leaf", state_of_leaf(seen)}};
  auto& of_class = differences_[what.dump()];
  if (of_class.count++ != 0) return;
  what["example"] = {{"frames_in_common", common},
                     {"registers", registers_document(seen.registers)},
                     {"copied_bytes", seen.stack.size()},
                     {"code", hex(seen.code)},
                     {"ours", chain_document(seen.ours.addresses, names)},
                     {"theirs", chain_document(seen.theirs.addresses, names)}};
  of_class.what = std::move(what);
}

json comparison::document() const {
  json differences = json::array();
  for (const auto& [key, each] : differences_) {
    differences.push_back(each.what);
    differences.back()["chains"] = each.count;
  }
  json ends = json::object();
  for (const auto& [key, each] : ends_of_equal_) {
    ends[key] = {{"chains", each.count}, {"example", each.what}};
  }
  return {{"chains", chains_},
          {"equal", equal_},
          {"equal_once_landed", equal_once_landed_.count},
          {"once_landed", equal_once_landed_.what},
          {"equal_to_the_copys_end", equal_to_the_copys_end_},
          {"equal_but_for_a_stray_word", equal_but_for_a_stray_word_},
          {"frames", frames_},
          {"distinct_leaves", leaves_.size()},
          {"leaf_modules", counts_document(leaf_modules_)},
          {"our_ends", counts_document(our_ends_)},
          {"their_ends", counts_document(their_ends_)},
          {"ends_of_equal", std::move(ends)},
          {"differences", std::move(differences)}};
}

}  // namespace stallscope::unwind_compare
