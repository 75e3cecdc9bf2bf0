// The unique mapped files, kernel images and anonymous memory areas of a capture. A look-up costs a
// hash probe. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "capture/capture.hpp"
#include "capture/hash_index.hpp"

namespace stallscope::capture {

// Returns whether the memory has no file with symbols.
bool is_anonymous(std::string_view path);

class object_table {
 public:
  explicit object_table(memory_budget& budget) : budget_(budget), index_(budget) {}

  // Returns the object's number. Objects are equal if path, build id, device and inode are equal,
  // and for anonymous memory also the process. The position of the first mapping is kept.
  std::uint32_t intern(object candidate);
  [[nodiscard]] const object& at(std::uint32_t number) const { return objects_[number]; }
  // For changes after the last intern(): they do not update the index.
  [[nodiscard]] std::span<object> all() { return objects_; }
  [[nodiscard]] std::size_t size() const { return objects_.size(); }

 private:
  memory_budget& budget_;
  hash_index index_;
  std::vector<object> objects_;
};

}  // namespace stallscope::capture
