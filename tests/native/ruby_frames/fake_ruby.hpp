// A small Ruby process in the memory of this one, with the layout of Ruby 3.1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "ruby_frames/versions/ruby_3_1.hpp"

namespace stallscope::ruby_frames {

class fake_ruby {
 public:
  static constexpr std::uint64_t stack_top = 0x7000'0000;
  static constexpr std::uint64_t method_kind = 0x11110001;
  static constexpr std::uint64_t block_kind = 0x22220001;
  static constexpr std::uint64_t finish = 0x20;
  static constexpr std::uint64_t local = 2;
  static constexpr std::size_t frame_words = 512;

  fake_ruby() : bytes_(std::size_t{64} << 10U) {
    vm_pointer_ = allocate(8);
    const auto vm = allocate(64);
    const auto ractor = allocate(640);
    context_ = allocate(ruby_3_1.context_bytes);
    stack_ = allocate(8 * frame_words);
    frame_ = stack_ + 8 * frame_words;
    put(vm_pointer_, vm);
    put(vm + ruby_3_1.vm_main_ractor, ractor);
    put(ractor + ruby_3_1.ractor_running, context_);
    put(ractor + ruby_3_1.ractor_threads, ractor + ruby_3_1.ractor_threads);
    put(context_ + ruby_3_1.context_stack, stack_);
    put(context_ + ruby_3_1.context_stack_size, frame_words);
    put(context_ + ruby_3_1.context_stack_start, stack_top);
    put(context_ + ruby_3_1.context_stack_bytes, 1U << 20U);
    put(context_ + ruby_3_1.context_frame, frame_);
  }

  [[nodiscard]] std::uint64_t vm_pointer() const { return vm_pointer_; }
  [[nodiscard]] std::uint64_t context() const { return context_; }
  std::span<std::byte> visible() { return std::span{bytes_}.first(used_); }

  // At most 24 characters.
  std::uint64_t add_string(std::string_view text) {
    const auto string = allocate(40);
    put(string, 5 | text.size() << 14U);
    std::memcpy(at(string + 16), text.data(), text.size());
    return string;
  }
  // A sequence of eight words whose only line is `line`.
  std::uint64_t add_sequence(std::string_view label, std::string_view base, std::string_view path,
                             std::uint32_t line) {
    const auto sequence = allocate(32);
    const auto body = allocate(ruby_3_1.body_bytes);
    const auto entry = allocate(16);
    put(entry, line);
    put(sequence + ruby_3_1.iseq_body, body);
    put(body, std::uint64_t{8} << 32U);
    put(body + ruby_3_1.body_encoded, allocate(64));
    put(body + ruby_3_1.body_path, add_string(path));
    put(body + ruby_3_1.body_base_label, add_string(base));
    put(body + ruby_3_1.body_label, add_string(label));
    put(body + ruby_3_1.body_first_line, 2 * std::uint64_t{line} + 1);
    put(body + ruby_3_1.body_lines, entry);
    put(body + ruby_3_1.body_line_count, 1);
    return sequence;
  }
  // Pushes a frame with an environment of three words.
  void push(std::uint64_t sequence, std::uint64_t flags) {
    frame_ -= ruby_3_1.frame_bytes;
    const auto words = allocate(24);
    put(words + 16, flags);
    put(frame_ + ruby_3_1.frame_iseq, sequence);
    put(frame_ + ruby_3_1.frame_environment, words + 16);
    if (sequence != 0) put(frame_, word(word(sequence + 16) + ruby_3_1.body_encoded) + 16);
    put(context_ + ruby_3_1.context_frame, frame_);
  }
  void put(std::uint64_t address, std::uint64_t value) {
    std::memcpy(at(address), &value, sizeof value);
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t address) {
    std::uint64_t value = 0;
    std::memcpy(&value, at(address), sizeof value);
    return value;
  }

 private:
  std::byte* at(std::uint64_t address) {
    return bytes_.data() + (address - reinterpret_cast<std::uint64_t>(bytes_.data()));
  }
  std::uint64_t allocate(std::size_t size) {
    const auto address = reinterpret_cast<std::uint64_t>(bytes_.data()) + used_;
    used_ += (size + 15) / 16 * 16;
    return address;
  }

  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
  std::uint64_t vm_pointer_ = 0;
  std::uint64_t context_ = 0;
  std::uint64_t stack_ = 0;
  std::uint64_t frame_ = 0;
};

}  // namespace stallscope::ruby_frames
