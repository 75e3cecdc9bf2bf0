// A growing array of plain values for columns of millions of rows. It grows by realloc, which moves
// pages instead of copying them, and charges its memory to a budget, so that a hostile file gives
// an error instead of using gigabytes. One thread.
//
//   memory_budget budget{limit_bytes};
//   column<std::uint64_t> times{budget};
//   times.push_back(time_ns);
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace stallscope::capture {

// Thrown if the budget is exceeded; the reader adds the offset.
class limit_exceeded : public std::length_error {
 public:
  using std::length_error::length_error;
};

class memory_budget {
 public:
  explicit memory_budget(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  void charge(std::uint64_t bytes) {
    if (bytes > limit_bytes_ - used_bytes_) {
      throw limit_exceeded("the capture needs more than the limit of " +
                           std::to_string(limit_bytes_) + " bytes of memory");
    }
    used_bytes_ += bytes;
  }
  void release(std::uint64_t bytes) noexcept { used_bytes_ -= std::min(bytes, used_bytes_); }

 private:
  std::uint64_t limit_bytes_;
  std::uint64_t used_bytes_ = 0;
};

template <typename T>
class column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // The budget must outlive every operation that grows the column.
  explicit column(memory_budget& budget) : budget_(&budget) {}

  void push_back(T value) {
    if (size_ == capacity_) {
      grow(size_ + 1);
    }
    data_.get()[size_++] = value;
  }
  void append(std::span<const T> values) {
    if (values.empty()) {
      return;
    }
    if (values.size() > capacity_ - size_) {
      grow(size_ + values.size());
    }
    std::memcpy(data_.get() + size_, values.data(), values.size_bytes());
    size_ += values.size();
  }
  void resize(std::size_t size, T value) {
    if (size > capacity_) {
      grow(size);
    }
    if (size > size_) {
      std::fill(data_.get() + size_, data_.get() + size, value);
    }
    size_ = size;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* data() noexcept { return data_.get(); }
  [[nodiscard]] const T* data() const noexcept { return data_.get(); }
  T& operator[](std::size_t index) noexcept { return data_.get()[index]; }
  const T& operator[](std::size_t index) const noexcept { return data_.get()[index]; }
  [[nodiscard]] std::span<const T> values() const noexcept { return {data_.get(), size_}; }
  void swap(column& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  struct freer {
    void operator()(T* memory) const noexcept { std::free(memory); }
  };

  static constexpr std::size_t large_bytes = std::size_t{32} << 20U;

  void grow(std::size_t required) {
    // Moving pages is cheap, so that large columns can grow by less, which the budget allows more
    // of.
    const std::size_t added = capacity_ * sizeof(T) < large_bytes ? capacity_ / 2 : capacity_ / 8;
    const std::size_t capacity = std::max({required, capacity_ + added, std::size_t{64}});
    budget_->charge((capacity - capacity_) * sizeof(T));
    void* memory = std::realloc(data_.get(), capacity * sizeof(T));
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    static_cast<void>(data_.release());
    data_.reset(static_cast<T*>(memory));
    capacity_ = capacity;
  }

  std::unique_ptr<T, freer> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  memory_budget* budget_;
};

// A column that usually has one value in all rows, such as the period of a clock: that value is
// held once until a different one is added. Reading a row costs a comparison more than in a column.
template <typename T>
class uniform_column {
 public:
  explicit uniform_column(memory_budget& budget) : values_(budget) {}

  void push_back(T value) {
    if (values_.size() != 0) {
      values_.push_back(value);
    } else if (size_ == 0 || value == value_) {
      value_ = value;
    } else {
      values_.resize(size_, value_);
      values_.push_back(value);
    }
    ++size_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // Whether all rows have the value at data().
  [[nodiscard]] bool is_uniform() const noexcept { return values_.size() == 0; }
  [[nodiscard]] T* data() noexcept { return is_uniform() ? &value_ : values_.data(); }
  const T& operator[](std::size_t index) const noexcept {
    return is_uniform() ? value_ : values_[index];
  }
  // The rows; empty while they are uniform.
  [[nodiscard]] column<T>& rows() noexcept { return values_; }

 private:
  column<T> values_;
  std::size_t size_ = 0;
  T value_{};
};

}  // namespace stallscope::capture
