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
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "server/commands/command.hpp"
#include "server/paths/path_runner.hpp"
#include "server/shards/connection.hpp"
#include "server/shards/request_marks.hpp"
#include "server/shards/request_slot.hpp"
#include "server/shards/request_stages.hpp"
#include "server/shards/shard_router.hpp"
#include "stages/stage.hpp"

namespace stallscope::server {

class executor final : public path_runner::owner {
 public:
  // `work` is null for the kv path; `registry` is null if stages are off.
  executor(shard& home, std::unique_ptr<path> work, stages::stage_registry* registry);

  void submit(connection& client, request_words words);
  // Replies with an error that no command produced, in the order of the requests.
  void refuse(connection& client, std::string_view error);
  void answer_now(request_slot& slot);        // answers a postponed request
  void abandon(request_slot& slot) noexcept;  // a postponed request of a closed client
  void part_finished(request_slot& slot);

  // For the stages of requests; null if stages are off.
  [[nodiscard]] request_stages* stages() noexcept { return stages_ ? &*stages_ : nullptr; }
  void find_shards(request_slot& slot);
  void hand_out(request_slot& slot);
  // Runs a request of this shard, or its part; postpones it if the client does not read.
  void apply(request_slot& slot, remote_part* part) noexcept;
  void apply_remote(remote_part& part);
  void part_applied(request_slot& slot, remote_part& part) noexcept;
  void send_back(remote_part& part) noexcept;
  void fail(request_slot& slot, const std::exception_ptr& thrown) noexcept;
  [[nodiscard]] shard_router& router() noexcept { return router_; }
  void give_back(request_slot& slot) { slots_.give_back(slot); }
  // Number of stages that a replay knows: those of the path. They are the first of the registry.
  [[nodiscard]] std::size_t path_stages() const noexcept { return steps_.size(); }

 private:
  // Marks the begin of a request, for a recorder that listens.
  void dispatch(connection& client, request_words words);
  // Takes a slot for the request that is dispatched now.
  request_slot& take_slot(connection& client, request_words words);
  [[nodiscard]] bool can_bypass_queues(const connection& client) const;
  bool answer_single(connection& client, request_words words) noexcept;
  static void run_command_step(void* context, request_call& call);
  void finished(request_call& call) noexcept override;
  template <typename Work>
  static void capture_error(request_slot& slot, Work work) noexcept;
  void reply_with_error(request_slot& slot) noexcept;
  void answer_slot(request_slot& slot);
  // Returns false if the request enters the stages or was sent to other shards.
  bool answer(connection& client, request_words words, request_slot* slot);
  bool answer_here(connection& client, request_words words, request_slot* slot,
                   resp::byte_buffer& out);
  void send(request_slot& slot, const command& what, shard_index where);
  [[nodiscard]] bool needs_stages(const connection& client, const command& what) const;
  static void enter_stages(request_slot& slot, const command& what);
  void apply_now(request_slot& slot, remote_part* part) noexcept;
  void run_whole(request_slot& slot);
  void run_here(connection& client, const command& what, request_words words,
                resp::protocol version, resp::byte_buffer& out);
  [[nodiscard]] bool is_on_disk(const command& what) const;
  void merge_part_replies(request_slot& slot);
  void count_error(const resp::byte_buffer& out, std::size_t before);

  shard& home_;
  std::unique_ptr<path> path_;
  std::vector<step> steps_;
  std::optional<path_runner> runner_;
  std::optional<request_stages> stages_;
  shard_router router_;
  slot_pool slots_;
  std::vector<std::size_t> shards_of_keys_;
  request_marker marker_;
};

}  // namespace stallscope::server
