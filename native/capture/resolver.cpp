#include "capture/resolver.hpp"

#include <algorithm>
#include <utility>

namespace stallscope::capture {
namespace {

constexpr std::size_t walked_addresses = std::size_t{1} << 14U;

}  // namespace

resolver::resolver(const raw_stacks& raw, object_table& objects, stack_columns& into,
                   memory_budget& budget)
    : raw_(raw),
      objects_(objects),
      into_(into),
      resolved_(budget),
      resolved_index_(budget),
      located_(budget),
      walked_(budget),
      frame_index_(budget),
      stack_index_(budget) {
  located_.resize(raw.location_count(), {0, hash_index::none});
  into_.offset.push_back(0);
}

std::uint32_t resolver::resolve(std::uint32_t raw_stack, const map_table& user,
                                const map_table& kernel) {
  const std::uint64_t hash = hash_word(hash_word(hash_seed(), raw_stack),
                                       std::uint64_t{user.version} << 32U | kernel.version);
  const std::uint32_t earlier = resolved_index_.find(hash, [&](std::uint32_t number) {
    const resolved& other = resolved_[number];
    return other.raw_stack == raw_stack && other.user_version == user.version &&
           other.kernel_version == kernel.version;
  });
  if (earlier != hash_index::none) {
    return resolved_[earlier].stack;
  }
  frames_.clear();
  for (const std::uint32_t location : raw_.locations(raw_stack)) {
    frames_.push_back(frame_of(location, user, kernel));
  }
  const std::uint32_t stack = intern_stack(unwind::chain_end::kernel_given);
  resolved_index_.insert(hash, static_cast<std::uint32_t>(resolved_.size()));
  resolved_.push_back({raw_stack, user.version, kernel.version, stack});
  return stack;
}

std::uint32_t resolver::resolve(std::uint32_t raw_stack, const walked_stack& walked,
                                const map_table& user, const map_table& kernel) {
  const auto chain = raw_.locations(raw_stack);
  const auto first_user = std::find_if(chain.begin(), chain.end(), [this](std::uint32_t location) {
    return raw_.kind(location) != frame_kind::kernel;
  });
  const auto kernel_user_count = static_cast<std::size_t>(chain.end() - first_user);
  const bool kernel_chain_is_longer =
      walked.frames.size() < kernel_user_count && walked.end != unwind::chain_end::complete;
  if (kernel_chain_is_longer && kernel_user_count > 1) {
    return resolve(raw_stack, user, kernel);
  }
  frames_.clear();
  for (const std::uint32_t location :
       std::span(chain.begin(), kernel_chain_is_longer ? chain.end() : first_user)) {
    frames_.push_back(frame_of(location, user, kernel));
  }
  for (const unwind::frame& frame : walked.frames) {
    frames_.push_back(frame_of(frame, user));
  }
  return intern_stack(walked.end);
}

std::uint32_t resolver::frame_of(const unwind::frame& walked, const map_table& user) {
  if (walked.managed) return intern_frame(-1, walked.address, frame_kind::managed);
  if (walked.interpreted) return intern_frame(-1, walked.address, frame_kind::interpreted);
  // Most chains consist of some thousand addresses. A direct-mapped cache costs one look-up per
  // miss.
  if (walked_.size() == 0) {
    walked_.resize(walked_addresses, {0, 0, hash_index::none});
  }
  const std::uint64_t address = walked.address - (walked.exact || walked.address == 0 ? 0 : 1);
  walked_address& cached = walked_[(address ^ address >> 13U) % walked_addresses];
  if (cached.address != address || cached.version != user.version ||
      cached.frame == hash_index::none) {
    cached = {address, user.version, look_up(address, frame_kind::user, &user)};
  }
  return cached.frame;
}

std::uint32_t resolver::frame_of(std::uint32_t location, const map_table& user,
                                 const map_table& kernel) {
  const map_table* table = nullptr;
  if (raw_.kind(location) == frame_kind::user || raw_.kind(location) == frame_kind::unknown) {
    table = &user;
  } else if (raw_.kind(location) == frame_kind::kernel) {
    table = &kernel;
  }
  const std::uint32_t version = table == nullptr ? 0 : table->version;
  located& cached = located_[location];
  if (cached.frame == hash_index::none || cached.version != version) {
    cached = {version, look_up(raw_.address(location), raw_.kind(location), table)};
  }
  return cached.frame;
}

std::uint32_t resolver::look_up(std::uint64_t address, frame_kind kind, const map_table* table) {
  const auto* mapping = table == nullptr ? nullptr : table->find(address);
  if (mapping == nullptr) {
    return intern_frame(-1, address, kind);
  }
  const object& mapped = objects_.at(mapping->second.object);
  const bool absolute = mapped.kernel || mapped.anonymous;
  return intern_frame(static_cast<std::int32_t>(mapping->second.object),
                      absolute ? address : address - mapping->first + mapping->second.page_offset,
                      kind);
}

std::uint32_t resolver::intern_frame(std::int32_t object, std::uint64_t address, frame_kind kind) {
  const auto kind_number = static_cast<std::uint8_t>(kind);
  const std::uint64_t hash =
      hash_word(hash_word(hash_seed(), address),
                std::uint64_t{static_cast<std::uint32_t>(object)} << 8U | kind_number);
  std::uint32_t number = frame_index_.find(hash, [&](std::uint32_t other) {
    return into_.frame_address[other] == address && into_.frame_object[other] == object &&
           into_.kind[other] == kind_number;
  });
  if (number == hash_index::none) {
    number = static_cast<std::uint32_t>(into_.kind.size());
    frame_index_.insert(hash, number);
    into_.frame_address.push_back(address);
    into_.frame_object.push_back(object);
    into_.kind.push_back(kind_number);
  }
  return number;
}

std::uint32_t resolver::intern_stack(unwind::chain_end end) {
  std::uint64_t hash = hash_word(hash_seed(), static_cast<std::uint64_t>(end));
  for (const std::uint32_t frame : frames_) {
    hash = hash_word(hash, frame + std::uint64_t{1});
  }
  std::uint32_t number = stack_index_.find(hash, [this, end](std::uint32_t other) {
    const std::uint64_t from = into_.offset[other];
    const auto other_frames = into_.frame.values().subspan(from, into_.offset[other + 1] - from);
    return into_.end[other] == static_cast<std::uint8_t>(end) &&
           std::equal(other_frames.begin(), other_frames.end(), frames_.begin(), frames_.end());
  });
  if (number == hash_index::none) {
    number = static_cast<std::uint32_t>(into_.offset.size() - 1);
    stack_index_.insert(hash, number);
    into_.frame.append(frames_);
    into_.end.push_back(static_cast<std::uint8_t>(end));
    into_.offset.push_back(into_.frame.size());
  }
  return number;
}

std::vector<object> resolver::finish() {
  constexpr std::int32_t unused = -1;
  std::vector<std::int32_t> renumbered(objects_.size(), unused);
  std::vector<object> used;
  for (std::size_t frame = 0; frame < into_.frame_object.size(); ++frame) {
    std::int32_t& number = into_.frame_object[frame];
    if (number < 0) {
      continue;
    }
    std::int32_t& target = renumbered[static_cast<std::size_t>(number)];
    if (target == unused) {
      target = static_cast<std::int32_t>(used.size());
      used.push_back(std::move(objects_.all()[static_cast<std::size_t>(number)]));
    }
    number = target;
  }
  return used;
}

}  // namespace stallscope::capture
