// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "api/chunk_group.hpp"
#include "api/decode_checks.hpp"
#include "api/file_end.hpp"
#include "api/input_buffer.hpp"
#include "api/paging.hpp"
#include "api/worker_pool.hpp"
#include "base/byte_buffer.hpp"
#include "base/guard.hpp"
#include "base/in_use.hpp"
#include "base/internal.hpp"
#include "base/owned.hpp"
#include "base/try.hpp"
#include "numpact/stream.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/run_encoder.hpp"
#include "pco/limits.hpp"

namespace numpact {

namespace {

constexpr std::size_t kCopyStepN = std::size_t{1} << 16;  // decoded at a time

// Bytes of the summaries of a pending chunk.
constexpr std::size_t kSummariesBytes = sizeof(std::vector<trailer::Summary>);

// Keeps the bytes read from another source until they are dropped.
class KeptSource final : public ByteSource {
 public:
  explicit KeptSource(ByteSource& source) : source_(source) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    std::size_t got = 0;
    NUMPACT_TRY(source_.read(out).into(got));
    NUMPACT_TRY(check_read_size(got, out.size()));
    kept_.insert(kept_.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got));
    return got;
  }
  std::span<const std::byte> kept() const { return kept_; }
  void drop(std::size_t bytes) {
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(bytes));
  }

 private:
  ByteSource& source_;
  std::vector<std::byte> kept_;
};

}  // namespace

struct StreamWriter::Impl {
  Impl(ByteSink& byte_sink, NumberType number_type, EncodeConfig encode_config,
       std::uint64_t count_hint, std::pmr::memory_resource* own)
      : memory(own),
        sink(&byte_sink),
        type(number_type),
        config(std::move(encode_config)),
        n_hint(count_hint),
        arena(own),
        worker_pool(own),
        waiting(own),
        pending(own),
        places(own) {}

  // Size of the open chunk; 0 once exact sizes are used up.
  std::size_t open_chunk_n() const {
    if (const auto& exact = config.paging.exact_sizes()) {
      return chunks < exact->size() ? (*exact)[chunks] : 0;
    }
    // With a known count, the same sizes as chunk_sizes().
    if (config.paging.is_automatic() && n_hint > 0) {
      return automatic_share(n_hint, config.max_chunk_n(), chunks);
    }
    return std::min(config.max_chunk_n(), kMaxChunkN);
  }

  Status check_config() const {
    NUMPACT_TRY(check_specs(type, config));
    return check_chunk_sizes(config.paging);
  }

  Status begin() {
    if (begun) return {};
    NUMPACT_TRY(check_config());
    begun = true;
    if (continues) return {};
    standalone::Header header;
    header.format = FormatVersion::of(config.compatibility);
    header.n_hint = n_hint;
    if (config.uniform_type) header.uniform_type = type;
    std::byte bytes[standalone::kMaxHeaderBytes];
    BitWriter writer(bytes);
    standalone::write_header(writer, header);
    if (config.trailer.is_requested()) {
      trailer.emplace(std::span<const std::byte>(bytes, writer.size()), header.format,
                      config.trailer.restart_log());
      trailer->set_type(type);
    }
    return send({bytes, writer.size()});
  }

  Status send(std::span<const std::byte> bytes) {
    const std::uint64_t max_bytes = config.max_bytes.value_or(~std::uint64_t{0});
    if (bytes_written > max_bytes || bytes.size() > max_bytes - bytes_written) {
      return Status(ErrorKind::kOutputTooSmall, "the file takes more than max_bytes");
    }
    NUMPACT_TRY(sink->write(bytes));
    bytes_written += bytes.size();
    return {};
  }

  // The copied file's header is reused, so its format version applies.
  Status continue_file(const FileHeader& header) {
    if (begun) {
      return Status(ErrorKind::kInvalidArgument, "a file is copied before numbers are written");
    }
    if (header.number_type && *header.number_type != type) {
      return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
    }
    if (header.format_major < 4) {
      return Status(ErrorKind::kUnsupportedVersion,
                    "files of a format version before 4 cannot be appended to");
    }
    const Compatibility version =
        header.format_minor == 0 ? Compatibility::kV4_0 : Compatibility::kV4_1;
    if (config.compatibility < version) {
      return Status(ErrorKind::kInvalidArgument,
                    "the file's format version is newer than asked for");
    }
    config.compatibility = version;
    continues = true;
    return begin();
  }

  Status copy_file(ByteSource& file) {
    NUMPACT_TRY(check_config());
    if (config.trailer.is_requested()) {
      return Status(ErrorKind::kInvalidArgument, "a file that is copied gets no trailer");
    }
    KeptSource source(file);
    StreamReader reader(source);
    FileHeader header;
    NUMPACT_TRY(reader.header().into(header));
    NUMPACT_TRY(continue_file(header));
    std::vector<std::uint64_t> numbers(kCopyStepN * size_of(type) / sizeof(std::uint64_t));
    std::uint64_t sent = 0;
    for (std::size_t count = kCopyStepN; count == kCopyStepN;) {
      NUMPACT_TRY(reader.read({type, numbers.data(), kCopyStepN}).into(count));
      numbers_copied += count;
      // All but the last byte, which is the terminator at the end.
      const std::uint64_t copied = std::max<std::uint64_t>(reader.bytes_consumed(), 1) - 1;
      NUMPACT_TRY(send(source.kept().first(static_cast<std::size_t>(copied - sent))));
      source.drop(static_cast<std::size_t>(copied - sent));
      sent = copied;
    }
    TrailerState state = TrailerState::kNone;
    NUMPACT_TRY(reader.check_trailer().into(state));  // a damaged file is not extended
    return check_end(reader.file_end());
  }

  Status write(const NumberView& numbers) {
    if (finished) return Status(ErrorKind::kInvalidArgument, "the stream was finished before");
    NUMPACT_TRY(check_view(numbers));
    if (numbers.type != type) {
      return Status(ErrorKind::kTypeMismatch, "the stream holds numbers of another type");
    }
    NUMPACT_TRY(begin());
    const std::size_t size = size_of(type);
    NUMPACT_TRY(ensure_memory(buffered_bytes(numbers.count)));
    const auto* at = static_cast<const std::byte*>(numbers.data);
    const std::byte* kept = at;  // numbers before it are encoded or buffered
    const auto keep = [&] {
      waiting.append({kept, at});
      kept = at;
    };
    std::size_t left = numbers.count;
    while (left > 0) {
      const std::size_t chunk_n = open_chunk_n();
      if (chunk_n == 0) {
        NUMPACT_TRY(write_pending(kept));
        return Status(ErrorKind::kInvalidArgument, "more numbers than the exact page sizes hold");
      }
      const std::size_t n = std::min(left, chunk_n - open_n);
      at += n * size;
      left -= n;
      open_n += n;
      if (n < chunk_n) keep();
      if (open_n < chunk_n) break;
      close_chunk();
      if (!has_enough_pending(left)) continue;
      NUMPACT_TRY(write_pending(kept));
      kept = at;
    }
    keep();
    return {};
  }

  // Maximum bytes allocated to buffer `n` more numbers, whose chunks may all wait.
  std::uint64_t buffered_bytes(std::uint64_t n) const {
    const std::uint64_t chunk_n = std::max<std::size_t>(open_chunk_n(), 1);
    const std::uint64_t bytes = waiting.size() + std::min(n, chunk_n) * size_of(type);
    return 2 * bytes + 4 * (pending.size() + 2) * (sizeof(PendingChunk) + kSummariesBytes);
  }

  void close_chunk() {
    pending.push_back({NumberView(type, nullptr, open_n), {}});
    pending_n += open_n;
    open_n = 0;
    ++chunks;
  }

  // `left`: remaining numbers of the caller. The task group is created only here, so that a single
  // chunk needs none.
  bool has_enough_pending(std::size_t left) {
    if (!group) group = worker_pool.group(config);
    // Chunks in the caller's memory need no buffer, so more of them are grouped.
    const bool is_given = waiting.empty() && left > 0 && left >= open_chunk_n();
    return enough_for_tasks(*group, is_given ? kChunksPerTaskGiven : kChunksPerTaskBuffered,
                            pending.size(), pending_n);
  }

  // Writes all chunks, including the open one.
  Status write_waiting() {
    bool is_short = false;
    if (open_n > 0) {
      is_short = config.paging.exact_sizes() && open_n != open_chunk_n();
      if (!is_short) close_chunk();
    }
    NUMPACT_TRY(write_pending(nullptr));
    if (is_short) {
      return Status(ErrorKind::kInvalidArgument, "a chunk has fewer numbers than its exact size");
    }
    return {};
  }

  // Writes the closed chunks: the buffered ones, then those in the caller's memory at `given`.
  Status write_pending(const std::byte* given) {
    NUMPACT_TRY(assign_places(given));
    Arena* const own = &arena;
    const bool is_alone = !group || group->executor == nullptr;
    const standalone::TaskGroup all =
        is_alone ? standalone::TaskGroup{nullptr, {&own, 1}, {}} : *group;
    for (Arena* const of_task : all.arenas) of_task->reset();
    if (trailer) {
      if (summaries.size() < pending.size()) summaries.resize(pending.size());
      for (std::size_t i = 0; i < pending.size(); ++i) pending[i].summaries = &summaries[i];
    }
    encode_chunks(pending, config, all);
    for (const PendingChunk& chunk : pending) NUMPACT_TRY(send_chunk(chunk));
    waiting.clear();
    pending.clear();
    pending_n = 0;
    return {};
  }

  Status assign_places(const std::byte* given) {
    std::size_t bound_sum = 0;
    for (const PendingChunk& chunk : pending) bound_sum += chunk_bound(type, chunk.numbers.count);
    places.reset();
    NUMPACT_TRY(places.ensure<std::byte>(bound_sum));
    std::span<std::byte> left = places.make<std::byte>(bound_sum);  // untouched pages cost nothing
    std::size_t waiting_at = 0;
    for (PendingChunk& chunk : pending) {
      const std::size_t bytes = chunk.numbers.count * size_of(type);
      const bool waits = waiting_at < waiting.size();
      chunk.numbers.data = waits ? waiting.data() + waiting_at : given;
      if (waits) {
        waiting_at += bytes;
      } else {
        given += bytes;
      }
      const std::size_t bound = chunk_bound(type, chunk.numbers.count);
      chunk.place = left.first(bound);
      left = left.subspan(bound);
    }
    return {};
  }

  Status send_chunk(const PendingChunk& chunk) {
    NUMPACT_TRY(chunk.status);
    numbers_written += chunk.numbers.count;
    if (trailer) {
      NUMPACT_TRY(ensure_memory(trailer->next_bytes() + bytes_in_trailer(chunk)));
      add_run(*trailer, chunk, bytes_written);
    }
    NUMPACT_TRY(send({chunk.place.data(), chunk.size}));
    return report_progress(config.progress, {numbers_written, bytes_written});
  }

  Status finish() {
    if (finished) return {};
    NUMPACT_TRY(begin());
    NUMPACT_TRY(write_waiting());
    if (const auto& exact = config.paging.exact_sizes()) {
      if (chunks != exact->size()) {
        return Status(ErrorKind::kInvalidArgument, "fewer numbers than the exact page sizes hold");
      }
    }
    const std::byte terminator{wire::kTerminator};
    NUMPACT_TRY(send({&terminator, 1}));
    finished = true;
    if (!trailer) return {};
    NUMPACT_TRY(ensure_memory(trailer->next_bytes()));
    const std::vector<std::byte> bytes = trailer->finish(bytes_written);
    trailer_bytes = bytes.size();
    return send(bytes);
  }

  std::pmr::memory_resource* memory;
  ByteSink* sink;
  NumberType type;
  EncodeConfig config;
  std::uint64_t n_hint;
  Arena arena;
  WorkerPool worker_pool;
  std::optional<standalone::TaskGroup> group;  // none: not created yet
  ByteBuffer waiting;  // buffered numbers of closed chunks, then of the open one
  std::pmr::vector<PendingChunk>
      pending;                // closed chunks; their numbers may be in the caller's memory
  std::size_t pending_n = 0;  // numbers in these
  std::size_t open_n = 0;     // numbers in the open chunk
  Arena places;               // encoded bytes of pending chunks
  bool begun = false;         // the config is checked and the header written
  bool continues = false;     // the header is that of a copied file
  bool finished = false;
  std::size_t chunks = 0;            // closed chunks
  std::uint64_t numbers_copied = 0;  // of the copied file
  std::uint64_t numbers_written = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t trailer_bytes = 0;
  std::optional<trailer::Builder> trailer;
  std::vector<std::vector<trailer::Summary>> summaries;  // of the pending chunks
  Status failure;
  bool is_in_use = false;
};

namespace {

// Runs f unless an earlier call failed; remembers errors. Numbers of the wrong type have no effect.
template <class Impl, class F>
Status run(Impl* impl, F&& f) noexcept {
  if (impl == nullptr) return moved_from();
  const InUse use(impl->is_in_use);
  if (use.is_refused()) return in_use();
  if (!impl->failure.ok()) return impl->failure;
  const Status status = guarded(std::forward<F>(f));
  if (status.kind() != ErrorKind::kTypeMismatch) impl->failure = status;
  return status;
}

}  // namespace

StreamWriter::StreamWriter(ByteSink& sink, NumberType type, EncodeConfig config,
                           std::uint64_t n_hint, std::pmr::memory_resource* memory)
    : impl_(make_owned<Impl>(memory, sink, type, std::move(config), n_hint)) {}

Status StreamWriter::write(const NumberView& numbers) noexcept {
  return run(impl_.get(), [&] { return impl_->write(numbers); });
}

Status StreamWriter::end_chunk() noexcept {
  return run(impl_.get(), [&] { return impl_->write_waiting(); });
}

Status StreamWriter::finish() noexcept {
  return run(impl_.get(), [&] { return impl_->finish(); });
}

std::uint64_t StreamWriter::numbers_written() const noexcept {
  return impl_ != nullptr ? impl_->numbers_copied + impl_->numbers_written : 0;
}

std::uint64_t StreamWriter::bytes_written() const noexcept {
  return impl_ != nullptr ? impl_->bytes_written : 0;
}

std::uint64_t StreamWriter::trailer_bytes() const noexcept {
  return impl_ != nullptr ? impl_->trailer_bytes : 0;
}

Status StreamWriter::copy_file(ByteSource& file) noexcept {
  if (impl_ == nullptr) return moved_from();
  const InUse use(impl_->is_in_use);
  if (use.is_refused()) return in_use();
  if (impl_->failure.ok()) impl_->failure = guarded([&] { return impl_->copy_file(file); });
  return impl_->failure;
}

}  // namespace numpact
