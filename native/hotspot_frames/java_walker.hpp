// Walks the Java frames of a copied stack: compiled methods by the frame sizes in their code blobs,
// interpreted methods by their frame pointers, stubs by their conventions. Memory of the process is
// read only for code and names that are new, and to check those that are known. Every
// walk ends, even in invalid memory. Belongs to a single thread.
//
//   java_walker walker{memory, layout, pid, log};
//   if (walker.owns(start.pc)) walker.walk(start, sample, segment);
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "hotspot_frames/code_cache.hpp"
#include "hotspot_frames/methods.hpp"
#include "hotspot_frames/scopes.hpp"
#include "managed_frames/managed_stack.hpp"
#include "managed_frames/stack_sample.hpp"

namespace stallscope::hotspot_frames {

struct frame_position {
  std::uint64_t pc = 0;
  std::uint64_t sp = 0;
  std::uint64_t fp = 0;
  bool is_leaf = false;  // interrupted there; otherwise pc is a return address
  // Registers of a leaf; which ones these are depends on the architecture.
  std::uint64_t link = 0;  // on arm64 the return address, until the function calls another one
  std::uint64_t method = 0;
  std::uint64_t sender_sp = 0;
  std::uint64_t bytecode = 0;
};

// The interrupted frame of a sample.
frame_position leaf_of(const managed_frames::stack_sample& sample, const frame_conventions& frames);

// The frames of a thread's last two samples, innermost first. A frame that is at the same place
// with the same return address and method as in the sample before, at most 100 ms ago, is taken for
// the same frame. Its code needs no check, because code on a stack is never freed.
class frame_history {
 public:
  void begin_sample(std::uint64_t now_ns);
  // Adds a frame of the sample; returns whether it was in the sample before.
  bool add(const frame_position& at, std::uint64_t method);
  // Forgets the frames from `count` on.
  void shorten(std::size_t count) { current_.resize(count); }
  [[nodiscard]] std::size_t size() const { return current_.size(); }

 private:
  struct entry {
    std::uint64_t sp = 0;
    std::uint64_t pc = 0;
    std::uint64_t method = 0;
  };
  std::vector<entry> previous_;  // in order of sp
  std::vector<entry> current_;
  std::uint64_t current_ns_ = 0;
};

enum class walk_end : std::uint8_t {
  native_caller,   // the caller is native code
  call_stub,       // the caller is native code that called Java
  cut_by_copy,     // the next frame is beyond the copied bytes
  unknown_code,    // no blob contains the address
  invalid_frame,   // the frame contradicts itself
  frames_in_heap,  // the callers of a virtual thread are not on the stack
  too_deep,
};

class java_walker {
 public:
  // `memory`, `layout` and `log` must outlive the walker.
  java_walker(const process_memory& memory, const vm_layout& layout, pid_t pid,
              managed_frames::function_log& log);

  // Reads the bounds of the code heaps and the stubs that have their own conventions. Returns false
  // if they cannot be read, or are not there yet.
  bool prepare();
  [[nodiscard]] bool owns(std::uint64_t pc) const noexcept { return code_.owns(pc); }
  // The blob that contains an address; nullptr if there is none. Valid until the next call.
  const code_blob* blob_at(std::uint64_t pc) { return code_.find(pc); }

  // Whether a caller in generated code is consistent: an interpreter frame has a method and a
  // bytecode of it. Of other code, nothing can be checked.
  bool is_consistent(const frame_position& caller, const managed_frames::stack_sample& sample);
  // The stack pointer of the generated code that called the wrapper of a native method, if the
  // frame is that of a wrapper.
  std::optional<std::uint64_t> caller_of_wrapper(const frame_position& at,
                                                 const managed_frames::stack_sample& sample);

  // Walks from a frame of generated code to its first caller that is not, and moves `now` there.
  // Appends the frames, innermost first. `entry_frame` is the frame pointer of a call stub that
  // ends the walk.
  walk_end walk(frame_position& now, const managed_frames::stack_sample& sample,
                frame_history& history, std::vector<managed_frames::managed_frame>& into,
                std::uint64_t& entry_frame);

 private:
  using frames = std::vector<managed_frames::managed_frame>;
  struct cached_frames {
    std::uint64_t blob = 0;
    std::uint64_t generation = 0;
    frames content;
  };
  walk_end walk_once(frame_position& now, const managed_frames::stack_sample& sample, frames& into,
                     std::uint64_t& entry_frame);
  [[nodiscard]] bool used_is_unchanged();
  // Leaves the complete frame of a leaf.
  bool return_from_body(const code_blob& blob, frame_position& now,
                        const managed_frames::stack_sample& sample);
  // Each appends the frames of a blob and moves to the caller. Returns false if the copy lacks a
  // word of it.
  bool step_compiled(const code_blob& blob, frame_position& now,
                     const managed_frames::stack_sample& sample, frames& into);
  bool step_interpreter(frame_position& now, const managed_frames::stack_sample& sample,
                        frames& into);
  bool step_stub(const code_blob& blob, frame_position& now,
                 const managed_frames::stack_sample& sample, frames& into);
  struct interpreted_method {
    std::uint64_t method = 0;  // 0: the frame has none
    std::int32_t bytecode = -1;
  };
  interpreted_method interpreted_at(const frame_position& now,
                                    const managed_frames::stack_sample& sample);
  [[nodiscard]] bool calls_into(const code_blob& blob, std::uint64_t return_address);
  bool leave_stub(const code_blob& blob, frame_position& now,
                  const managed_frames::stack_sample& sample);
  std::vector<method_position> methods_at(const code_blob& blob, std::uint64_t pc);
  void append_compiled(const code_blob& blob, std::uint64_t pc, frames& into);
  void append_method(const frame_position& at, const interpreted_method& frame,
                     std::uint64_t sample_ns, frames& into);
  std::uint64_t stub(std::string_view name);
  std::uint64_t unnamed(const char* reason);

  const process_memory* memory_;
  const vm_layout* layout_;
  pid_t pid_;
  managed_frames::function_log* log_;
  code_cache code_;
  method_table methods_;
  scope_table scopes_;
  std::uint64_t call_stub_return_ = 0;
  std::unordered_map<std::uint64_t, cached_frames> compiled_;  // by address
  std::unordered_map<std::string, std::uint64_t> stubs_;       // ids in the log
  frame_history* history_ = nullptr;                           // of the thread that is walked
  // What a walk has used and the sample before has not: its identities are compared afterwards.
  std::vector<blob_identity> used_blobs_;
  std::vector<std::uint64_t> used_methods_;
  std::vector<memory_range> ranges_;  // of their identities
};

}  // namespace stallscope::hotspot_frames
