// A small PHP process in the memory of this one, with the layout of PHP 8.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "php_frames/versions/php_8_2.hpp"

namespace stallscope::php_frames {

class fake_php {
 public:
  fake_php() : bytes_(std::size_t{64} << 10U) { globals_ = allocate(1024); }

  [[nodiscard]] std::uint64_t globals() const { return globals_; }
  std::span<std::byte> visible() { return std::span{bytes_}.first(used_); }

  std::uint64_t add_string(std::string_view text) {
    const auto string = allocate(24 + text.size());
    put(string + 8, std::hash<std::string_view>{}(text));
    put(string + php_8_2.string_length, text.size());
    std::memcpy(at(string + php_8_2.string_text), text.data(), text.size());
    return string;
  }
  std::uint64_t add_class(std::string_view name) {
    const auto object = allocate(64);
    put(object + php_8_2.class_name, add_string(name));
    return object;
  }
  std::uint64_t add_function(std::string_view name, std::uint64_t scope, std::string_view file,
                             std::uint32_t first_line, std::uint32_t last_line) {
    const auto function = allocate(256);
    put(function, std::uint64_t{file.empty() ? 1U : 2U});
    put(function + php_8_2.function_name, name.empty() ? 0 : add_string(name));
    put(function + php_8_2.function_scope, scope);
    if (file.empty()) return function;
    put(function + php_8_2.function_filename, add_string(file));
    put(function + php_8_2.function_filename + 8, first_line | std::uint64_t{last_line} << 32U);
    return function;
  }
  // Calls a function: its frame becomes the innermost one.
  std::uint64_t call(std::uint64_t function, std::uint32_t line, bool top) {
    const auto frame = allocate(php_8_2.frame_bytes);
    const auto opline = allocate(32);
    put(opline + php_8_2.opline_line, std::uint64_t{line});
    put(frame + php_8_2.frame_opline, opline);
    put(frame + php_8_2.frame_function, function);
    put(frame + php_8_2.frame_call_info, std::uint64_t{top ? php_8_2.call_is_top : 0});
    put(frame + php_8_2.frame_previous, current_);
    current_ = frame;
    put(globals_ + php_8_2.current_frame, frame);
    return frame;
  }
  void put(std::uint64_t address, std::uint64_t value) {
    std::memcpy(at(address), &value, sizeof value);
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
  std::uint64_t globals_ = 0;
  std::uint64_t current_ = 0;
};

}  // namespace stallscope::php_frames
