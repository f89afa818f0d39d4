// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/decode_checks.hpp"
#include "api/file_end.hpp"
#include "api/headers.hpp"
#include "api/input_buffer.hpp"
#include "api/span_checksums.hpp"
#include "api/trailer_use.hpp"
#include "api/worker_pool.hpp"
#include "base/arena.hpp"
#include "base/exceptions.hpp"
#include "base/guard.hpp"
#include "base/in_use.hpp"
#include "base/internal.hpp"
#include "base/owned.hpp"
#include "pco/page/page_decoder.hpp"

namespace numpact {

struct StreamReader::Impl {
  enum class Stage { kHeader, kBetweenChunks, kPageHead, kPage, kEnd };

  Impl(ByteSource& source, DecodeConfig decode_config, std::pmr::memory_resource* own)
      : memory(own),
        input(source, own),
        config(std::move(decode_config)),
        arena(own),
        spans(own),
        worker_pool(own) {
    arena.reset(config.limits.max_memory);
    if (config.trailer != TrailerPolicy::kIgnore) input.keep_checksum();
  }

  // Call at chunk boundaries, behind n more numbers.
  void note_span(std::uint64_t n) {
    if (config.trailer == TrailerPolicy::kIgnore) return;
    spans.add({span_begin, input.offset(), n, input.take_checksum()});
    span_begin = input.offset();
  }

  // Runs `parse` on the buffered bytes, and again with more bytes while it reports truncation. On
  // success drops the parsed bytes.
  template <class Parse>
  Status parse_with_more(Parse&& parse) {
    while (true) {
      const Arena::Mark mark = arena.mark();
      BitReader reader(input.bytes());
      const Status status = parse(reader);
      if (status.ok()) {
        input.drop(reader.byte_position());
        return {};
      }
      if (status.kind() != ErrorKind::kTruncated || input.is_last()) {
        return status.shifted(input.offset());
      }
      arena.rewind(mark);
      NUMPACT_TRY(input.extend());
    }
  }

  Status read_header() {
    if (stage != Stage::kHeader) return {};
    NUMPACT_TRY(parse_with_more(
        [&](BitReader& reader) { return standalone::parse_header(reader, header); }));
    type = header.uniform_type;
    header_bytes = input.offset();
    header_crc = input.take_checksum();
    span_begin = header_bytes;
    stage = Stage::kBetweenChunks;
    NUMPACT_TRY(input.ensure(1));
    if (!type && !input.bytes().empty()) {
      const auto byte = static_cast<std::uint8_t>(input.bytes()[0]);
      if (is_number_type(byte)) type = static_cast<NumberType>(byte);
    }
    make_parallel();
    chunk_mark = arena.mark();
    return {};
  }

  void make_parallel() {
    group = worker_pool.group(config);
    if (group.executor == nullptr || !type) return;
    parallel.emplace(group, header, *type);
  }

  // Reads ahead while more whole chunks may fit into `max_n` numbers.
  void plan(std::uint64_t max_n) {
    arena.rewind(chunk_mark);
    worker_pool.share_memory(config.limits.max_memory, arena.capacity());
    parallel->begin({input.offset(), numbers_before_chunk, chunk_index}, max_n);
    while (true) {
      const standalone::FileWindow window{input.bytes(), input.offset(), input.is_last()};
      while (parallel->plan_segment(window)) {
      }
      if (parallel->plan_is_closed() || input.is_last()) break;
      if (input.bytes().size() >= kMaxReadAheadBytes) break;
      if (!read_ahead()) break;
    }
    parallel->end_plan();
  }

  // Errors are reported when the bytes are actually needed.
  bool read_ahead() {
    NUMPACT_TRY_BLOCK { return input.extend_once(kMaxReadAheadBytes).ok(); }
    NUMPACT_CATCH_ALL { return false; }
  }

  // Between chunks: decodes whole chunks concurrently while they fit and that pays. The rest,
  // including errors, is decoded in order.
  Status read_in_parallel(const MutableNumberView& out, std::size_t& count) {
    if (!parallel || !parallel->may_plan()) return {};
    const DecodeLimits& limits = config.limits;
    const std::uint64_t max_n =
        std::min(limits.max_numbers, numbers_in(limits.max_output_bytes, out.type));
    const std::uint64_t before = numbers_before_chunk;
    if (before > max_n) return {};
    plan(std::min<std::uint64_t>(max_n - before, out.count - count));
    if (parallel->planned_segments() < 2) {
      worker_pool.give_memory_back(limits.max_memory);
      return {};
    }

    Status cancelled;
    const standalone::ParallelWalker::Report report_position =
        [&](const standalone::Position& reached) {
          if (reached.numbers == numbers_given) return true;
          numbers_given = reached.numbers;
          cancelled = report_progress(config.progress, {numbers_given, reached.offset});
          return cancelled.ok();
        };
    const standalone::FileWindow window{input.bytes(), input.offset(), input.is_last()};
    std::byte* const at = static_cast<std::byte*>(out.data) + count * size_of(out.type);
    const standalone::Position reached_place = parallel->run(window, at, false, &report_position);
    worker_pool.give_memory_back(limits.max_memory);
    input.drop(static_cast<std::size_t>(reached_place.offset - input.offset()));
    note_span(reached_place.numbers - before);
    count += static_cast<std::size_t>(reached_place.numbers - before);
    numbers_before_chunk = reached_place.numbers;
    chunk_index = reached_place.chunk;
    bit_position = 0;
    if (cancelled.ok()) report_position(reached_place);
    return cancelled;
  }

  Status enter_chunk() {
    arena.rewind(chunk_mark);
    const auto parse = [&](BitReader& reader) -> Status {
      NUMPACT_TRY(standalone::parse_chunk_head(reader, type, head));
      if (head.is_end) return {};
      return parse_chunk_meta(reader, head.type, header.format, arena, meta);
    };
    NUMPACT_TRY(parse_with_more(parse));
    if (head.is_end) {
      stage = Stage::kEnd;
      return {};
    }
    NUMPACT_TRY(check_limits(config.limits, numbers_before_chunk + head.n, head.type));
    page = ChunkTables::make(meta, arena)->make_page_decoder(arena);
    stage = Stage::kPageHead;
    return {};
  }

  // Calls step(window, more) on the buffered bytes, starting at the bit position within the first
  // byte; drops the whole bytes passed; reads on if more are needed.
  template <class Step>
  Status step_with_more(Step&& step) {
    while (true) {
      BitWindow window{input.bytes(), bit_position, input.is_last()};
      bool more = false;
      const Status status = step(window, more);
      if (!status.ok()) return status.shifted(input.offset());
      input.drop(static_cast<std::size_t>(window.position / 8));
      bit_position = window.position % 8;
      if (!more) return {};
      NUMPACT_TRY(input.extend());
    }
  }

  Status start_page() {
    bit_position = 0;
    NUMPACT_TRY(step_with_more(
        [&](BitWindow& window, bool& more) { return page->start(window, head.n, more); }));
    stage = Stage::kPage;
    return {};
  }

  Status decode(std::size_t n, std::byte* out, std::size_t& done) {
    done = 0;
    const auto step = [&](BitWindow& window, bool& more) -> Status {
      std::size_t count = 0;
      NUMPACT_TRY(page->decode(window, n - done, out + done * size_of(head.type), count, more));
      done += count;
      return {};
    };
    NUMPACT_TRY(step_with_more(step));
    if (page->numbers_left() > 0) return {};
    NUMPACT_TRY(input.ensure(1));
    NUMPACT_TRY(
        step_with_more([&](BitWindow& window, bool&) { return PageDecoder::finish(window); }));
    note_span(head.n);
    numbers_before_chunk += head.n;
    if (parallel) parallel->passed_in_order(head.n);
    ++chunk_index;
    stage = Stage::kBetweenChunks;
    return {};
  }

  Status read(const MutableNumberView& out, std::size_t& count) {
    NUMPACT_TRY(read_header());
    if (type && *type != out.type) {
      return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
    }
    while (count < out.count || stage == Stage::kPageHead) {
      if (stage == Stage::kEnd) break;
      if (stage == Stage::kBetweenChunks) {
        NUMPACT_TRY(read_in_parallel(out, count));
        if (count < out.count) NUMPACT_TRY(enter_chunk());
      } else if (stage == Stage::kPageHead) {
        NUMPACT_TRY(start_page());
      } else {
        std::size_t done = 0;
        const std::size_t n = std::min({out.count - count, page->numbers_left(), kProgressStepN});
        std::byte* const at = static_cast<std::byte*>(out.data) + count * size_of(out.type);
        const Status status = decode(n, at, done);
        count += done;
        NUMPACT_TRY(status);
        NUMPACT_TRY(report(done));
      }
    }
    return {};
  }

  // Reads on while the bytes after the terminator may be a trailer of this file.
  Status read_rest() {
    NUMPACT_TRY(input.ensure(trailer::kFrontBytes));
    if (input.bytes().empty() || !trailer::begins_with_trailer(input.bytes())) return {};
    const std::uint64_t per_chunk = trailer::kRecordBytes + trailer::kStateSizeBytes;
    const std::uint64_t points = numbers_before_chunk >> TrailerSpec::kMinRestartLog;
    const std::uint64_t max_bytes = trailer::kFrontBytes + trailer::kFooterBytes +
                                    chunk_index * per_chunk +
                                    points * (trailer::kPositionBytes + kMaxStateBytes);
    while (!input.is_last() && input.bytes().size() <= max_bytes) NUMPACT_TRY(input.extend());
    return {};
  }

  Status check_trailer(TrailerState& state) {
    if (stage != Stage::kEnd) {
      return Status(ErrorKind::kInvalidArgument, "the file was not read to its end");
    }
    if (config.trailer == TrailerPolicy::kIgnore) {
      return Status(ErrorKind::kInvalidArgument, "checksums were not made");
    }
    NUMPACT_TRY(read_rest());
    trailer::View view;
    end = end_of_file(input.bytes(), input.offset(), &view);
    state = end.trailer;
    if (view.bytes == 0) return {};
    if (view.front.header_bytes == header_bytes && view.front.header_crc != header_crc) {
      return Status(ErrorKind::kChecksum, "the header has another checksum than the trailer says",
                    0);
    }
    const bool agrees = agree(view.front, to_public(header, header_bytes)) &&
                        (!type || type == view.front.type) && view.front.chunk_n == chunk_index;
    if (!agrees) {
      return Status(ErrorKind::kCorrupt, "the trailer contradicts the file", 0);
    }
    return spans.compare(view);
  }

  Status report(std::size_t done) {
    numbers_given += done;
    return report_progress(config.progress, {numbers_given, input.offset()});
  }

  bool in_chunk() const { return stage != Stage::kHeader && stage != Stage::kEnd; }

  static constexpr std::size_t kProgressStepN = std::size_t{1} << 18;
  // Maximum bytes of buffered input when several threads decode.
  static constexpr std::size_t kMaxReadAheadBytes = std::size_t{16} << 20;

  std::pmr::memory_resource* memory;
  InputBuffer input;
  DecodeConfig config;
  Arena arena;
  Arena::Mark chunk_mark;
  Stage stage = Stage::kHeader;
  standalone::Header header;
  std::uint64_t header_bytes = 0;
  std::uint32_t header_crc = 0;
  SpanChecksums spans;
  std::uint64_t span_begin = 0;
  std::optional<NumberType> type;
  standalone::ChunkHead head;
  ChunkMeta meta;
  PageDecoder* page = nullptr;
  std::uint64_t bit_position = 0;
  std::uint64_t chunk_index = 0;
  std::uint64_t numbers_before_chunk = 0;
  std::uint64_t numbers_given = 0;
  FileEnd end;  // once the trailer was checked
  bool is_in_use = false;
  Status failure;  // the first error; permanent

  WorkerPool worker_pool;
  standalone::TaskGroup group;
  std::optional<standalone::ParallelWalker> parallel;  // none: single-threaded
};

StreamReader::StreamReader(ByteSource& source, DecodeConfig config,
                           std::pmr::memory_resource* memory)
    : impl_(make_owned<Impl>(memory, source, std::move(config))) {}

Result<FileHeader> StreamReader::header() noexcept {
  if (impl_ == nullptr) return moved_from();
  const InUse use(impl_->is_in_use);
  if (use.is_refused()) return in_use();
  if (impl_->failure.ok()) impl_->failure = guarded([&] { return impl_->read_header(); });
  NUMPACT_TRY(impl_->failure);
  FileHeader header = to_public(impl_->header, impl_->header_bytes);
  header.number_type = impl_->type;
  return header;
}

Result<std::size_t> StreamReader::read(const MutableNumberView& out) noexcept {
  if (impl_ == nullptr) return moved_from();
  const InUse use(impl_->is_in_use);
  if (use.is_refused()) return in_use();
  NUMPACT_TRY(impl_->failure);
  NUMPACT_TRY(check_view(out));  // not a permanent error
  std::size_t count = 0;
  Status status = guarded([&] { return impl_->read(out, count); });
  if (status.ok()) return count;
  if (impl_->in_chunk()) status = status.at_chunk(impl_->chunk_index);
  // A request for the wrong type has no effect; other errors are permanent.
  if (status.kind() != ErrorKind::kTypeMismatch) impl_->failure = status;
  return status.after_numbers(count);
}

Result<TrailerState> StreamReader::check_trailer() noexcept {
  if (impl_ == nullptr) return moved_from();
  const InUse use(impl_->is_in_use);
  if (use.is_refused()) return in_use();
  NUMPACT_TRY(impl_->failure);
  TrailerState state = TrailerState::kNone;
  NUMPACT_TRY(guarded([&] { return impl_->check_trailer(state); }));
  return state;
}

FileEnd StreamReader::file_end() const noexcept {
  return impl_ != nullptr ? impl_->end : FileEnd();
}

std::uint64_t StreamReader::bytes_consumed() const noexcept {
  return impl_ != nullptr ? impl_->input.offset() : 0;
}

}  // namespace numpact
