// SPDX-License-Identifier: Apache-2.0
// Makes trailers for files that have none.
#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/file_end.hpp"
#include "api/trailer_use.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "numpact/trailer.hpp"
#include "pco/encode/choice.hpp"
#include "pco/limits.hpp"
#include "pco/standalone/file_walker.hpp"
#include "pco/trailer/summary.hpp"

namespace numpact {

namespace {

// Numbers decoded at a time.
constexpr std::size_t kDecodeStepN = std::size_t{1} << 14;

}  // namespace

Result<MadeTrailer> Trailer::make(std::span<const std::byte> file, const TrailerSpec& spec,
                                  const DecodeConfig& config, DecodeContext* context) noexcept {
  return guarded_value<MadeTrailer>([&](MadeTrailer& made) -> Status {
    EncodeConfig encode;
    encode.trailer = spec;
    NUMPACT_TRY(check_specs(NumberType::kU8, encode));
    const bool is_checked = config.trailer != TrailerPolicy::kIgnore;
    std::optional<trailer::View> own;
    if (is_checked) NUMPACT_TRY(find_own_trailer(file, own));
    TrailerCheck check;
    NUMPACT_TRY(check.start(file, config.trailer));
    ScratchArena arena(context, config.limits.max_memory);
    NUMPACT_TRY(arena.status());
    const std::span<std::byte> buffer =
        (*arena).make<std::byte>(kDecodeStepN * sizeof(std::uint64_t));
    standalone::FileWalker walker(file, *arena);
    NUMPACT_TRY(walker.read_header());
    trailer::Builder builder(file.first(walker.offset()), walker.header().format,
                             spec.restart_log());
    if (walker.header().uniform_type) builder.set_type(*walker.header().uniform_type);
    trailer::Summary summary;
    std::uint64_t count = 0;
    while (true) {
      bool is_end = false;
      const std::size_t chunks = walker.next_chunk();
      NUMPACT_TRY(check.before_chunk(chunks, walker.offset(), kMaxChunkN));
      NUMPACT_TRY(walker.enter_chunk(is_end));
      if (is_end) {
        NUMPACT_TRY(check.at_end(chunks, walker.offset(), count));
        break;
      }
      const standalone::ChunkHead head = walker.head();
      NUMPACT_TRY(
          check_limits(config.limits, count + head.n, head.type).at_chunk(walker.chunk_index()));
      NUMPACT_TRY(trailer::summarise(file, walker, spec.restart_log(), buffer, summary));
      NUMPACT_TRY(ensure_memory(builder.next_bytes() + 3 * summary.points.size()));
      builder.add(head.type, summary.record, summary.points);
      count += head.n;
      NUMPACT_TRY(report_progress(config.progress, {count, walker.offset()}));
    }
    if (is_checked && !own) {
      NUMPACT_TRY(check_end(end_of_file(file.subspan(walker.offset()), walker.offset())));
    }
    made.file_bytes = walker.offset();
    NUMPACT_TRY(ensure_memory(builder.next_bytes()));
    if (spec.is_requested()) made.bytes = builder.finish(made.file_bytes);
    return {};
  });
}

}  // namespace numpact
