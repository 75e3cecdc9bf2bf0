// Takes requests where they have to run: through the path's steps, at once or by stages, then to
// the shard of their keys. A request whose keys are here and that nothing goes before is answered
// at once, into its connection's output, without a slot.
//
// Belongs to its shard's thread.
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
  // `work` is null on the kv path, `registry` where stages are off.
  executor(shard& home, std::unique_ptr<path> work, stages::stage_registry* registry);

  void submit(connection& client, request_words words);
  // A reply that is not a command's, in its place.
  void refuse(connection& client, std::string_view error);
  void answer_now(request_slot& slot);  // one that was postponed
  void part_came_back(request_slot& slot);
  void give_back(request_slot& slot) { slots_.give_back(slot); }

 private:
  // Nothing: on several shards.
  using place = std::optional<std::size_t>;

  [[nodiscard]] bool is_alone(const connection& client) const;
  bool answer_alone(connection& client, request_words words) noexcept;
  static void run_command_step(void* context, request_call& call);
  void finished(request_call& call) noexcept override;
  template <typename Work>
  static void or_fails(request_slot& slot, Work work) noexcept;
  void tell_error(request_slot& slot) noexcept;
  void answer_slot(request_slot& slot);
  // False where it went to other shards.
  bool answer(connection& client, request_words words, request_slot* slot);
  [[nodiscard]] place place_of(const command& what, request_words words);
  void run_here(connection& client, const command& what, request_words words,
                resp::byte_buffer& out);
  static void write_error(const std::exception_ptr& thrown, resp::byte_buffer& out);
  [[nodiscard]] bool is_on_disk(const command& what) const;
  void send_to(request_slot& slot, const command& what, place where);
  void send(request_slot& slot, std::size_t to);
  void run_part_here(request_slot& slot, remote_part& part);
  void send_to_several(request_slot& slot);
  void add_part(request_slot& slot, std::size_t shard);
  void put_together(request_slot& slot);
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
