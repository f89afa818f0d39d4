// SPDX-License-Identifier: Apache-2.0
// One-shot decoding: loops over the walker.
#include <algorithm>
#include <cstring>

#include "api/chunk_table.hpp"
#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/file_end.hpp"
#include "api/headers.hpp"
#include "api/parallel_part.hpp"
#include "api/trailer_use.hpp"
#include "base/check_bytes.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "numpact/pco.hpp"
#include "pco/standalone/file_walker.hpp"
#include "pco/wire.hpp"

namespace numpact {
namespace {

using standalone::ChunkHead;
using standalone::FileWalker;

// Numbers between two progress calls, and the first step by which outputs grow.
constexpr std::size_t kOutputStepN = std::size_t{1} << 18;

// Maximum numbers per input byte for which the writer's stated count is trusted in advance.
constexpr std::uint64_t kMaxTrustedNumbersPerByte = 64;

// Minimum numbers for which decoding by index pays for its threads.
constexpr std::uint64_t kMinParallelN = std::uint64_t{1} << 17;

// The first numbers that are decoded by index into an output that grows, enough for sixteen tasks.
// Each step may double the output, so a forged count costs little memory.
constexpr std::size_t kFirstStepN = std::size_t{1} << 20;

Status check_type(NumberType found, NumberType expected) {
  if (found == expected) return {};
  return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
}

// Destination of decoded numbers.
class Output : public ParallelPart::OutputBuffer {
 public:
  // Provides memory for numbers [0, total) and keeps those decoded before.
  virtual Status reserve(std::size_t total, void*& data) = 0;
  // The largest total to allocate at once if `needed` will be needed in the end.
  virtual std::size_t step(std::size_t used, std::size_t needed) const = 0;
  // States the probable final count.
  virtual void expect(std::size_t) {}

  Status make(std::size_t total, void*& data) final { return reserve(total, data); }
};

class FixedOutput final : public Output {
 public:
  explicit FixedOutput(const MutableNumberView& view) : view_(view) {}
  Status reserve(std::size_t total, void*& data) override {
    if (total > view_.count) {
      return Status(ErrorKind::kOutputTooSmall, "the file holds more numbers than the output");
    }
    data = view_.data;
    return {};
  }
  std::size_t step(std::size_t, std::size_t needed) const override { return needed; }
  bool is_growing() const override { return false; }
  std::uint64_t max_n() const override { return view_.count; }

 private:
  MutableNumberView view_;
};

class GrowingOutput final : public Output {
 public:
  GrowingOutput(detail::GrowFunction grow, void* owner) : grow_(grow), owner_(owner) {}
  void expect(std::size_t count) override { expected_ = count; }

  Status reserve(std::size_t total, void*& data) override {
    data = grow_(owner_, total, expected_);
    return {};
  }
  // A chunk's stated count may be false, so memory grows with the decoded numbers.
  std::size_t step(std::size_t used, std::size_t needed) const override {
    return std::min(needed, used + std::max(used, kOutputStepN));
  }
  bool is_growing() const override { return true; }
  std::uint64_t max_n() const override { return SIZE_MAX; }

 private:
  detail::GrowFunction grow_;
  void* owner_;
  std::size_t expected_ = 0;  // the probable final count
};

struct DecodeJob {
  NumberType type;
  const DecodeConfig& config;
  Output& output;
  std::size_t& count;
};

// Decodes numbers of the chunk until there are `total` overall.
Status decode_until(FileWalker& walker, const DecodeJob& job, std::size_t total) {
  NUMPACT_TRY(check_limits(job.config.limits, total, job.type).at_chunk(walker.chunk_index()));
  std::size_t used = job.count;
  while (used < total) {
    const std::size_t capacity = job.output.step(used, total);
    const std::size_t until =
        job.config.progress ? std::min(capacity, used + kOutputStepN) : capacity;
    void* data = nullptr;
    NUMPACT_TRY(job.output.reserve(capacity, data));
    std::byte* const at = static_cast<std::byte*>(data) + used * size_of(job.type);
    NUMPACT_TRY(walker.decode(until - used, at));
    used = until;
    NUMPACT_TRY(report_progress(job.config.progress, {used, walker.offset()}));
  }
  return {};
}

Status decode_chunk(FileWalker& walker, const DecodeJob& job) {
  const std::size_t total = to_size(std::uint64_t{job.count} + walker.head().n);
  NUMPACT_TRY(decode_until(walker, job, total));
  NUMPACT_TRY(walker.leave_chunk());
  job.count = total;
  return {};
}

std::size_t expected_count(std::span<const std::byte> file, std::uint64_t n_hint,
                           const DecodeLimits& limits, NumberType type) {
  const std::uint64_t plausible = file.size() * kMaxTrustedNumbersPerByte;
  std::uint64_t expected = std::min({n_hint, plausible, limits.max_numbers});
  expected = std::min<std::uint64_t>(expected, numbers_in(limits.max_output_bytes, type));
  return to_size(std::min<std::uint64_t>(expected, numbers_in(SIZE_MAX, type)));
}

Status read_typed_header(FileWalker& walker, NumberType type) {
  NUMPACT_TRY(walker.read_header());
  if (walker.header().uniform_type) NUMPACT_TRY(check_type(*walker.header().uniform_type, type));
  return {};
}

// Decodes ahead of the walker on several threads while that pays. Counts numbers only up to the
// first chunk that the trailer contradicts.
Status decode_ahead(FileWalker& walker, ParallelPart& parallel, const TrailerCheck& check,
                    const DecodeJob& job) {
  const std::size_t first = walker.next_chunk();
  std::uint64_t count = job.count;
  const Status ahead = parallel.advance(walker, &job.output, count);
  std::uint64_t valid_n = 0;
  const Status checked =
      check.after_chunks(first, walker.next_chunk(), walker.offset(), count - job.count, valid_n);
  job.count = checked.ok() ? static_cast<std::size_t>(count)
                           : job.count + static_cast<std::size_t>(valid_n);
  NUMPACT_TRY(checked);
  return ahead;
}

// Stops at the end of the file, or inside a chunk once there are `max_n` numbers.
Status decode_chunks(FileWalker& walker, ParallelPart& parallel, const TrailerCheck& check,
                     const DecodeJob& job, std::size_t max_n, bool& is_end) {
  parallel.start(walker, job.type);
  is_end = false;
  while (true) {
    NUMPACT_TRY(decode_ahead(walker, parallel, check, job));
    const std::size_t chunks = walker.next_chunk();
    NUMPACT_TRY(check.before_chunk(chunks, walker.offset(), max_n - job.count));
    NUMPACT_TRY(walker.enter_chunk(is_end));
    if (is_end) return check.at_end(chunks, walker.offset(), job.count);
    NUMPACT_TRY(check_type(walker.head().type, job.type));
    if (walker.head().n > max_n - job.count) {
      NUMPACT_TRY(decode_until(walker, job, max_n));
      job.count = max_n;
      return {};
    }
    NUMPACT_TRY(decode_chunk(walker, job));
    parallel.passed_in_order(walker.head().n);
  }
}

Status no_index() { return Status(ErrorKind::kInvalidArgument, "there is no index to use"); }

// Reports the progress of a call that decodes in steps and may start again. Its figures never fall.
class SteadyProgress {
 public:
  SteadyProgress(const ProgressCallback& callback, std::uint64_t max_bytes)
      : callback_(callback), max_bytes_(max_bytes) {}

  // The config with a callback that refers to this object. It is made without a copy of the
  // caller's callback, which may allocate.
  DecodeConfig config_of(const DecodeConfig& requested) {
    DecodeConfig config;
    config.limits = requested.limits;
    config.trailer = requested.trailer;
    config.threads = requested.threads;
    config.executor = requested.executor;
    config.file_end = requested.file_end;
    if (callback_) config.progress = [this](const Progress& progress) { return report(progress); };
    return config;
  }

  // Later figures count from what was reported.
  void begin_step() { before_ = last_; }
  void begin_again() { before_ = {}; }
  // Whether the callback returned false, or threw.
  bool is_stopped() const { return is_stopped_; }

 private:
  bool report(const Progress& progress) {
    last_.numbers = std::max(last_.numbers, before_.numbers + progress.numbers);
    last_.bytes = std::max(last_.bytes, std::min(max_bytes_, before_.bytes + progress.bytes));
    is_stopped_ = true;
    is_stopped_ = !callback_(last_);
    return !is_stopped_;
  }

  const ProgressCallback& callback_;
  std::uint64_t max_bytes_;
  Progress before_;  // of the steps before
  Progress last_;
  bool is_stopped_ = false;
};

// Decodes by the chunk positions and restart points of the trailer on several threads, which also
// splits chunks. Sets `count` if that succeeds. Fails with kCancelled if the caller stops it. After
// other errors decode in order instead, which also reports them. Chunks are compared with the
// trailer as they are read.
Status decode_by_index(std::span<const std::byte> file, NumberType type, Output& output,
                       std::size_t& count, std::size_t max_n, const DecodeConfig& config,
                       SteadyProgress& progress, DecodeContext* context) noexcept {
  return guarded([&]() -> Status {
    TrailerCheck check;
    NUMPACT_TRY(check.start(file, config.trailer));
    if (!check.has_trailer()) return no_index();
    const trailer::Front& front = check.view().front;
    const std::uint64_t trusted_n =
        output.is_growing() ? file.size() * kMaxTrustedNumbersPerByte : output.max_n();
    if (front.type != type || front.number_n < kMinParallelN || front.number_n > max_n ||
        front.number_n > trusted_n) {
      return no_index();
    }
    const auto end = static_cast<std::size_t>(check.view().file_bytes) - 1;
    if (file[end] != std::byte{wire::kTerminator}) return no_index();
    std::shared_ptr<const ChunkIndex::Table> table;
    NUMPACT_TRY(index_of(check.view(), table));
    Result<FileReader> reader =
        FileReader::create(file, detail::ChunkIndexAccess::index_of(std::move(table)));
    NUMPACT_TRY(reader.status());
    NUMPACT_TRY(check_limits(config.limits, front.number_n, type));
    const auto n = static_cast<std::size_t>(front.number_n);
    output.expect(n);
    std::size_t done = 0;
    while (done < n) {
      const std::size_t step =
          output.is_growing() ? std::min(n - done, std::max(done, kFirstStepN)) : n;
      void* data = nullptr;
      NUMPACT_TRY(output.reserve(done + step, data));
      progress.begin_step();
      std::byte* const at = static_cast<std::byte*>(data) + done * size_of(type);
      NUMPACT_TRY(reader->read(done, {type, at, step}, config, context));
      done += step;
    }
    count = n;
    note_end(config, file, check.view().file_bytes);
    return {};
  });
}

// The count of numbers of a file, for the error of a too small output; 0: unknown. Taken from the
// trailer or from a walk, which is limited so that a few bytes that claim many numbers cannot make
// it long.
std::uint64_t likely_count(std::span<const std::byte> file, const DecodeConfig& config,
                           DecodeContext* context) noexcept {
  std::optional<trailer::View> view;
  if (find_trailer(file, config.trailer, view).ok() && view) return view->front.number_n;
  DecodeConfig silent;
  silent.limits = config.limits;
  silent.limits.max_numbers = std::min<std::uint64_t>(
      config.limits.max_numbers,
      std::max<std::uint64_t>(kMinParallelN, file.size() * kMaxTrustedNumbersPerByte));
  silent.threads = config.threads;
  silent.executor = config.executor;
  const Result<std::uint64_t> count = count_numbers(file, silent, context);
  return count.ok() ? *count : 0;
}

// Decodes at most `max_n` numbers; `is_end`: the file has no more.
Status decode(std::span<const std::byte> file, NumberType type, Output& output, std::size_t& count,
              std::size_t max_n, bool& is_end, const DecodeConfig& requested,
              DecodeContext* context) noexcept {
  count = 0;
  is_end = false;
  SteadyProgress progress(requested.progress, file.size());
  const DecodeConfig config = progress.config_of(requested);
  if (WorkerPool::are_requested(config)) {
    const Status status =
        decode_by_index(file, type, output, count, max_n, config, progress, context);
    is_end = status.ok();
    if (is_end || progress.is_stopped()) return status;
    progress.begin_again();
  }
  return guarded([&]() -> Status {
    ScratchArena arena(context, config.limits.max_memory);
    NUMPACT_TRY(arena.status());
    ParallelPart parallel(file, config, context, *arena);
    FileWalker walker(file, *arena);
    NUMPACT_TRY(read_typed_header(walker, type));
    TrailerCheck check;
    NUMPACT_TRY(check.start(file, config.trailer));
    output.expect(expected_count(file, walker.header().n_hint, config.limits, type));
    NUMPACT_TRY(
        decode_chunks(walker, parallel, check, {type, config, output, count}, max_n, is_end));
    if (is_end) note_end(config, file, walker.offset());
    return {};
  });
}

Status decode_into(std::span<const std::byte> file, const MutableNumberView& out,
                   std::size_t& count, std::size_t max_n, bool& is_end, const DecodeConfig& config,
                   DecodeContext* context) noexcept {
  NUMPACT_TRY(check_view(out));
  FixedOutput output(out);
  return decode(file, out.type, output, count, max_n, is_end, config, context);
}

}  // namespace

FileHeader to_public(const standalone::Header& header, std::uint64_t size_bytes) {
  FileHeader out;
  out.standalone_version = header.standalone_version;
  out.format_major = header.format.major;
  out.format_minor = header.format.minor;
  out.uniform_type = header.uniform_type;
  out.n_hint = header.n_hint;
  out.size_bytes = size_bytes;
  out.number_type = header.uniform_type;
  return out;
}

Result<FileHeader> read_header(std::span<const std::byte> file) noexcept {
  NUMPACT_TRY(check_bytes(file));
  BitReader reader(file);
  standalone::Header parsed;
  NUMPACT_TRY(standalone::parse_header(reader, parsed));
  FileHeader header = to_public(parsed, reader.byte_position());
  const std::uint8_t next = static_cast<std::uint8_t>(reader.read(8));
  if (!reader.overrun() && !header.number_type && is_number_type(next)) {
    header.number_type = static_cast<NumberType>(next);
  }
  return header;
}

Result<std::size_t> decompress_into(std::span<const std::byte> file, const MutableNumberView& out,
                                    const DecodeConfig& config, DecodeContext* context) noexcept {
  std::size_t count = 0;
  bool is_end = false;
  const Status status =
      decode_into(file, out, count, SIZE_MAX, is_end, config, context).after_numbers(count);
  if (status.ok()) return count;
  if (status.kind() != ErrorKind::kOutputTooSmall) return status;
  const std::uint64_t all = likely_count(file, config, context);
  const bool is_known = all > out.count && all <= numbers_in(SIZE_MAX, out.type);
  return is_known ? status.needing(all * size_of(out.type)) : status;
}

Result<Front> decompress_front(std::span<const std::byte> file, const MutableNumberView& out,
                               const DecodeConfig& config, DecodeContext* context) noexcept {
  Front front;
  const Status status =
      decode_into(file, out, front.count, out.count, front.is_finished, config, context);
  if (!status.ok()) return status.after_numbers(front.count);
  return front;
}

namespace detail {

Status decompress_growing(std::span<const std::byte> file, NumberType type, GrowFunction grow,
                          void* owner, const DecodeConfig& config,
                          DecodeContext* context) noexcept {
  return guarded([&]() -> Status {
    NUMPACT_TRY(check_number_type(type));
    GrowingOutput output(grow, owner);
    std::size_t count = 0;
    bool is_end = false;
    const Status status = decode(file, type, output, count, SIZE_MAX, is_end, config, context);
    // Removes partially decoded numbers after an error, including out of memory.
    grow(owner, count, count);
    return status;
  });
}

}  // namespace detail

Result<NumberArray> decompress_any(std::span<const std::byte> file, const DecodeConfig& config,
                                   DecodeContext* context) noexcept {
  FileHeader header;
  NUMPACT_TRY(read_header(file).into(header));
  if (!header.number_type) {
    // Walk the rest so that a damaged file is reported as such.
    NUMPACT_TRY(count_numbers(file, {}, context).status());
    return Status(ErrorKind::kTypeMismatch, "the file is empty and does not name a number type");
  }
  const NumberType type = *header.number_type;
  return guarded_value<NumberArray>([&](NumberArray& out) {
    out = NumberArray(type);
    const auto grow = [](void* owner, std::size_t count, std::size_t expected) -> void* {
      NumberArray& array = *static_cast<NumberArray*>(owner);
      const std::uint64_t size = size_of(array.type());
      array.storage().reserve(to_size(expected * size));
      array.storage().resize(to_size(count * size));
      return array.storage().data();
    };
    return detail::decompress_growing(file, type, grow, &out, config, context);
  });
}

Result<std::uint64_t> count_numbers(std::span<const std::byte> file, const DecodeConfig& config,
                                    DecodeContext* context) noexcept {
  return guarded_value<std::uint64_t>([&](std::uint64_t& count) -> Status {
    ScratchArena arena(context, config.limits.max_memory);
    NUMPACT_TRY(arena.status());
    ParallelPart parallel(file, config, context, *arena);
    FileWalker walker(file, *arena);
    NUMPACT_TRY(walker.read_header());
    parallel.start(walker, std::nullopt);
    while (true) {
      NUMPACT_TRY(parallel.advance(walker, nullptr, count));
      bool is_end = false;
      NUMPACT_TRY(walker.enter_chunk(is_end));
      if (is_end) {
        note_end(config, file, walker.offset());
        return {};
      }
      const ChunkHead& head = walker.head();
      NUMPACT_TRY(
          check_limits(config.limits, count + head.n, head.type).at_chunk(walker.chunk_index()));
      std::array<PageVariableSizes, kVariables> sizes{};
      NUMPACT_TRY(walker.skip(sizes));
      NUMPACT_TRY(walker.leave_chunk());
      count += head.n;
      parallel.passed_in_order(head.n);
      NUMPACT_TRY(report_progress(config.progress, {count, walker.offset()}));
    }
  });
}

}  // namespace numpact
