// One thread of the loader: a scheduler that decides which request is due, a source that generates
// it, the connections that carry it, and the measurements. All members but stop() belong to that
// thread. Cost: about 2 us per request at pipeline 1, nearly all of it in recv and send.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "load/connection_pool.hpp"
#include "load/measurements.hpp"
#include "load/options.hpp"
#include "load/request_source.hpp"

namespace stallscope::load {

// Shared by all threads; constant.
struct load_plan {
  options settings;
  target_address target;
  std::string password;
  std::shared_ptr<const request_file> file;  // if requests come from a file
  std::string run_name;                      // distinguishes the sequence numbers of this run
};

class worker : private connection_listener {
 public:
  worker(const load_plan& plan, unsigned index, measurement_exchange& exchange);

  // Opens the connections and, with --fill, sets every key once. Returns false if stopped. Throws
  // failure and std::system_error.
  bool prepare();
  // Loads the target from `start_ns` until the measured time is over and all replies have arrived.
  void run(std::uint64_t start_ns);
  // Ends the run early; any thread.
  void stop() noexcept;

 private:
  void connection_up(unsigned connection) override;
  void replied(unsigned connection, const reply_parser& reply) override;
  void connection_down(unsigned connection, std::string_view why) override;
  void event_done() override;
  void stalled(std::uint64_t from_ns, std::uint64_t to_ns) override;

  void fill();
  void begin(const schedule& plan, std::uint64_t start_ns);
  void loop();
  void append(unsigned connection);
  void count_error(std::string_view kind, bool measured, std::uint64_t times = 1);
  void publish_seconds();
  void begin_account();
  void finish_account();
  [[nodiscard]] bool in_measured_time() const noexcept;
  [[nodiscard]] std::uint64_t next_event_ns() const noexcept;
  void check_end();

  const load_plan& plan_;
  unsigned index_;
  measurement_exchange& exchange_;
  connection_pool pool_;
  std::unique_ptr<request_source> source_;
  std::unique_ptr<measurements> values_;
  std::optional<request_scheduler> scheduler_;
  std::vector<sequence_check> checks_;
  std::vector<unsigned> dirty_;  // connections with unflushed requests
  thread_account account_;
  std::optional<std::uint64_t> account_begun_ns_;
  unsigned second_ = 0;
  std::uint64_t give_up_ns_ = never_ns;  // no longer waits for replies after this time
  std::uint64_t last_reply_ns_ = 0;
  std::uint64_t last_send_ns_ = 0;
  std::uint64_t all_down_ns_ = never_ns;  // since when all connections are down
  bool measuring_ = false;
  std::atomic<bool> stopped_ = false;
};

}  // namespace stallscope::load
