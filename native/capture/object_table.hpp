// The mapped files, kernel images and anonymous memories of a capture, each once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "capture/capture.hpp"
#include "capture/hash_index.hpp"

namespace stallscope::capture {

// Memory that has no file behind it in which its symbols could be looked up.
bool is_anonymous(std::string_view path);

class object_table {
 public:
  explicit object_table(memory_budget& budget) : budget_(budget), index_(budget) {}

  // The number of this object: equal are path, build id, device and inode, and the process for
  // anonymous memory. The first mapping's place is kept.
  std::uint32_t intern(object candidate);
  [[nodiscard]] const object& at(std::uint32_t number) const { return objects_[number]; }
  // For when all are there: none is found again by what is changed.
  [[nodiscard]] std::span<object> all() { return objects_; }
  [[nodiscard]] std::size_t size() const { return objects_.size(); }

 private:
  memory_budget& budget_;
  hash_index index_;
  std::vector<object> objects_;
};

}  // namespace stallscope::capture
