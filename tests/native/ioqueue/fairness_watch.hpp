// Judges from outside whether classes were served fairly: for every pair that had work waiting all
// the time since both have, |Wa/sa - Wb/sb| <= ca/sa + cb/sb, W being cost served meanwhile and c
// the dearest piece, as it was paid for by the shares of then. Exact, but for what positions in
// 1/2^16 round off.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

class fairness_watch {
 public:
  // `credit`: what a class that wakes may be served ahead.
  explicit fairness_watch(double credit) : credit_{credit} {}

  void add(std::uint32_t shares) {
    classes_.push_back({.shares = shares, .longest_credit = credit_ / shares});
    since_.assign(classes_.size() * classes_.size(), {});
  }
  void set_shares(std::size_t number, std::uint32_t shares) {
    class_account& counted = classes_[number];
    counted.shares = shares;
    counted.longest_credit = std::max(counted.longest_credit, credit_ / shares);
    for (std::size_t other = 0; other < classes_.size(); ++other) {
      of(number, other).open = of(other, number).open = false;
    }
  }
  void served(std::size_t number, std::uint64_t cost) {
    class_account& counted = classes_[number];
    counted.served += cost;
    counted.longest_turn =
        std::max(counted.longest_turn, static_cast<double>(cost) / counted.shares);
  }
  void waits(std::size_t number, bool has_work) { classes_[number].waiting = has_work; }

  // What is wrong now; empty: nothing.
  std::string judge() {
    for (std::size_t a = 0; a < classes_.size(); ++a) {
      for (std::size_t b = a + 1; b < classes_.size(); ++b) {
        if (!fair(a, b)) return "classes " + std::to_string(a) + " and " + std::to_string(b);
      }
    }
    return {};
  }
  std::uint64_t judged = 0;  // pairs, at a step
  double closest = 0;        // to the bound, as a share of it

 private:
  struct class_account {
    std::uint32_t shares = 1;
    std::uint64_t served = 0;
    double longest_turn = 0;  // cost per share
    double longest_credit = 0;
    bool waiting = false;
  };
  struct window {
    bool open = false;
    std::uint64_t served_a = 0;
    std::uint64_t served_b = 0;
  };
  window& of(std::size_t a, std::size_t b) { return since_[a * classes_.size() + b]; }

  bool fair(std::size_t a, std::size_t b) {
    window& both = of(a, b);
    const class_account& left = classes_[a];
    const class_account& right = classes_[b];
    if (!left.waiting || !right.waiting) {
      both.open = false;
      return true;
    }
    if (!both.open) {
      both = {true, left.served, right.served};
      return true;
    }
    ++judged;
    const double apart = std::abs(static_cast<double>(left.served - both.served_a) / left.shares -
                                  static_cast<double>(right.served - both.served_b) / right.shares);
    const double bound = left.longest_turn + right.longest_turn +
                         std::max(left.longest_credit, right.longest_credit);
    if (apart == 0) return true;
    closest = std::max(closest, apart / bound);
    return apart <= bound + 3.0 / 65536;
  }

  double credit_;
  std::vector<class_account> classes_;
  std::vector<window> since_;
};
