// SPDX-License-Identifier: Apache-2.0
#include "formats/python/child_process.hpp"

#include <cerrno>
#include <utility>

#include "failure.hpp"
#include "io/cleanup.hpp"
#include "platform/files.hpp"

namespace numpact::cli {
namespace {

struct Pipe {
  int reading = -1;
  int writing = -1;

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (reading >= 0) platform::close_file(reading);
    if (writing >= 0) platform::close_file(writing);
  }
};

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& place,
                           std::span<const int> descriptors) {
  Pipe requests;
  Pipe replies;
  int error = platform::open_pipe(requests.reading, requests.writing);
  if (error == 0) error = platform::open_pipe(replies.reading, replies.writing);
  if (error == 0) {
    error = start_guarded(process_, [&](platform::Child& process) {
      return platform::start_child(command, requests.reading, replies.writing, descriptors,
                                   process);
    });
  }
  if (error != 0) {
    errno = error;
    fail_errno(place, command[0] + " cannot be started");
  }
  to_child_ = std::exchange(requests.writing, -1);
  from_child_ = std::exchange(replies.reading, -1);
}

ChildProcess::~ChildProcess() { wait(true); }

bool ChildProcess::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::int64_t written = platform::write_some(to_child_, bytes);
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

bool ChildProcess::read(std::span<std::byte> out) {
  while (!out.empty()) {
    const std::int64_t got = platform::read_some(from_child_, out);
    if (got <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

int ChildProcess::finish() { return wait(false); }

int ChildProcess::wait(bool kill_it) {
  if (process_ < 0) return 0;
  if (kill_it) platform::kill_child(process_);
  platform::close_file(to_child_);
  platform::close_file(from_child_);
  // Until it is collected, no other process can get its id.
  platform::await_child(process_);
  end_guard(process_);
  return platform::collect_child(std::exchange(process_, -1));
}

}  // namespace numpact::cli
