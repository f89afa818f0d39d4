// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "api/decode_checks.hpp"
#include "api/guard.hpp"
#include "api/paging.hpp"
#include "base/try.hpp"
#include "numpact/stream.hpp"
#include "pco/choose/choice.hpp"
#include "pco/limits.hpp"
#include "pco/standalone/chunk_writer.hpp"

namespace numpact {

struct StreamWriter::Impl {
  Impl(ByteSink& byte_sink, NumberType number_type, EncodeConfig encode_config,
       std::uint64_t count_hint, std::pmr::memory_resource* memory)
      : sink(&byte_sink),
        type(number_type),
        config(std::move(encode_config)),
        n_hint(count_hint),
        arena(memory),
        waiting(memory),
        out(memory) {}

  // Size of the next chunk; 0 once exact sizes are used up.
  std::size_t next_chunk_n() const {
    if (const auto& exact = config.paging.exact_sizes()) {
      return chunks < exact->size() ? (*exact)[chunks] : 0;
    }
    return std::min(config.paging.max_page_n(), kMaxChunkN);
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
    header.n_hint = n_hint;
    if (config.uniform_type) header.uniform_type = type;
    std::byte bytes[standalone::kMaxHeaderBytes];
    BitWriter writer(bytes);
    standalone::write_header(writer, header);
    return send({bytes, writer.size()});
  }

  Status send(std::span<const std::byte> bytes) {
    NUMPACT_TRY(sink->write(bytes));
    bytes_written += bytes.size();
    return {};
  }

  Status write(const NumberView& numbers) {
    if (finished) return Status(ErrorKind::kInvalidArgument, "the stream was finished before");
    if (numbers.type != type) {
      return Status(ErrorKind::kTypeMismatch, "the stream holds numbers of another type");
    }
    NUMPACT_TRY(begin());
    const std::size_t size = size_of(type);
    const auto* at = static_cast<const std::byte*>(numbers.data);
    std::size_t left = numbers.count;
    while (left > 0) {
      const std::size_t chunk_n = next_chunk_n();
      if (chunk_n == 0) {
        return Status(ErrorKind::kInvalidArgument, "more numbers than the exact page sizes hold");
      }
      const std::size_t waiting_n = waiting.size() / size;
      const std::size_t n = std::min(left, chunk_n - waiting_n);
      if (waiting_n == 0 && n == chunk_n) {
        NUMPACT_TRY(write_chunk(NumberView(type, at, n)));
      } else {
        waiting.insert(waiting.end(), at, at + n * size);
        if (waiting_n + n == chunk_n) NUMPACT_TRY(write_waiting());
      }
      at += n * size;
      left -= n;
    }
    return {};
  }

  Status write_waiting() {
    const std::size_t n = waiting.size() / size_of(type);
    if (n == 0) return {};
    if (config.paging.exact_sizes() && n != next_chunk_n()) {
      return Status(ErrorKind::kInvalidArgument, "a chunk has fewer numbers than its exact size");
    }
    NUMPACT_TRY(write_chunk(NumberView(type, waiting.data(), n)));
    waiting.clear();
    return {};
  }

  Status write_chunk(const NumberView& numbers) {
    arena.reset();
    out.resize(standalone::chunk_overhead_bound(type) + numbers.count * size_of(type));
    BitWriter writer(out);
    standalone::write_chunk(numbers, config, arena, writer);
    NUMPACT_TRY(writer.status());
    ++chunks;
    numbers_written += numbers.count;
    NUMPACT_TRY(send({out.data(), writer.size()}));
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
    return {};
  }

  ByteSink* sink;
  NumberType type;
  EncodeConfig config;
  std::uint64_t n_hint;
  Arena arena;
  std::pmr::vector<std::byte> waiting;  // numbers of a chunk that is not full
  std::pmr::vector<std::byte> out;
  bool begun = false;      // the config is checked and the header written
  bool continues = false;  // the header was there before
  bool finished = false;
  std::size_t chunks = 0;
  std::uint64_t numbers_written = 0;
  std::uint64_t bytes_written = 0;
  Status failure;
};

namespace {

// Runs f unless an earlier call failed; remembers failure. Giving the wrong type changes nothing.
template <class Impl, class F>
Status run(Impl& impl, F&& f) noexcept {
  if (!impl.failure.ok()) return impl.failure;
  const Status status = guarded(std::forward<F>(f));
  if (status.kind() != ErrorKind::kTypeMismatch) impl.failure = status;
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
  return run(*impl_, [&] { return impl_->write(numbers); });
}

Status StreamWriter::try_end_chunk() noexcept {
  return run(*impl_, [&] { return impl_->write_waiting(); });
}

Status StreamWriter::try_finish() noexcept {
  return run(*impl_, [&] { return impl_->finish(); });
}

std::uint64_t StreamWriter::bytes_written() const noexcept { return impl_->bytes_written; }

void StreamWriter::continue_file() noexcept { impl_->continues = true; }

}  // namespace numpact
