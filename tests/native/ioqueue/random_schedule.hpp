// One random schedule of submissions, completions, failures, cancellations and time, step by step
// over a queue, and what must hold after every step. The seed decides everything.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "fairness_watch.hpp"
#include "ioqueue/queue.hpp"
#include "manual_device.hpp"
#include "own_requests.hpp"

struct schedule_kind {
  bool with_credit = false;
  bool with_tokens = false;
  bool with_deadlines = false;
};

class random_schedule {
 public:
  random_schedule(std::uint64_t seed, const schedule_kind& kind);

  // What went wrong at the first step that did, or empty.
  std::string run(int steps);

  std::uint64_t pairs_judged() const { return fairness_.judged; }
  double closest_to_bound() const { return fairness_.closest; }
  std::uint64_t settled() const { return settled_; }

 private:
  using queue_settings = stallscope::ioqueue::queue_settings;

  static queue_settings draw_settings(std::mt19937_64& random, const schedule_kind& kind);
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  static stallscope::ioqueue::class_id id(std::size_t number);
  void add_classes();
  void step();
  void submit_some();
  void complete_one();
  void cancel_one();
  void change_shares();
  void look_at_device();
  std::string drain();
  std::string judge(bool dispatched);
  std::string judge_sums();
  std::string judge_idleness();

  std::mt19937_64 random_;
  schedule_kind kind_;
  queue_settings settings_;
  stallscope::ioqueue::virtual_time clock_;
  manual_device disk_;
  stallscope::ioqueue::queue line_;
  fairness_watch fairness_;
  std::deque<noted_request> requests_;
  std::size_t classes_ = 0;
  std::vector<const stallscope::ioqueue::class_metrics*> counted_;
  std::vector<std::uint64_t> next_offset_;   // of each class's submissions
  std::vector<std::uint64_t> last_started_;  // offset, of each class
  std::size_t seen_ = 0;                     // operations of this round that were checked
  std::uint64_t submitted_ = 0;
  std::uint64_t rejected_ = 0;
  std::uint64_t settled_ = 0;
  bool out_of_order_ = false;
};
