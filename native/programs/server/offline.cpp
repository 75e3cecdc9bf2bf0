#include "offline.hpp"

#include <cerrno>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "base/json.hpp"
#include "server/paths/codec_path.hpp"
#include "server/paths/query_path.hpp"
#include "server/paths/replay.hpp"
#include "server/paths/request_file.hpp"

namespace stallscope::server {
namespace {

constexpr std::uint64_t max_requests = 10'000'000;
constexpr std::size_t max_file_bytes = std::size_t{1} << 30U;

std::string name_of(path_kind path) {
  return path == path_kind::kv ? "kv" : path == path_kind::query ? "query" : "codec";
}

[[noreturn]] void refuse_file(const std::string& file) {
  throw std::system_error(errno, std::generic_category(), file);
}

void make_requests(const offline_work& work, const server_options& options) {
  std::ofstream out(work.output, std::ios::binary | std::ios::trunc);
  write_requests(out, name_of(options.path), work.requests, work.seed);
  out.close();
  if (!out) {
    refuse_file(work.output);
  }
  std::cout << json{{"event", "made"}, {"path", name_of(options.path)}, {"requests", work.requests}}
            << '\n';
}

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) {
    refuse_file(file);
  }
  const auto size = in.tellg();
  if (size < 0 || static_cast<std::size_t>(size) > max_file_bytes) {
    throw std::runtime_error(file + ": not a readable file, or larger than 1 GB");
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  in.seekg(0).read(bytes.data(), size);
  if (!in) {
    refuse_file(file);
  }
  return bytes;
}

stages::batch_file batches_of(const offline_work& work, const server_options& options,
                              const replayed_path& replayed) {
  if (work.batches.empty()) {
    return replayed.even_batches(static_cast<std::uint32_t>(options.stage.max_batch));
  }
  std::ifstream in(work.batches);
  if (!in) {
    refuse_file(work.batches);
  }
  try {
    return stages::read_batches(in);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(work.batches + ": " + error.what());
  }
}

std::unique_ptr<server::path> make_path(const server_options& options) {
  if (options.path == path_kind::query) {
    return make_query_path();
  }
  if (options.path == path_kind::codec) {
    return make_codec_path({.footprint_kb = options.footprint_kb, .stage_kb = options.stage_kb});
  }
  return nullptr;
}

std::string hexadecimal(std::uint64_t number) {
  std::ostringstream text;
  text << std::hex << std::setfill('0') << std::setw(16) << number;
  return text.str();
}

void replay(const offline_work& work, const server_options& options) {
  replayed_path replayed(make_path(options));
  auto requests = bytes_of(work.replay);
  const auto report = options.stages ? replayed.run_in_batches(std::move(requests),
                                                               batches_of(work, options, replayed))
                                     : replayed.run_at_once(std::move(requests));
  std::cout << json{{"event", "replayed"},
                    {"path", name_of(options.path)},
                    {"stages", options.stages},
                    {"requests", report.requests},
                    {"error_replies", report.error_replies},
                    {"reply_bytes", report.reply_bytes},
                    {"checksum", hexadecimal(report.checksum)},
                    {"seconds", report.seconds},
                    {"cpu_seconds", report.cpu_seconds}}
            << '\n';
}

}  // namespace

void add_offline_options(cli::command& app, offline_work& work) {
  cli::option make = app.add_option("--make-requests", work.requests,
                                    "Write this number of valid requests for --path and exit")
                         .check(cli::range(std::uint64_t{1}, max_requests));
  app.add_option("--requests-seed", work.seed, "Random seed of the requests").capture_default_str();
  const cli::option output =
      app.add_option("-o,--output", work.output, "Output file of --make-requests");
  make.needs(output);
  const cli::option replay = app.add_option(
      "--replay", work.replay, "Run a file of requests without sockets and exit, for simulators");
  app.add_option(
         "--batches", work.batches,
         "Batches for --stages on: a file of --log-batches; default: batches of --max-batch")
      .needs(replay);
  make.excludes(replay);
}

void run_offline(const offline_work& work, const server_options& options) {
  if (work.requests != 0) {
    make_requests(work, options);
  } else {
    replay(work, options);
  }
}

}  // namespace stallscope::server
