// SPDX-License-Identifier: Apache-2.0
// One-shot encoding: each page of the paging becomes a chunk of its own.
#include <algorithm>

#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/guard.hpp"
#include "api/paging.hpp"
#include "base/try.hpp"
#include "numpact/pco.hpp"
#include "pco/choose/choice.hpp"
#include "pco/standalone/chunk_writer.hpp"

namespace numpact {
namespace {

std::size_t saturating_add(std::size_t a, std::size_t b) {
  return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

std::size_t saturating_mul(std::size_t a, std::size_t b) {
  return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

Status encode_file(const NumberView& numbers, std::span<std::byte> out, std::size_t& written,
                   const EncodeConfig& config, Arena& arena) {
  NUMPACT_TRY(check_specs(numbers.type, config));
  std::span<const std::size_t> sizes;
  NUMPACT_TRY(page_sizes(config.paging, numbers.count, kMaxChunkN, arena, sizes));
  BitWriter writer(out);
  standalone::Header header;
  header.n_hint = numbers.count;
  if (config.uniform_type) header.uniform_type = numbers.type;
  standalone::write_header(writer, header);
  std::size_t done = 0;
  for (const std::size_t n : sizes) {
    const auto* const data = static_cast<const std::byte*>(numbers.data);
    const NumberView part(numbers.type, data + done * size_of(numbers.type), n);
    standalone::write_chunk(part, config, arena, writer);
    NUMPACT_TRY(writer.status());
    done += n;
    NUMPACT_TRY(report_progress(config.progress, {done, writer.size()}));
  }
  standalone::write_terminator(writer);
  writer.finish_byte();
  written = writer.size();
  return writer.status();
}

}  // namespace

std::size_t compress_bound(NumberType type, std::size_t count,
                           const EncodeConfig& config) noexcept {
  const std::size_t chunks = page_count_bound(config.paging, count);
  const std::size_t per_chunk = standalone::chunk_overhead_bound(type);
  std::size_t bound = standalone::kMaxHeaderBytes + 1;
  bound = saturating_add(bound, saturating_mul(chunks, per_chunk));
  return saturating_add(bound, saturating_mul(count, size_of(type)));
}

Status try_compress_into(const NumberView& numbers, std::span<std::byte> out, std::size_t& written,
                         const EncodeConfig& config, EncodeContext* context) noexcept {
  written = 0;
  return guarded([&] {
    ScratchArena arena(context);
    return encode_file(numbers, out, written, config, *arena);
  });
}

Status try_compress(const NumberView& numbers, std::vector<std::byte>& out,
                    const EncodeConfig& config, EncodeContext* context) noexcept {
  return guarded([&]() -> Status {
    out.resize(compress_bound(numbers.type, numbers.count, config));
    std::size_t written = 0;
    const Status status = try_compress_into(numbers, out, written, config, context);
    out.resize(written);
    return status;
  });
}

}  // namespace numpact
