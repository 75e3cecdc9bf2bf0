// Distinct strings by number: each string is stored once and never moves.
//
//   interned_strings names;
//   const std::uint32_t id = names.id_of("Get/size=64-8");
//   names[id];  // "Get/size=64-8"
//
// About 30 bytes per string beside its characters. Not for use by several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace stallscope::text_input {

class interned_strings {
 public:
  interned_strings() = default;
  interned_strings(interned_strings&&) noexcept = default;
  interned_strings& operator=(interned_strings&&) noexcept = default;
  interned_strings(const interned_strings&) = delete;
  interned_strings& operator=(const interned_strings&) = delete;
  ~interned_strings() = default;

  // The number of the string, which is added if it is new.
  std::uint32_t id_of(std::string_view text);
  std::string_view operator[](std::uint32_t id) const { return strings_[id]; }
  std::size_t size() const { return strings_.size(); }

 private:
  void grow();
  std::string_view stored(std::string_view text);

  static constexpr std::size_t block_bytes = 65'536;
  std::vector<std::string_view> strings_;
  std::vector<std::uint32_t> hashes_;
  std::vector<std::uint32_t> slots_;  // id + 1, 0 if free
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;
  std::size_t free_bytes_ = 0;
  std::uint32_t latest_ = 0;
};

}  // namespace stallscope::text_input
