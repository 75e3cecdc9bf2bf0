// Runs requests: through the steps of the path, directly or in stages, and then on the shard of
// their keys. A request whose keys are local and that has no predecessor in flight is answered
// immediately into the output of its connection, without a slot.
//
//     executor.submit(client, parser.words());
//
// Cost: for a local request without stages, the hash of the command name and the command itself.
// Thread: that of its shard.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "server/commands/command.hpp"
#include "server/paths/path_runner.hpp"
#include "server/shards/connection.hpp"
#include "server/shards/request_slot.hpp"
#include "stages/stage.hpp"

namespace stallscope::server {

class executor final : public path_runner::owner {
 public:
  // `work` is null for the kv path; `registry` is null if stages are off.
  executor(shard& home, std::unique_ptr<path> work, stages::stage_registry* registry);

  void submit(connection& client, request_words words);
  // Replies with an error that no command produced, in the order of the requests.
  void refuse(connection& client, std::string_view error);
  void answer_now(request_slot& slot);  // answers a postponed request
  void part_finished(request_slot& slot);
  // Cancels the reads of a request whose client disconnected. The slot finishes later, as usual.
  void cancel(request_slot& slot) noexcept;
  void give_back(request_slot& slot) { slots_.give_back(slot); }

 private:
  // Nothing if the keys belong to several shards.
  using shard_index = std::optional<std::size_t>;

  [[nodiscard]] bool can_bypass_queues(const connection& client) const;
  bool answer_single(connection& client, request_words words) noexcept;
  static void run_command_step(void* context, request_call& call);
  void finished(request_call& call) noexcept override;
  template <typename Work>
  static void capture_error(request_slot& slot, Work work) noexcept;
  void reply_with_error(request_slot& slot) noexcept;
  void answer_slot(request_slot& slot);
  // Returns false if the request was sent to other shards.
  bool answer(connection& client, request_words words, request_slot* slot);
  [[nodiscard]] shard_index target_shard_of(const command& what, request_words words);
  void run_here(connection& client, const command& what, request_words words,
                resp::byte_buffer& out);
  static void write_error(const std::exception_ptr& thrown, resp::byte_buffer& out);
  [[nodiscard]] bool is_on_disk(const command& what) const;
  void send_to(request_slot& slot, const command& what, shard_index where);
  void send(request_slot& slot, std::size_t to);
  void send_part(request_slot& slot, remote_part& part, std::size_t to);
  void cancel_part(request_slot& slot, remote_part& part) noexcept;
  void send_parts(request_slot& slot);
  void add_part(request_slot& slot, std::size_t shard);
  void merge_part_replies(request_slot& slot);
  void count_error(const resp::byte_buffer& out, std::size_t before);

  shard& home_;
  std::unique_ptr<path> path_;
  std::vector<step> steps_;
  std::optional<path_runner> runner_;
  slot_pool slots_;
  std::vector<std::size_t> shards_of_keys_;
  std::vector<std::size_t> part_shards_;
};

}  // namespace stallscope::server
