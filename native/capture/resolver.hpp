// Turns unique raw stacks into stacks of frames, against the mappings of each sample's moment. The
// same stack under the same mappings is resolved once.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/address_spaces.hpp"
#include "capture/capture.hpp"
#include "capture/hash_index.hpp"
#include "capture/raw_stacks.hpp"
#include "capture/sideband.hpp"
#include "capture/stack_walker.hpp"
#include "capture/thread_table.hpp"

namespace stallscope::capture {

class resolver {
 public:
  resolver(const raw_stacks& raw, object_table& objects, stack_columns& into,
           memory_budget& budget);

  // The number of the unique stack of frames.
  std::uint32_t resolve(std::uint32_t raw_stack, const map_table& user, const map_table& kernel);
  // The same where the sample's stack was unwound: what was found takes the place of the chain's
  // user part, unless the kernel found more of it and the walk did not end where a chain does.
  std::uint32_t resolve(std::uint32_t raw_stack, const walked_stack& walked, const map_table& user,
                        const map_table& kernel);
  // The objects that frames stand in, moved out and renumbered in place in the frames.
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

  // The last frame of a walked address, as long as the mappings are the same.
  struct walked_address {
    std::uint64_t address;
    std::uint32_t version;
    std::uint32_t frame;
  };

  std::uint32_t frame_of(std::uint32_t location, const map_table& user, const map_table& kernel);
  std::uint32_t frame_of(const unwind::frame& walked, const map_table& user);
  std::uint32_t look_up(std::uint64_t address, frame_kind kind, const map_table* table);
  std::uint32_t intern_frame(std::int32_t object, std::uint64_t address, frame_kind kind);
  std::uint32_t intern_stack(unwind::chain_end end);

  const raw_stacks& raw_;
  object_table& objects_;
  stack_columns& into_;
  column<resolved> resolved_;
  hash_index resolved_index_;
  column<located> located_;
  column<walked_address> walked_;
  hash_index frame_index_;
  hash_index stack_index_;
  std::vector<std::uint32_t> frames_;
};

}  // namespace stallscope::capture
