// Walks from libgcc's code before it jumps to a landing pad, on a hand-written stack: a function
// that throws, a function that the exception passes through, and a function that catches.
#include <doctest/doctest.h>

#include "written_stack.hpp"

using elf_builder::eh_function;
using stallscope::unwind::chain_end;
using addresses = std::vector<std::uint64_t>;

namespace {

// The frame of the throwing function, with libgcc's contexts of 18 words and two.
constexpr std::uint64_t cfa = sp + 400;
constexpr std::size_t callers_context = 8;
constexpr std::size_t landing_context = 168;
constexpr std::size_t context_cfa = 144;
constexpr std::size_t context_counter = 152;
constexpr std::uint64_t slot_of_rbx = cfa - 56;
constexpr std::uint64_t slot_of_rbp = cfa - 16;
// The frame pointers of the other functions. A return address follows every frame pointer.
constexpr std::uint64_t thrown_through = sp + 416;
constexpr std::uint64_t catching = sp + 480;
constexpr std::uint64_t landing_pad = text + 0x240;

// At 0 the function that also saves rax and rdx, with its last three instructions from 0x300 on. At
// 0x100 and 0x200 functions with frame pointers, the second with a normal return before its landing
// pad.
elf_builder::bytes functions() {
  elf_builder::writer frame;
  frame.raw(elf_builder::eh_common());
  const auto add = [&](std::uint64_t start, std::initializer_list<unsigned> instructions) {
    const auto back = static_cast<std::uint32_t>(frame.size()) + 4;
    frame.raw(eh_function(back, elf_builder::code + start, 0x100, instructions));
  };
  add(0, {0x0c, 6, 16, 0x80, 9, 0x81, 8, 0x83, 7, 0x86, 2});
  add(0x100, {0x0c, 6, 16, 0x86, 2});
  add(0x200, {0x0c, 6, 16, 0x86, 2, 0x02, 0x3f, 0x0c, 7, 8, 0x41, 0x0c, 6, 16});
  add(0x300, {0x0c, 2, 8, 0x80, 9, 0x81, 8, 0x41, 0x0c, 7, 8, 0x41, 0x0e, 0, 0x09, 16, 2});
  return frame.made();
}

struct leaving : written_thread {
  // `in_slot_of_rbp`: the content of the slot for the caller's frame pointer, original or already
  // overwritten.
  explicit leaving(std::uint64_t in_slot_of_rbp) : written_thread(functions()) {
    put_context(callers_context, slot_of_rbp, cfa, text + 0x150);
    put_context(landing_context, thrown_through, thrown_through + 16, landing_pad);
    put(slot_of_rbx - sp, 7).put(slot_of_rbp - sp, in_slot_of_rbp);
    put(cfa - 8 - sp, text + 0x150);
    put(thrown_through - sp, catching).put(thrown_through + 8 - sp, text + 0x230);
    put(catching - sp, 0).put(catching + 8 - sp, 0);
    with(6, slot_of_rbp);
  }

 private:
  void put_context(std::size_t at, std::uint64_t rbp_from, std::uint64_t frame,
                   std::uint64_t counter) {
    put(at, cfa - 72).put(at + 8, cfa - 64).put(at + 24, slot_of_rbx).put(at + 48, rbp_from);
    put(at + context_cfa, frame).put(at + context_counter, counter);
  }
};

}  // namespace

TEST_CASE("before registers are overwritten the chain follows the caller") {
  leaving thread(thrown_through);
  CHECK(thread.walk() == addresses{text, text + 0x150, text + 0x230});
  CHECK(thread.end == chain_end::complete);
}

TEST_CASE("after registers are overwritten the chain continues at the landing pad") {
  leaving thread(catching);
  CHECK(thread.walk() == addresses{text, landing_pad});
  CHECK(thread.end == chain_end::complete);
  CHECK(thread.frames[1].exact);
}

TEST_CASE("a chain that ends after a landing reports the reason") {
  leaving thread(catching);
  thread.put(catching + 8 - sp, 0x1234'5678);
  CHECK(thread.walk() == addresses{text, landing_pad, 0x1234'5678});
  CHECK(thread.end == chain_end::unmapped);
}

TEST_CASE("without both contexts there is no landing") {
  const auto other = [](std::size_t place, std::uint64_t value) {
    leaving thread(catching);
    thread.put(catching + 8 - sp, 0x1234'5678).put(place, value);
    return thread.walk();
  };
  // The chain that follows from the overwritten registers of the caller.
  const addresses by_rules{text, text + 0x150, 0x1234'5678};
  CHECK(other(callers_context + context_cfa, cfa + 8) == by_rules);
  CHECK(other(callers_context + 48, slot_of_rbp + 8) == by_rules);
  CHECK(other(landing_context + context_cfa, cfa) == by_rules);
  CHECK(other(landing_context + context_cfa, cfa + 36) == by_rules);
  CHECK(other(landing_context + context_counter, 0x1234'5678) == by_rules);
  CHECK(other(landing_context + 48, cfa - 8) == by_rules);
  CHECK(other(landing_context + 48, thrown_through + 16) == by_rules);
}

TEST_CASE("the last instructions of the throwing function step to the landing pad") {
  constexpr std::uint64_t top =
      thrown_through + 8;  // address of the landing pad's address on the stack
  const auto chain = [&](std::uint64_t address, std::uint64_t in_rsp, std::uint64_t in_rcx) {
    leaving thread(catching);
    thread.put(top - sp, landing_pad).at(address);
    thread.with(2, in_rcx).with(6, catching).with(7, in_rsp);
    auto chain = thread.walk();
    CHECK(thread.end == chain_end::complete);
    CHECK(thread.frames.at(1).exact);
    return chain;
  };
  CHECK(chain(text + 0x300, sp, top) == addresses{text + 0x300, landing_pad});
  CHECK(chain(text + 0x301, top, top) == addresses{text + 0x301, landing_pad});
  CHECK(chain(text + 0x302, top + 8, landing_pad) == addresses{text + 0x302, landing_pad});
}

TEST_CASE("the normal return of the throwing function steps to its caller") {
  leaving thread(catching);
  thread.put(thrown_through + 8 - sp, text + 0x230).at(text + 0x301);
  thread.with(2, 0x1234).with(6, catching).with(7, thrown_through + 8);
  CHECK(thread.walk() == addresses{text + 0x301, text + 0x230});
  CHECK_FALSE(thread.frames.at(1).exact);
}

TEST_CASE("a copy that ends before the landing frame cuts the chain") {
  leaving thread(catching);
  thread.stack.resize((catching - sp) / 8);
  CHECK(thread.walk() == addresses{text, landing_pad});
  CHECK(thread.end == chain_end::cut_by_copy);
}
