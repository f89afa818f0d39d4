// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "api/chunk_wave.hpp"
#include "api/decode_checks.hpp"
#include "api/input_buffer.hpp"
#include "api/paging.hpp"
#include "api/trailer_use.hpp"
#include "api/workers.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "numpact/stream.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/run_encoder.hpp"
#include "pco/limits.hpp"

namespace numpact {

namespace {

constexpr std::size_t kCopiedNumbers = std::size_t{1} << 16;  // decoded at a time

// Of what follows the file that is copied, read at a time; no more is kept.
constexpr std::size_t kRestPieceBytes = std::size_t{1} << 14;

// Keeps what was read of another source until it is dropped.
class KeptSource final : public ByteSource {
 public:
  explicit KeptSource(ByteSource& source) : source_(source) {}

  Status read(std::span<std::byte> out, std::size_t& got) override {
    NUMPACT_TRY(source_.read(out, got));
    NUMPACT_TRY(check_given(got, out.size()));
    kept_.insert(kept_.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got));
    return {};
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
       std::uint64_t count_hint, std::pmr::memory_resource* memory)
      : sink(&byte_sink),
        type(number_type),
        config(std::move(encode_config)),
        n_hint(count_hint),
        arena(memory),
        workers(memory),
        waiting(memory),
        wave(memory),
        places(memory) {}

  // Size of the open chunk; 0 once exact sizes are used up.
  std::size_t open_chunk_n() const {
    if (const auto& exact = config.paging.exact_sizes()) {
      return chunks < exact->size() ? (*exact)[chunks] : 0;
    }
    // As chunk_sizes() would have it, where the count is known.
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
    if (config.trailer.is_wanted()) {
      trailer.emplace(std::span<const std::byte>(bytes, writer.size()), header.format,
                      config.trailer.restart_log());
      trailer->set_type(type);
    }
    return send({bytes, writer.size()});
  }

  Status send(std::span<const std::byte> bytes) {
    NUMPACT_TRY(sink->write(bytes));
    bytes_written += bytes.size();
    return {};
  }

  // The header of the file to come is that of another, whose version holds.
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
    if (config.trailer.is_wanted()) {
      return Status(ErrorKind::kInvalidArgument, "a file that is copied gets no trailer");
    }
    KeptSource source(file);
    StreamReader reader(source);
    FileHeader header;
    NUMPACT_TRY(reader.try_header(header));
    NUMPACT_TRY(continue_file(header));
    std::vector<std::uint64_t> numbers(kCopiedNumbers * size_of(type) / sizeof(std::uint64_t));
    std::uint64_t sent = 0;
    for (std::size_t count = kCopiedNumbers; count == kCopiedNumbers;) {
      NUMPACT_TRY(reader.try_read(MutableNumberView(type, numbers.data(), kCopiedNumbers), count));
      numbers_copied += count;
      // All but the last byte, which at the end is the terminator.
      const std::uint64_t sound = std::max<std::uint64_t>(reader.bytes_consumed(), 1) - 1;
      NUMPACT_TRY(send(source.kept().first(static_cast<std::size_t>(sound - sent))));
      source.drop(static_cast<std::size_t>(sound - sent));
      sent = sound;
    }
    TrailerState state = TrailerState::kNone;
    NUMPACT_TRY(reader.try_check_trailer(state));  // a damaged file is not continued
    const std::uint64_t end = reader.bytes_consumed();
    if (state == TrailerState::kDamaged) return damaged_trailer(ErrorKind::kCorrupt, end);
    if (state != TrailerState::kUnrecognised) return {};
    return check_rest(file, source.kept().subspan(static_cast<std::size_t>(end - sent)), end);
  }

  // That what follows the file is no trailer either that has lost its beginning or its end. `begin`
  // was read already; the rest is read to its end.
  static Status check_rest(ByteSource& file, std::span<const std::byte> begin,
                           std::uint64_t offset) {
    std::vector<std::byte> end(begin.begin(), begin.end());
    while (true) {
      const std::size_t kept = std::min(end.size(), trailer::kFooterBytes);
      end.erase(end.begin(), end.end() - static_cast<std::ptrdiff_t>(kept));
      end.resize(kept + kRestPieceBytes);
      std::size_t got = 0;
      NUMPACT_TRY(file.read(std::span(end).subspan(kept), got));
      NUMPACT_TRY(check_given(got, kRestPieceBytes));
      end.resize(kept + got);
      if (got == 0) return refuse_damaged_rest(begin, end, offset);
    }
  }

  Status write(const NumberView& numbers) {
    if (finished) return Status(ErrorKind::kInvalidArgument, "the stream was finished before");
    NUMPACT_TRY(check_view(numbers));
    if (numbers.type != type) {
      return Status(ErrorKind::kTypeMismatch, "the stream holds numbers of another type");
    }
    NUMPACT_TRY(begin());
    const std::size_t size = size_of(type);
    const auto* at = static_cast<const std::byte*>(numbers.data);
    const std::byte* kept = at;  // up to here the numbers are encoded or wait
    const auto keep = [&] {
      waiting.insert(waiting.end(), kept, at);
      kept = at;
    };
    std::size_t left = numbers.count;
    while (left > 0) {
      const std::size_t chunk_n = open_chunk_n();
      if (chunk_n == 0) {
        NUMPACT_TRY(write_wave(kept));
        return Status(ErrorKind::kInvalidArgument, "more numbers than the exact page sizes hold");
      }
      const std::size_t n = std::min(left, chunk_n - open_n);
      at += n * size;
      left -= n;
      open_n += n;
      if (n < chunk_n) keep();
      if (open_n < chunk_n) break;
      close_chunk();
      if (!wave_is_full(left)) continue;
      NUMPACT_TRY(write_wave(kept));
      kept = at;
    }
    keep();
    return {};
  }

  void close_chunk() {
    wave.push_back({NumberView(type, nullptr, open_n), {}});
    wave_n += open_n;
    open_n = 0;
    ++chunks;
  }

  // With `left` numbers of the caller's to come. Asks who works only now, so that for a single
  // chunk nothing is made ready.
  bool wave_is_full(std::size_t left) {
    if (!crew) crew = workers.crew(config);
    // Chunks that need not be kept cost little memory.
    const bool is_given = waiting.empty() && left > 0 && left >= open_chunk_n();
    return is_full_wave(*crew, is_given ? kLongWave : kShortWave, wave.size(), wave_n);
  }

  // Writes all chunks, the open one as it is.
  Status write_waiting() {
    bool is_short = false;
    if (open_n > 0) {
      is_short = config.paging.exact_sizes() && open_n != open_chunk_n();
      if (!is_short) close_chunk();
    }
    NUMPACT_TRY(write_wave(nullptr));
    if (is_short) {
      return Status(ErrorKind::kInvalidArgument, "a chunk has fewer numbers than its exact size");
    }
    return {};
  }

  // Writes the closed chunks: those that wait, then those in the caller's memory, from `given` on.
  Status write_wave(const std::byte* given) {
    place_wave(given);
    Arena* const own = &arena;
    const bool is_alone = !crew || crew->executor == nullptr;
    const standalone::Crew all = is_alone ? standalone::Crew{nullptr, {&own, 1}, {}} : *crew;
    for (Arena* const of_task : all.arenas) of_task->reset();
    if (trailer) {
      if (summaries.size() < wave.size()) summaries.resize(wave.size());
      for (std::size_t i = 0; i < wave.size(); ++i) wave[i].summaries = &summaries[i];
    }
    encode_wave(wave, config, all);
    for (const WaveChunk& chunk : wave) NUMPACT_TRY(send_chunk(chunk));
    waiting.clear();
    wave.clear();
    wave_n = 0;
    return {};
  }

  void place_wave(const std::byte* given) {
    std::size_t room = 0;
    for (const WaveChunk& chunk : wave) room += chunk_bound(type, chunk.numbers.count);
    places.reset();
    std::span<std::byte> left = places.make<std::byte>(room);  // pages not written to cost nothing
    std::size_t waiting_at = 0;
    for (WaveChunk& chunk : wave) {
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
  }

  Status send_chunk(const WaveChunk& chunk) {
    NUMPACT_TRY(chunk.status);
    numbers_written += chunk.numbers.count;
    if (trailer) add_run(*trailer, chunk, bytes_written);
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
    const std::vector<std::byte> bytes = trailer->finish(bytes_written);
    trailer_bytes = bytes.size();
    return send(bytes);
  }

  ByteSink* sink;
  NumberType type;
  EncodeConfig config;
  std::uint64_t n_hint;
  Arena arena;
  Workers workers;
  std::optional<standalone::Crew> crew;  // none: not asked for yet
  std::pmr::vector<std::byte> waiting;   // numbers of closed chunks, then of the open one
  std::pmr::vector<WaveChunk> wave;      // the closed chunks; their numbers may not wait
  std::size_t wave_n = 0;                // numbers of them
  std::size_t open_n = 0;                // numbers of the open one
  Arena places;                          // of the wave's chunks
  bool begun = false;                    // the config is checked and the header written
  bool continues = false;                // the header was there before
  bool finished = false;
  std::size_t chunks = 0;            // closed
  std::uint64_t numbers_copied = 0;  // of the file that is continued
  std::uint64_t numbers_written = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t trailer_bytes = 0;
  std::optional<trailer::Builder> trailer;
  std::vector<std::vector<trailer::Summary>> summaries;  // of a wave
  Status failure;
};

namespace {

// Runs f unless an earlier call failed; remembers failure. Giving the wrong type changes nothing.
template <class Impl, class F>
Status run(Impl* impl, F&& f) noexcept {
  if (impl == nullptr) return moved_from();
  if (!impl->failure.ok()) return impl->failure;
  const Status status = guarded(std::forward<F>(f));
  if (status.kind() != ErrorKind::kTypeMismatch) impl->failure = status;
  return status;
}

}  // namespace

StreamWriter::StreamWriter(ByteSink& sink, NumberType type, EncodeConfig config,
                           std::uint64_t n_hint, std::pmr::memory_resource* memory)
    : impl_(std::make_unique<Impl>(sink, type, std::move(config), n_hint, memory)) {}
StreamWriter::~StreamWriter() = default;
StreamWriter::StreamWriter(StreamWriter&&) noexcept = default;
StreamWriter& StreamWriter::operator=(StreamWriter&&) noexcept = default;

Status StreamWriter::try_write(const NumberView& numbers) noexcept {
  return run(impl_.get(), [&] { return impl_->write(numbers); });
}

Status StreamWriter::try_end_chunk() noexcept {
  return run(impl_.get(), [&] { return impl_->write_waiting(); });
}

Status StreamWriter::try_finish() noexcept {
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

Status StreamWriter::try_copy_file(ByteSource& file) noexcept {
  if (impl_ == nullptr) return moved_from();
  if (impl_->failure.ok()) impl_->failure = guarded([&] { return impl_->copy_file(file); });
  return impl_->failure;
}

}  // namespace numpact
