// Turns unique raw stacks into stacks of frames, against the mappings of each sample's moment. The
// same stack under the same mappings is resolved once.
#pragma once

#include <cstdint>
#include <vector>

#include "address_spaces.hpp"
#include "hash_index.hpp"
#include "raw_stacks.hpp"
#include "sideband.hpp"
#include "stallscope/capture/capture.hpp"
#include "thread_table.hpp"

namespace stallscope::captures {

class resolver {
 public:
  resolver(const raw_stacks& raw, const object_table& objects, stack_columns& into,
           memory_budget& budget);

  // The number of the unique stack of frames.
  std::uint32_t resolve(std::uint32_t raw_stack, const map_table& user, const map_table& kernel);
  // The objects that frames stand in, renumbered in place in the frames.
  std::vector<object> finish();

 private:
  // Each raw stack under one state of the mappings.
  struct resolved {
    std::uint32_t raw_stack;
    std::uint32_t user_version;
    std::uint32_t kernel_version;
    std::uint32_t stack;
  };
  // The last frame of each location, as long as the mappings are the same.
  struct located {
    std::uint32_t version;
    std::uint32_t frame;
  };

  std::uint32_t frame_of(std::uint32_t location, const map_table& user, const map_table& kernel);
  std::uint32_t look_up(std::uint32_t location, const map_table* table);
  std::uint32_t intern_frame(std::int32_t object, std::uint64_t address, frame_kind kind);
  std::uint32_t intern_stack();

  const raw_stacks& raw_;
  const object_table& objects_;
  stack_columns& into_;
  column<resolved> resolved_;
  hash_index resolved_index_;
  column<located> located_;
  hash_index frame_index_;
  hash_index stack_index_;
  std::vector<std::uint32_t> frames_;
};

}  // namespace stallscope::captures
