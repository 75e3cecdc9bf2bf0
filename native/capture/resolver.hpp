// Resolves unique raw stacks to stacks of frames, with the mappings at the sample's time. A stack
// is resolved once per state of the mappings. One thread.
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

  // Returns the number of the unique stack of frames.
  std::uint32_t resolve(std::uint32_t raw_stack, const map_table& user, const map_table& kernel);
  // The same for an unwound stack: the walked frames replace the user part of the kernel's chain,
  // unless the kernel's part is longer and the walk is incomplete.
  std::uint32_t resolve(std::uint32_t raw_stack, const walked_stack& walked, const map_table& user,
                        const map_table& kernel);
  // Moves out the objects of the frames and renumbers them in the frames.
  std::vector<object> finish();

 private:
  // A raw stack under one state of the mappings.
  struct resolved {
    std::uint32_t raw_stack;
    std::uint32_t user_version;
    std::uint32_t kernel_version;
    std::uint32_t stack;
  };
  // The last frame of a location, valid while the mappings are unchanged.
  struct located {
    std::uint32_t version;
    std::uint32_t frame;
  };

  // The last frame of a walked address, valid while the mappings are unchanged.
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
