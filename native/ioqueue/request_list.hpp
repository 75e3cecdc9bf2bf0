// A list of waiting requests, linked through the requests: nothing is allocated, and removing any
// request takes constant time.
#pragma once

#include "ioqueue/request.hpp"

namespace stallscope::ioqueue {

class request_list {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] request& first() const noexcept { return *first_; }

  void push(request& added) noexcept {
    added.next_ = nullptr;
    added.previous_ = last_;
    (last_ == nullptr ? first_ : last_->next_) = &added;
    last_ = &added;
  }
  void push_front(request& added) noexcept {
    added.previous_ = nullptr;
    added.next_ = first_;
    (first_ == nullptr ? last_ : first_->previous_) = &added;
    first_ = &added;
  }
  void remove(request& leaving) noexcept {
    (leaving.previous_ == nullptr ? first_ : leaving.previous_->next_) = leaving.next_;
    (leaving.next_ == nullptr ? last_ : leaving.next_->previous_) = leaving.previous_;
    leaving.next_ = leaving.previous_ = nullptr;
  }

 private:
  request* first_ = nullptr;
  request* last_ = nullptr;
};

}  // namespace stallscope::ioqueue
