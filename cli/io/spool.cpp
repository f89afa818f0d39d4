// SPDX-License-Identifier: Apache-2.0
#include "io/spool.hpp"

#include <algorithm>
#include <cstring>

#include "failure.hpp"
#include "io/give_back.hpp"
#include "io/temporary_file.hpp"
#include "platform/files.hpp"

namespace numpact::cli {
namespace {

// Larger buffers of a stream are in segments of this size, so that they grow without being copied.
// Large pages fit in them.
constexpr std::size_t kMaxSegmentBytes = std::size_t{1} << 22;

constexpr const char* kPlace = "temporary file";

}  // namespace

Spool::~Spool() {
  for (StreamState& state : streams_) free_segments(state);
  if (descriptor_ >= 0) platform::close_file(descriptor_);
}

Spool::Stream Spool::add_stream() {
  streams_.emplace_back();
  return streams_.size() - 1;
}

void Spool::add_segment(StreamState& state, std::size_t capacity) {
  state.buffered.reserve(state.buffered.size() + 1);
  state.buffered.push_back({static_cast<std::byte*>(memory_.allocate(capacity)), 0, capacity});
  state.buffered_capacity += capacity;
  buffered_bytes_ += capacity;
}

void Spool::free_segments(StreamState& state) {
  for (const Segment& segment : state.buffered) memory_.deallocate(segment.data, segment.capacity);
  buffered_bytes_ -= state.buffered_capacity;
  give_back(state.buffered);
  state.buffered_size = 0;
  state.buffered_capacity = 0;
}

void Spool::append(Stream stream, std::span<const std::byte> bytes) {
  StreamState& state = streams_[stream];
  state.size += bytes.size();
  while (!bytes.empty()) {
    if (state.buffered.empty() || state.buffered.back().size == state.buffered.back().capacity) {
      add_segment(state, static_cast<std::size_t>(std::min<std::uint64_t>(
                             kMaxSegmentBytes,
                             std::max<std::uint64_t>(bytes.size(), state.buffered_size))));
    }
    Segment& segment = state.buffered.back();
    const std::size_t count = std::min(bytes.size(), segment.capacity - segment.size);
    std::memcpy(segment.data + segment.size, bytes.data(), count);
    segment.size += count;
    state.buffered_size += count;
    bytes = bytes.subspan(count);
  }
  if (buffered_bytes_ > memory_bytes_) flush_all();
}

void Spool::clear(Stream stream) {
  free_segments(streams_[stream]);
  streams_[stream] = StreamState();
}

void Spool::write_file(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::int64_t written = platform::write_some_at(descriptor_, file_size_, bytes);
    if (written < 0) fail_errno(kPlace, "cannot be written");
    file_size_ += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void Spool::flush_all() {
  if (descriptor_ < 0) descriptor_ = open_unnamed_file();
  for (StreamState& state : streams_) {
    if (state.buffered.empty()) continue;
    state.extents.push_back({state.size - state.buffered_size, file_size_, state.buffered_size});
    for (const Segment& segment : state.buffered) write_file(segment.bytes());
    free_segments(state);
  }
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
  std::uint64_t segment_from = state.size - state.buffered_size;
  for (const Segment& segment : state.buffered) {
    if (out.empty()) return;
    const std::uint64_t segment_end = segment_from + segment.size;
    if (offset < segment_end) {
      const auto skipped = static_cast<std::size_t>(offset - segment_from);
      const std::size_t count = std::min(out.size(), segment.size - skipped);
      std::memcpy(out.data(), segment.data + skipped, count);
      out = out.subspan(count);
      offset += count;
    }
    segment_from = segment_end;
  }
}

void Spool::read_file(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const std::int64_t got = platform::read_some_at(descriptor_, offset, out);
    if (got < 0) fail_errno(kPlace, "cannot be read");
    if (got == 0) fail(kPlace, "was cut by another program");
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace numpact::cli
