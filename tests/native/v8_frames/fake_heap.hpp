// A small V8 heap in this process: maps, strings, functions, optimized code and bytecode, with the
// layout of V8 11.3 (Node 20). Readers read it through process_vm_readv of this process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "v8_frames/layout.hpp"
#include "v8_frames/versions/v8_11.hpp"

namespace stallscope::v8_frames {

class fake_heap {
 public:
  enum type : std::uint16_t {
    one_byte_string = 40,
    cons_string = 41,
    map = 255,
    bytecode_array = 191,
    scope_info = 261,
    shared_info = 262,
    script = 167,
    js_function = 2066,
    code = 245,
    stream = 252,
    fixed_array = 175
  };

  fake_heap() : bytes_(std::size_t{64} << 10U) {
    meta_map_ = allocate(16), set_map(meta_map_, map);
  }

  static layout fields() {
    layout result;
    result.version = v8_11;
    result.stream_type = stream;
    result.bytecode_type = bytecode_array;
    result.scope_info_type = scope_info;
    result.shared_info_type = shared_info;
    result.script_type = script;
    result.first_function_type = js_function;
    result.last_function_type = js_function + 14;
    result.map_type = map;
    result.function_shared = 24;
    result.shared_name = 16;
    result.shared_script = 32;
    result.bytecode_data = 54;
    result.kind_baseline = 11;
    return result;
  }

  // Objects are returned as tagged pointers.
  std::uint64_t add_string(std::string_view text) {
    const auto object = add(one_byte_string, 16 + text.size());
    set_length(object, text.size());
    for (std::size_t i = 0; i < text.size(); ++i)
      *place(object - 1 + 16 + i) = static_cast<std::byte>(text[i]);
    return object;
  }
  std::uint64_t add_cons(std::uint64_t first, std::uint64_t second, std::size_t length) {
    const auto object = add(cons_string, 32);
    set_length(object, length);
    set(object, 16, first);
    set(object, 24, second);
    return object;
  }
  std::uint64_t add_script(std::string_view name, std::string_view source) {
    const auto object = add(script, 104);
    set(object, 8, add_string(source));
    set(object, 16, add_string(name));
    return object;
  }
  std::uint64_t add_shared_info(std::uint64_t name, std::uint64_t of_script) {
    const auto object = add(shared_info, 64);
    set(object, 16, name);
    set(object, 32, of_script);
    return object;
  }
  std::uint64_t add_function(std::uint64_t shared) {
    const auto object = add(js_function, 64);
    set(object, 24, shared);
    return object;
  }
  std::uint64_t add_array(std::span<const std::uint64_t> elements) {
    const auto object = add(fixed_array, 16 + 8 * elements.size());
    set(object, 8, smi(elements.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) set(object, 16 + 8 * i, elements[i]);
    return object;
  }
  std::uint64_t add_bytes(std::span<const std::byte> content) {
    const auto object = add(fixed_array, 16 + content.size());
    set(object, 8, smi(content.size()));
    if (!content.empty()) std::memcpy(place(object - 1 + 16), content.data(), content.size());
    return object;
  }
  std::uint64_t add_bytecode(std::span<const std::byte> positions) {
    const auto table = add_bytes(positions);
    const auto object = add(bytecode_array, 64);
    set(object, 32, table);
    return object;
  }
  // Optimized code of 64 bytes; returns the address of its first instruction.
  std::uint64_t add_code(std::uint32_t kind, std::uint64_t deoptimization,
                         std::uint64_t positions) {
    const auto object = add(code, 64);
    const auto instructions = add(stream, 16 + 64);
    set(instructions, 8, object);
    const std::uint64_t start = instructions - 1 + 16;
    set(object, 16, deoptimization);
    set(object, 24, positions);
    set(object, 40, start);
    set(object, 48, kind);
    set(object, 56, 64);
    return start;
  }

  static std::uint64_t smi(std::uint64_t value) { return value << 32U; }
  void set(std::uint64_t object, std::uint64_t offset, std::uint64_t value) {
    std::memcpy(place(object - 1 + offset), &value, sizeof value);
  }
  std::span<std::byte> visible() { return std::span{bytes_}.first(used_); }

 private:
  std::uint64_t base() const {
    return (reinterpret_cast<std::uint64_t>(bytes_.data()) + 15) & ~15ULL;
  }
  std::byte* place(std::uint64_t address) {
    return bytes_.data() + (address - reinterpret_cast<std::uint64_t>(bytes_.data()));
  }
  std::uint64_t allocate(std::size_t size) {
    const std::uint64_t address = base() + used_;
    used_ += (size + 31) & ~std::size_t{15};
    return address + 1;
  }
  std::uint64_t add(type of, std::size_t size) {
    auto& known = maps_.at(of % maps_.size());
    if (known == 0) {
      known = allocate(16);
      set_map(known, of);
    }
    const auto object = allocate(size);
    set(object, 0, known);
    return object;
  }
  void set_map(std::uint64_t object, type of) {
    set(object, 0, meta_map_);
    const std::uint16_t number = of;
    std::memcpy(place(object - 1 + 12), &number, sizeof number);
  }
  void set_length(std::uint64_t object, std::size_t length) {
    const auto number = static_cast<std::int32_t>(length);
    std::memcpy(place(object - 1 + 12), &number, sizeof number);
  }

  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
  std::uint64_t meta_map_ = 0;
  std::array<std::uint64_t, 509> maps_{};
};

}  // namespace stallscope::v8_frames
