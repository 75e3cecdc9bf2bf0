// The stages of requests that change keys, read a range of keys, or need another shard. Every other
// request is answered in the last stage of its path, "execute".
//
//   parse         finds the shard of each key
//   coordinate    makes a part per shard, and hands the parts out
//   apply_local   runs parts of this shard's clients on its keys
//   apply_remote  runs parts of other shards' clients
//   range         runs parts that read a range; it visits all keys
//   log           appends the changes of an operation to the log, if values are on a disk
//
// Order: the stages are FIFOs, one behind the other, so requests of a client reach every shard in
// the order in which it sent them. While the range stage has calls, later parts follow through it.
// A read that execute could answer follows as well while its client has requests in these stages.
//
// Cost: that of the stages (execution_stage.hpp). Thread: that of the shard.
#pragma once

#include <exception>
#include <optional>

#include "server/shards/disk_executor.hpp"
#include "server/shards/request_slot.hpp"
#include "stages/execution_stage.hpp"

namespace stallscope::server {

class executor;

class request_stages {
 public:
  // `disk` is null if values are in memory.
  request_stages(stages::stage_registry& registry, executor& runs, disk_executor* disk);
  request_stages(const request_stages&) = delete;
  request_stages& operator=(const request_stages&) = delete;
  request_stages(request_stages&&) = delete;
  request_stages& operator=(request_stages&&) = delete;
  ~request_stages();

  // Each of these may run the stage at once, so that the slot is finished when it returns.
  void enter(request_slot& slot) { parse_.enqueue(&slot); }
  // A request of this shard, or its part if it has several.
  void apply(request_slot& slot, remote_part* part) { apply_local_.enqueue({&slot, part}); }
  void receive(remote_part& part) { apply_remote_.enqueue({nullptr, &part}); }

 private:
  struct slot_part {
    request_slot* slot = nullptr;  // null: a part of another shard's client
    remote_part* part = nullptr;   // null: the whole request

    [[nodiscard]] bool reads_range() const;
  };
  struct parse_handler {
    using call = request_slot*;
    request_stages* of;
    void run(request_slot* slot) const;
    void failed(request_slot* slot, const std::exception_ptr& thrown) const noexcept;
  };
  struct coordinate_handler {
    using call = request_slot*;
    request_stages* of;
    void run(request_slot* slot) const;
    void failed(request_slot* slot, const std::exception_ptr& thrown) const noexcept;
  };
  struct apply_handler {
    using call = slot_part;
    request_stages* of;
    bool in_range_stage;
    void run(const slot_part& next) const;
    void failed(const slot_part& next, const std::exception_ptr& thrown) const noexcept;
  };

  struct log_handler {
    using call = value_log::append_request*;
    disk_executor* disk;
    void run(value_log::append_request* changes) const { disk->log_changes(*changes); }
    // run() does not throw.
    void failed(value_log::append_request* /*changes*/,
                const std::exception_ptr& /*thrown*/) const noexcept {}
  };
  class log_stage final : public log_queue {
   public:
    log_stage(stages::stage_registry& registry, disk_executor& disk)
        : stage_(registry, "log", {&disk}) {}
    void enqueue(value_log::append_request& changes) override { stage_.enqueue(&changes); }

   private:
    stages::execution_stage<log_handler> stage_;
  };

  executor& executor_;
  disk_executor* disk_;
  stages::execution_stage<parse_handler> parse_;
  stages::execution_stage<coordinate_handler> coordinate_;
  stages::execution_stage<apply_handler> apply_local_;
  stages::execution_stage<apply_handler> apply_remote_;
  stages::execution_stage<apply_handler> range_;
  std::optional<log_stage> log_;
};

}  // namespace stallscope::server
