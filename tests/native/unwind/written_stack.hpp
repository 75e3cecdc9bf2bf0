// A hand-written thread: its registers, the words of its stack, and the mapped code. Belongs to a
// single test.
//  written_thread thread(frame);
//  thread.put(8, return_address);
//  CHECK(thread.walk() == expected);
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "elf_builder.hpp"
#include "unwind/unwinder.hpp"

struct written_code : stallscope::unwind::code_map {
  const stallscope::unwind::mapped_code* find(std::uint64_t address) override {
    for (const auto& mapping : mapped) {
      if (address >= mapping.start && address < mapping.end) return &mapping;
    }
    return nullptr;
  }
  [[nodiscard]] std::uint64_t version() const override { return state; }
  std::vector<stallscope::unwind::mapped_code> mapped;
  std::uint64_t state = 0;  // version of `mapped`; 0 disables caching
};

class written_thread {
 public:
  static constexpr std::uint64_t sp = 0x7fff'0000;
  static constexpr std::uint64_t file_bias = 0x5500'0000'0000;        // load bias of the file
  static constexpr std::uint64_t jit = 0x7f00'0000'0000;              // code without a file
  static constexpr std::uint64_t entry = elf_builder::code + 0x8000;  // without a rule
  static constexpr std::uint64_t in_file = file_bias + elf_builder::code;

  explicit written_thread(
      const elf_builder::bytes& frame,
      stallscope::unwind::architecture arch = stallscope::unwind::architecture::x86_64)
      : arch_{arch},
        table_{stallscope::unwind::table::compile(
            elf_builder::build({{".eh_frame", frame}}, {.arch = arch, .entry = entry}))} {
    code.mapped.push_back({.start = file_bias + elf_builder::load_address,
                           .end = file_bias + elf_builder::load_address + elf_builder::load_bytes,
                           .file_offset = 0,
                           .table = &table_});
    code.mapped.push_back({.start = jit, .end = jit + 0x10000});
    stack.resize(64);
    const bool is_x86_64 = arch == stallscope::unwind::architecture::x86_64;
    first.set(is_x86_64 ? 7 : 31, sp);
    first.set(is_x86_64 ? 16 : 32, in_file);
  }

  written_thread& at(std::uint64_t address) {
    first.set(arch_ == stallscope::unwind::architecture::x86_64 ? 16 : 32, address);
    return *this;
  }
  written_thread& with(unsigned number, std::uint64_t value) {
    first.set(number, value);
    return *this;
  }
  written_thread& put(std::size_t offset, std::uint64_t value) {
    stack.at(offset / 8) = value;
    return *this;
  }

  // Returns the addresses of the chain and sets `end` to the reason of its end.
  std::vector<std::uint64_t> walk(std::size_t max_frames = 64) {
    frames.clear();
    end = unwinder_.walk(first, {.address = sp, .bytes = std::as_bytes(std::span(stack))}, code,
                         frames, max_frames, {}, loop ? &*loop : nullptr);
    std::vector<std::uint64_t> addresses;
    for (const auto& frame : frames) addresses.push_back(frame.address);
    return addresses;
  }

  stallscope::unwind::registers first;
  std::vector<std::uint64_t> stack;
  written_code code;
  std::vector<stallscope::unwind::frame> frames;
  std::optional<stallscope::unwind::interpreter_loop> loop;
  stallscope::unwind::chain_end end = stallscope::unwind::chain_end::kernel_given;

 private:
  stallscope::unwind::architecture arch_;
  stallscope::unwind::table table_;
  stallscope::unwind::unwinder unwinder_{arch_};
};

// Short names, because tests write chains with them.
inline constexpr auto text = written_thread::in_file;
inline constexpr auto jit = written_thread::jit;
inline constexpr auto sp = written_thread::sp;
