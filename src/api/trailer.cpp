// SPDX-License-Identifier: Apache-2.0
#include "numpact/trailer.hpp"
#include <new>

#include "api/chunk_table.hpp"
#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/trailer_use.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "number/ordered.hpp"
#include "pco/encode/choice.hpp"
#include "pco/standalone/file_walker.hpp"
#include "pco/trailer/summary.hpp"

namespace numpact {

struct Trailer::Table {
  std::uint64_t file_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint32_t header_crc = 0;
  std::vector<std::byte> records;  // as stored in the trailer
  std::shared_ptr<const ChunkIndex::Table> index;
  LazyList<ChunkSummary> list;
};

namespace {

// Numbers decoded at a time.
constexpr std::size_t kDecodeStepN = std::size_t{1} << 14;

std::vector<ChunkSummary> summaries_of(const Trailer::Table& table) {
  trailer::View view;
  view.records = table.records;
  view.front.chunk_n = table.index->chunks.size();
  view.file_bytes = table.file_bytes;
  std::vector<ChunkSummary> summaries(table.index->chunks.size());
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const trailer::ChunkRecord record = view.record(i);
    ChunkSummary& summary = summaries[i];
    summary.place = {record.offset, record.offset + record.page_at, first, record.n};
    summary.bytes = view.end_of(i) - record.offset;
    summary.crc = record.crc;
    summary.nan_count = record.nan_n;
    summary.min_latent = record.min_latent;
    summary.max_latent = record.max_latent;
    summary.restart_points = table.index->points.empty() ? 0 : table.index->points[i].count();
    first += record.n;
  }
  return summaries;
}

}  // namespace

std::uint64_t to_ordered_latent(NumberType type, std::uint64_t bits) noexcept {
  return visit_latent(latent_bits(type), [&](auto width) -> std::uint64_t {
    return to_ordered(static_cast<decltype(width)>(bits), kind_of(type));
  });
}

std::uint64_t from_ordered_latent(NumberType type, std::uint64_t latent) noexcept {
  return visit_latent(latent_bits(type), [&](auto width) -> std::uint64_t {
    return from_ordered(static_cast<decltype(width)>(latent), kind_of(type));
  });
}

Result<std::optional<Trailer>> Trailer::read(std::span<const std::byte> file) noexcept {
  TrailerTail tail;
  NUMPACT_TRY(read_tail(file, 0).into(tail));
  return std::move(tail.trailer);
}

Result<TrailerTail> Trailer::read_tail(std::span<const std::byte> tail,
                                       std::uint64_t before) noexcept {
  if (!trailer::ends_with_trailer(tail)) return TrailerTail();
  trailer::View view;
  const Status parsed = trailer::parse({tail, before}, view);
  if (parsed.kind() == ErrorKind::kOutputTooSmall) {
    return TrailerTail{std::nullopt, before - view.file_bytes};
  }
  NUMPACT_TRY(parsed);
  return guarded_value<TrailerTail>([&](TrailerTail& found) -> Status {
    auto table = std::make_shared<Table>();
    table->file_bytes = view.file_bytes;
    table->bytes = view.bytes;
    table->header_crc = view.front.header_crc;
    NUMPACT_TRY(index_of(view, table->index));
    table->records.assign(view.records.begin(), view.records.end());
    found.trailer.emplace().table_ = std::move(table);
    return {};
  });
}

Result<MadeTrailer> Trailer::make(std::span<const std::byte> file, const TrailerSpec& spec,
                                  const DecodeConfig& config, DecodeContext* context) noexcept {
  return guarded_value<MadeTrailer>([&](MadeTrailer& made) -> Status {
    EncodeConfig encode;
    encode.trailer = spec;
    NUMPACT_TRY(check_specs(NumberType::kU8, encode));
    const bool is_checked = config.trailer != TrailerPolicy::kIgnore;
    if (is_checked) NUMPACT_TRY(refuse_damaged_trailer(file));
    TrailerCheck check;
    NUMPACT_TRY(check.start(file, config.trailer));
    ScratchArena arena(context, config.limits.max_memory);
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
      builder.add(head.type, summary.record, summary.points);
      count += head.n;
      NUMPACT_TRY(report_progress(config.progress, {count, walker.offset()}));
    }
    const std::span<const std::byte> rest = file.subspan(walker.offset());
    if (is_checked && !check.has_trailer()) {
      NUMPACT_TRY(refuse_damaged_rest(rest, rest, walker.offset()));
    }
    made.file_bytes = walker.offset();
    if (spec.is_wanted()) made.bytes = builder.finish(made.file_bytes);
    return {};
  });
}

std::optional<NumberType> Trailer::type() const noexcept {
  return table_ != nullptr ? table_->index->type : std::nullopt;
}

std::uint64_t Trailer::count() const noexcept { return index().count(); }

std::uint32_t Trailer::header_crc() const noexcept {
  return table_ != nullptr ? table_->header_crc : 0;
}

std::uint64_t Trailer::file_bytes() const noexcept {
  return table_ != nullptr ? table_->file_bytes : 0;
}

std::uint64_t Trailer::bytes() const noexcept { return table_ != nullptr ? table_->bytes : 0; }

std::optional<unsigned> Trailer::restart_log() const noexcept {
  return table_ != nullptr ? table_->index->restart_log : std::nullopt;
}

std::span<const ChunkSummary> Trailer::chunks() const noexcept {
  if (table_ == nullptr) return {};
  return table_->list.get([&] { return summaries_of(*table_); });
}

ChunkIndex Trailer::index() const noexcept {
  ChunkIndex index;
  if (table_ != nullptr) index.table_ = table_->index;
  return index;
}

std::vector<std::size_t> Trailer::chunks_within(std::uint64_t min_latent,
                                                std::uint64_t max_latent) const {
  std::vector<std::size_t> found;
  const std::span<const ChunkSummary> all = chunks();
  // Without the list no chunk can be excluded.
  if (all.size() < index().chunk_count()) throw std::bad_alloc();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool overlaps =
        all[i].has_range() && all[i].min_latent <= max_latent && all[i].max_latent >= min_latent;
    if (overlaps) found.push_back(i);
  }
  return found;
}

}  // namespace numpact
