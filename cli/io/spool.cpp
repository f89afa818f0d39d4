// SPDX-License-Identifier: Apache-2.0
#include "io/spool.hpp"

#include <algorithm>
#include <cstring>

#include "failure.hpp"
#include "io/temporary_file.hpp"
#include "platform/files.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kPlace = "temporary file";

}  // namespace

Spool::~Spool() {
  if (descriptor_ >= 0) platform::close_file(descriptor_);
}

Spool::Stream Spool::add_stream() {
  streams_.emplace_back();
  return streams_.size() - 1;
}

void Spool::append(Stream stream, std::span<const std::byte> bytes) {
  StreamState& state = streams_[stream];
  const std::size_t before = state.buffered.capacity();
  state.buffered.insert(state.buffered.end(), bytes.begin(), bytes.end());
  state.size += bytes.size();
  buffered_bytes_ += state.buffered.capacity() - before;
  if (buffered_bytes_ > memory_bytes_) flush_all();
}

void Spool::clear(Stream stream) {
  buffered_bytes_ -= streams_[stream].buffered.capacity();
  streams_[stream] = StreamState();
}

void Spool::flush_all() {
  if (descriptor_ < 0) descriptor_ = open_unnamed_file();
  for (StreamState& state : streams_) {
    if (state.buffered.empty()) continue;
    std::span<const std::byte> rest = state.buffered;
    state.extents.push_back({state.size - rest.size(), file_size_, rest.size()});
    while (!rest.empty()) {
      const std::int64_t written = platform::write_some_at(descriptor_, file_size_, rest);
      if (written < 0) fail_errno(kPlace, "cannot be written");
      file_size_ += static_cast<std::uint64_t>(written);
      rest = rest.subspan(static_cast<std::size_t>(written));
    }
    state.buffered = {};  // frees the memory, which clear() would not
  }
  buffered_bytes_ = 0;
}

void Spool::read(Stream stream, std::uint64_t offset, std::span<std::byte> out) const {
  const StreamState& state = streams_[stream];
  const auto behind = [](std::uint64_t at, const Extent& extent) {
    return at < extent.stream_offset;
  };
  auto extent = std::upper_bound(state.extents.begin(), state.extents.end(), offset, behind);
  if (extent != state.extents.begin()) --extent;
  for (; extent != state.extents.end() && !out.empty(); ++extent) {
    if (offset >= extent->stream_offset + extent->size) continue;
    const std::uint64_t skipped = offset - extent->stream_offset;
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), extent->size - skipped));
    read_file(extent->file_offset + skipped, out.first(count));
    out = out.subspan(count);
    offset += count;
  }
  if (out.empty()) return;
  const std::uint64_t buffered_from = state.size - state.buffered.size();
  std::memcpy(out.data(), state.buffered.data() + (offset - buffered_from), out.size());
}

void Spool::read_file(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const std::int64_t got = platform::read_some_at(descriptor_, offset, out);
    if (got < 0) fail_errno(kPlace, "cannot be read");
    if (got == 0) throw Failure(ExitCode::kFailure, kPlace, "was cut by another program");
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace numpact::cli
