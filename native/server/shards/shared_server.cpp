#include "server/shards/shared_server.hpp"

#include "server/shards/info.hpp"
#include "server/shards/shard.hpp"

namespace stallscope::server {
namespace {

std::optional<value_log::data_directory> open_data(const server_options& options) {
  if (options.path != path_kind::disk) return std::nullopt;
  return std::make_optional<value_log::data_directory>(
      options.disk.directory, static_cast<std::uint32_t>(options.cpus.size()));
}

}  // namespace

shared_server::shared_server(server_options options)
    : options_(std::move(options)),
      data_(open_data(options_)),
      mailboxes_(options_.cpus.size()),
      // Keys are assigned to the shard that holds them on the disk.
      seed_(data_ ? data_->identity().keys : store::random_seed()),
      started_(std::chrono::steady_clock::now()),
      shards_left_(options_.cpus.size()) {
  for (std::size_t i = 0; i < options_.cpus.size(); ++i) {
    shards_.push_back(std::make_unique<shard>(*this, i));
  }
}

shared_server::~shared_server() = default;

bool shared_server::enter() {
  if (connected_.load(std::memory_order_relaxed) >= options_.limits.clients) {
    count_rejected();
    return false;
  }
  connected_.fetch_add(1, std::memory_order_relaxed);  // only the acceptor increments it
  return true;
}

void shared_server::begin_shutdown() noexcept {
  shutting_down_.store(true);
  wake_all();
}

void shared_server::shard_is_done() noexcept {
  if (shards_left_.fetch_sub(1) == 1) wake_all();
}

void shared_server::wake_all() noexcept {
  for (std::size_t i = 0; i < mailboxes_.shards(); ++i) mailboxes_.wake_event_of(i).signal();
}

std::string shared_server::info(std::span<const std::string_view> sections) {
  return info_text(*this, sections);
}

std::string shared_server::client_line(const session& client) { return clients_.line(client.id); }

std::string shared_server::client_lines() { return clients_.lines(); }

std::vector<std::pair<std::string, std::string>> shared_server::settings() {
  return settings_of(*this);
}

}  // namespace stallscope::server
