// Code, methods and stacks like those of HotSpot in the memory of the test, with offsets of its
// own. Readers read it as the memory of a process.
#pragma once

#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "hotspot_frames/java_walker.hpp"

namespace stallscope::hotspot_frames {

class fake_virtual_machine {
 public:
  static constexpr std::uint64_t segment_bytes = 128;
  static constexpr std::uint64_t header_bytes = 16;
  static constexpr std::uint64_t blob_header_bytes = 256;
  static constexpr std::uint64_t pool_bytes = 32;
  static constexpr std::uint64_t method_bytes = 32;

  fake_virtual_machine() {
    put(heap_.data(), 0, address(code_.data()));
    put(heap_.data(), 8, address(code_.data()) + code_.size());
    put(heap_.data(), 16, address(segments_.data()));
    put<std::int32_t>(heap_.data(), 24, 7);
    segments_.fill(0xff);
    heap_pointer_ = address(heap_.data());
    put<std::int32_t>(array_.data(), 0, 1);
    put(array_.data(), 8, address(&heap_pointer_));
    array_pointer_ = address(array_.data());
    set_layout();
  }

  [[nodiscard]] const vm_layout& layout() const { return layout_; }
  void set_arm64() { layout_.frames = conventions_of(unwind::architecture::arm64, 21); }
  [[nodiscard]] process_memory memory() const { return process_memory{::getpid()}; }

  // Adds a method "class.name" with bytecodes, line `line` from the first on.
  std::uint64_t add_method(const std::string& class_name, const std::string& name,
                           std::uint8_t line) {
    auto& klass = memory_of(16);
    put(klass.data(), 8, symbol(class_name));
    auto& pool = memory_of(pool_bytes + 4 * 8);
    put(pool.data(), 0, address(klass.data()));
    put<std::int32_t>(pool.data(), 8, 4);
    put(pool.data(), pool_bytes + 8, symbol(name));
    put<std::uint16_t>(pool.data(), 12, 2);
    put(pool.data(), pool_bytes + 16, symbol("Fake.java"));
    constexpr std::uint16_t bytecodes = 10;
    auto& constants = memory_of(method_bytes + bytecodes + 16);
    put(constants.data(), 0, address(pool.data()));
    put<std::uint16_t>(constants.data(), 8, bytecodes);
    put<std::uint16_t>(constants.data(), 10, 1);
    put<std::uint16_t>(constants.data(), 12, 1);
    // A long entry: both differences as signed numbers.
    put<std::uint8_t>(constants.data(), method_bytes + bytecodes, 0xff);
    put<std::uint8_t>(constants.data(), method_bytes + bytecodes + 1, 0);
    put<std::uint8_t>(constants.data(), method_bytes + bytecodes + 2,
                      static_cast<std::uint8_t>(2 * line));
    auto& method = memory_of(16);
    put(method.data(), 8, address(constants.data()));
    return address(method.data());
  }
  [[nodiscard]] static std::uint64_t bytecode(std::uint64_t method, std::uint64_t index) {
    std::uint64_t constants = 0;
    std::memcpy(&constants, pointer(method + 8), sizeof constants);
    return constants + method_bytes + index;
  }

  struct placed {
    std::uint64_t blob = 0;
    std::uint64_t code = 0;
  };
  // Adds a blob of four segments. A prologue is a single `push rbp`.
  placed add_blob(const char* name, std::uint64_t method, std::uint32_t frame_words,
                  std::initializer_list<unsigned> code, std::int32_t compile_id) {
    const std::uint64_t start = next_segment_ * segment_bytes;
    std::byte* const block = code_.data() + start;
    put<std::uint8_t>(block, 8, 1);
    std::byte* const blob = block + header_bytes;
    const std::uint64_t size = 4 * segment_bytes - header_bytes;
    put(blob, 0, address(name));
    put(blob, 8, static_cast<std::int32_t>(size));
    put(blob, 12, static_cast<std::int32_t>(frame_words));
    constexpr unsigned push_rbp = 0x55;
    put<std::int32_t>(blob, 16, code.size() > 0 && *code.begin() == push_rbp ? 1 : 0);
    put(blob, 24, address(blob + blob_header_bytes));
    put(blob, 32, address(blob) + size);
    put(blob, 40, method);
    put(blob, 48, compile_id);
    put<std::int32_t>(blob, 52, 4);
    put(blob, 56, address(blob + blob_header_bytes));
    std::size_t at = blob_header_bytes;
    for (const unsigned byte : code) blob[at++] = static_cast<std::byte>(byte);
    for (std::uint8_t i = 0; i < 4; ++i) segments_.at(next_segment_ + i) = i;
    next_segment_ += 4;
    return {address(blob), address(blob + blob_header_bytes)};
  }
  static void replace(std::uint64_t blob, std::uint64_t method, std::int32_t compile_id) {
    put(pointer(blob), 40, method);
    put(pointer(blob), 48, compile_id);
  }
  // Makes a method unreadable, as after its class was unloaded.
  static void unload_method(std::uint64_t method) { put(pointer(method), 8, std::uint64_t{0}); }
  // All memory that readers see: code, segment map and the structures of methods.
  [[nodiscard]] std::vector<std::span<std::byte>> visible() {
    std::vector<std::span<std::byte>> spans{code_, std::as_writable_bytes(std::span{segments_}),
                                            heap_};
    for (auto& block : blocks_) spans.emplace_back(block);
    return spans;
  }
  void corrupt_segments() { segments_.fill(0xfe); }
  // 0: the machine has not generated it yet.
  void set_call_stub_return(std::uint64_t pc) { call_stub_return_ = pc; }

 private:
  template <class T>
  static void put(std::byte* base, std::size_t offset, T value) {
    std::memcpy(base + offset, &value, sizeof value);
  }
  static std::uint64_t address(const void* pointer) {
    std::uint64_t value = 0;
    std::memcpy(&value, &pointer, sizeof value);
    return value;
  }
  static std::byte* pointer(std::uint64_t address) {
    std::byte* value = nullptr;
    std::memcpy(&value, &address, sizeof value);
    return value;
  }
  std::vector<std::byte>& memory_of(std::size_t bytes) {
    return blocks_.emplace_back(bytes, std::byte{0});
  }
  std::uint64_t symbol(const std::string& text) {
    auto& bytes = memory_of(8 + text.size());
    put(bytes.data(), 0, static_cast<std::uint16_t>(text.size()));
    std::memcpy(bytes.data() + 2, text.data(), text.size());
    return address(bytes.data());
  }
  void set_layout() {
    layout_.heaps = address(&array_pointer_);
    layout_.array_data = 8;
    layout_.space_high_boundary = 8;
    layout_.heap_segments = 16;
    layout_.heap_log2_segment = 24;
    layout_.block_bytes = header_bytes;
    layout_.block_used = 8;
    auto& blob = layout_.blob;
    blob.bytes = blob_header_bytes;
    blob.size = 8;
    blob.frame_size = 12;
    blob.frame_complete = 16;
    blob.code_begin = 24;
    blob.code_end = 32;
    blob.method = 40;
    blob.compile_id = 48;
    blob.level = 52;
    blob.verified_entry = 56;
    blob.deopt_handler = 64;
    blob.orig_pc_offset = 72;
    blob.scopes_pcs = 76;
    blob.scopes_pcs_end = 80;
    blob.scopes_data = 88;
    blob.metadata = 96;
    layout_.method.constants_of_method = 8;
    layout_.method.bytes = method_bytes;
    layout_.method.code_size = 8;
    layout_.method.name_index = 10;
    layout_.method.flags = 12;
    layout_.method.has_line_numbers = 1;
    layout_.pool.bytes = pool_bytes;
    layout_.pool.length = 8;
    layout_.pool.source_file = 12;
    layout_.klass_name = 8;
    layout_.symbol_body = 2;
    layout_.call_stub_return = address(&call_stub_return_);
  }

  alignas(128) std::array<std::byte, 128 * segment_bytes> code_{};
  std::array<std::uint8_t, 128> segments_{};
  std::array<std::byte, 64> heap_{};
  std::array<std::byte, 16> array_{};
  std::uint64_t heap_pointer_ = 0;
  std::uint64_t array_pointer_ = 0;
  std::uint64_t call_stub_return_ = 16;  // in no code
  std::size_t next_segment_ = 0;
  std::deque<std::vector<std::byte>> blocks_;
  vm_layout layout_;
};

}  // namespace stallscope::hotspot_frames
