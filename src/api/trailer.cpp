// SPDX-License-Identifier: Apache-2.0
#include "numpact/trailer.hpp"

#include "api/chunk_table.hpp"
#include "api/trailer_use.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "number/ordered.hpp"

namespace numpact {

struct Trailer::Table {
  std::uint64_t file_bytes = 0;
  std::uint64_t bytes = 0;
  trailer::Front front;
  std::vector<std::byte> records;  // as stored in the trailer
  std::shared_ptr<const ChunkIndex::Table> index;
  LazyList<ChunkSummary> list;
};

namespace {

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
    NUMPACT_TRY(ensure_memory(view.records.size()));
    auto table = std::make_shared<Table>();
    table->file_bytes = view.file_bytes;
    table->bytes = view.bytes;
    table->front = view.front;
    NUMPACT_TRY(index_of(view, table->index));
    table->records.assign(view.records.begin(), view.records.end());
    found.trailer.emplace().table_ = std::move(table);
    return {};
  });
}

std::optional<NumberType> Trailer::type() const noexcept {
  return table_ != nullptr ? table_->index->type : std::nullopt;
}

std::uint64_t Trailer::count() const noexcept { return index().count(); }

std::uint32_t Trailer::header_crc() const noexcept {
  return table_ != nullptr ? table_->front.header_crc : 0;
}

FileHeader Trailer::header() const noexcept {
  FileHeader header;
  if (table_ == nullptr) return header;
  header.format_major = table_->front.format.major;
  header.format_minor = table_->front.format.minor;
  header.size_bytes = table_->front.header_bytes;
  header.number_type = type();
  return header;
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
  const std::uint64_t bytes = table_->index->chunks.size() * sizeof(ChunkSummary);
  if (!ensure_memory(bytes).ok()) return {};
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
  if (all.size() < index().chunk_count()) throw_bad_alloc();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool overlaps =
        all[i].has_range() && all[i].min_latent <= max_latent && all[i].max_latent >= min_latent;
    if (overlaps) found.push_back(i);
  }
  return found;
}

}  // namespace numpact
