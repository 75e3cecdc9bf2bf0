#include "capture/object_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace stallscope::capture {
namespace {

using namespace std::string_view_literals;

constexpr std::array anonymous_prefixes{
    "//anon"sv, "[anon"sv,       "[heap]"sv,         "[stack"sv,    "/memfd:"sv, "/dev/zero"sv,
    "/SYSV"sv,  "anon_inode:"sv, "/anon_hugepage"sv, "//toolong"sv, "//enomem"sv};

std::uint64_t hash_text(std::uint64_t hash, std::string_view text) {
  hash = hash_word(hash, text.size());
  for (std::size_t at = 0; at < text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min<std::size_t>(8, text.size() - at));
    hash = hash_word(hash, word);
  }
  return hash;
}

std::uint64_t hash_of_object(const object& value) {
  const std::string_view id(reinterpret_cast<const char*>(value.build_id.bytes.data()),
                            value.build_id.size);
  std::uint64_t hash = hash_text(hash_text(hash_seed(), value.path), id);
  hash = hash_word(hash, std::uint64_t{value.major} << 32U | value.minor);
  hash = hash_word(hash, value.inode);
  return hash_word(hash, value.anonymous ? static_cast<std::uint32_t>(value.pid) : 0);
}

bool same(const object& left, const object& right) {
  return left.path == right.path && left.build_id == right.build_id && left.major == right.major &&
         left.minor == right.minor && left.inode == right.inode && left.kernel == right.kernel &&
         (!left.anonymous || left.pid == right.pid);
}

}  // namespace

bool is_anonymous(std::string_view path) {
  return path.empty() ||
         std::any_of(anonymous_prefixes.begin(), anonymous_prefixes.end(),
                     [path](std::string_view prefix) { return path.starts_with(prefix); });
}

std::uint32_t object_table::intern(object candidate) {
  const std::uint64_t hash = hash_of_object(candidate);
  std::uint32_t number =
      index_.find(hash, [&](std::uint32_t other) { return same(objects_[other], candidate); });
  if (number == hash_index::none) {
    number = static_cast<std::uint32_t>(objects_.size());
    budget_.charge(2 * sizeof(object) + candidate.path.size());
    index_.insert(hash, number);
    objects_.push_back(std::move(candidate));
  }
  return number;
}

}  // namespace stallscope::capture
