// SPDX-License-Identifier: Apache-2.0
// Encoding of wrapped chunks.
#include <algorithm>
#include <optional>
#include <utility>

#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/describe.hpp"
#include "api/paging.hpp"
#include "base/check_bytes.hpp"
#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/owned.hpp"
#include "base/try.hpp"
#include "numpact/wrapped.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/race.hpp"
#include "pco/encode/scratch.hpp"
#include "pco/encode/session.hpp"
#include "pco/limits.hpp"
#include "pco/trailer/number_range.hpp"

namespace numpact::wrapped {

std::vector<std::byte> encode_file_header(Compatibility compatibility) {
  const numpact::FormatVersion version = numpact::FormatVersion::of(compatibility);
  std::vector<std::byte> header = {static_cast<std::byte>(version.major)};
  if (version.has_minor()) header.push_back(static_cast<std::byte>(version.minor));
  return header;
}

struct ChunkEncoder::Impl {
  struct Page {
    std::size_t first = 0;       // numbers before it
    std::size_t n = 0;           // numbers
    std::size_t end = 0;         // end of its bytes, which start at the end of the previous page
    trailer::ChunkRecord range;  // of its numbers
  };

  explicit Impl(std::pmr::memory_resource* own) : memory(own), bytes(own), pages(own) {}

  std::span<const std::byte> meta() const { return std::span(bytes).first(meta_bytes); }
  std::size_t page_begin(std::size_t index) const {
    return index == 0 ? meta_bytes : pages[index - 1].end;
  }
  std::span<const std::byte> page(std::size_t index) const {
    const std::size_t begin = page_begin(index);
    return std::span(bytes).subspan(begin, pages[index].end - begin);
  }

  std::pmr::memory_resource* memory;  // of the object and all that it holds
  NumberType type = NumberType::kU8;
  numpact::FormatVersion version;
  std::pmr::vector<std::byte> bytes;  // metadata and all pages
  std::pmr::vector<Page> pages;
  std::size_t meta_bytes = 0;
};

namespace {

// Runs `write` on the remaining output.
template <class Write>
Status write_part(std::span<std::byte> out, std::size_t& at, const Write& write) {
  BitWriter writer(out.subspan(at));
  write(writer);
  at += writer.size();
  return writer.status();
}

Result<std::size_t> copy_part(std::span<const std::byte> part, std::span<std::byte> out) {
  NUMPACT_TRY(check_bytes(out));
  if (part.size() > out.size()) return BitWriter::output_too_small().needing(part.size());
  std::copy(part.begin(), part.end(), out.begin());
  return part.size();
}

Result<std::vector<std::byte>> copy_of(std::span<const std::byte> part) noexcept {
  return guarded_value<std::vector<std::byte>>([&](std::vector<std::byte>& out) -> Status {
    out.assign(part.begin(), part.end());
    return {};
  });
}

// The range of `n` of the numbers.
trailer::ChunkRecord range_of_part(const NumberView& numbers, std::size_t first, std::size_t n) {
  trailer::ChunkRecord range;
  const auto* const at = static_cast<const std::byte*>(numbers.data);
  trailer::add_to_range({numbers.type, at + first * size_of(numbers.type), n}, range);
  return range;
}

Status no_such_page() {
  return Status(ErrorKind::kInvalidArgument, "the chunk has no page of that number");
}

}  // namespace

std::size_t chunk_bound(NumberType type, std::size_t count) noexcept {
  const std::size_t meta = fallback_meta_bytes(type);
  const std::size_t size = size_of(type);
  return size != 0 && count > (SIZE_MAX - meta) / size ? SIZE_MAX : meta + count * size;
}

ChunkEncoder::ChunkEncoder(detail::Owned<Impl> impl) noexcept : impl_(std::move(impl)) {}

Result<ChunkEncoder> ChunkEncoder::create(const NumberView& numbers, const EncodeConfig& config,
                                          std::pmr::memory_resource* memory,
                                          EncodeContext* context) noexcept {
  detail::Owned<Impl> impl = no_object<Impl>();
  const Status status = guarded([&]() -> Status {
    NUMPACT_TRY(check_view(numbers));
    NUMPACT_TRY(check_specs(numbers.type, config));
    if (memory == nullptr)
      return Status(ErrorKind::kInvalidArgument, "there is no memory resource");
    if (numbers.count == 0 || numbers.count > kMaxChunkN) {
      return Status(ErrorKind::kInvalidArgument, "a chunk holds 1 to 2^24 numbers");
    }
    std::optional<Arena> own;
    std::optional<ScratchArena> lent;
    if (context != nullptr) NUMPACT_TRY(lent.emplace(context).status());
    NUMPACT_TRY(report_progress(config.progress, {}));
    impl = make_owned<Impl>(memory);
    impl->type = numbers.type;
    impl->version = numpact::FormatVersion::of(config.compatibility);
    const std::uint64_t max_bytes = config.max_bytes.value_or(~std::uint64_t{0});
    Arena& arena = lent ? **lent : own.emplace(memory);
    std::span<const std::size_t> sizes;
    const auto& exact = config.paging.exact_sizes();
    const std::uint64_t page_count =
        exact ? exact->size()
              : numbers.count / std::max<std::size_t>(config.paging.max_page_n(), 1) + 1;
    NUMPACT_TRY(arena.ensure<std::byte>(encoding_bytes(numbers.type, numbers.count, config.level) +
                                        page_count * (sizeof(EncodedPage) + sizeof(std::size_t))));
    NUMPACT_TRY(page_sizes(config.paging, numbers.count, kMaxChunkN, arena, sizes));
    const std::size_t page_n = *std::max_element(sizes.begin(), sizes.end());
    ChoiceSession session({numbers.type, ordered_latents(numbers, arena), page_n}, config, arena);
    plan_run(session, {.segments = false});
    NUMPACT_TRY(report_progress(config.progress, {}));
    if (max_bytes < wrapped::chunk_bound(numbers.type, numbers.count) &&
        is_estimated_above(session.best(), numbers.count, max_bytes)) {
      return BitWriter::output_too_small();
    }
    const EncodedChunk chunk = encode_chosen(numbers, session, sizes);
    if (chunk.bytes() > max_bytes) return BitWriter::output_too_small().needing(chunk.bytes());
    NUMPACT_TRY(ensure_memory(chunk.bytes() + chunk.pages.size() * sizeof(Impl::Page)));
    impl->bytes.resize(static_cast<std::size_t>(chunk.bytes()));
    impl->pages.reserve(chunk.pages.size());
    std::size_t at = 0;
    NUMPACT_TRY(write_part(impl->bytes, at,
                           [&](BitWriter& writer) { write_chunk_meta(writer, chunk.meta); }));
    impl->meta_bytes = at;
    std::size_t done = 0;
    for (const EncodedPage& page : chunk.pages) {
      NUMPACT_TRY(write_part(impl->bytes, at,
                             [&](BitWriter& writer) { numpact::write_page(chunk, page, writer); }));
      impl->pages.push_back({done, page.n, at, range_of_part(numbers, done, page.n)});
      done += page.n;
      NUMPACT_TRY(report_progress(config.progress, {done, at}));
    }
    impl->bytes.resize(at);
    return {};
  });
  if (!status.ok()) return status;
  return ChunkEncoder(std::move(impl));
}

NumberType ChunkEncoder::type() const noexcept {
  return impl_ != nullptr ? impl_->type : NumberType::kU8;
}
std::size_t ChunkEncoder::page_count() const noexcept {
  return impl_ != nullptr ? impl_->pages.size() : 0;
}
std::size_t ChunkEncoder::page_n(std::size_t page) const noexcept {
  return page < page_count() ? impl_->pages[page].n : 0;
}
std::size_t ChunkEncoder::meta_size_bound() const noexcept {
  return impl_ != nullptr ? impl_->meta_bytes : 0;
}
std::size_t ChunkEncoder::page_size_bound(std::size_t page) const noexcept {
  return page < page_count() ? impl_->page(page).size() : 0;
}

Result<ChunkInfo> ChunkEncoder::info() const noexcept {
  if (impl_ == nullptr) return moved_from();
  return guarded_value<ChunkInfo>([&](ChunkInfo& info) -> Status {
    Arena arena(impl_->memory);
    BitReader reader(impl_->meta());
    ChunkMeta meta;
    NUMPACT_TRY(parse_chunk_meta(reader, impl_->type, impl_->version, arena, meta));
    NUMPACT_TRY(ensure_memory(described_bytes(meta)));
    info = describe(meta);
    for (const Impl::Page& page : impl_->pages) info.count += page.n;
    info.meta_bytes = impl_->meta_bytes;
    info.page_bytes = impl_->bytes.size() - impl_->meta_bytes;
    return {};
  });
}

Result<std::size_t> ChunkEncoder::write_meta(std::span<std::byte> out) const noexcept {
  if (impl_ == nullptr) return moved_from();
  return copy_part(impl_->meta(), out);
}

Result<std::size_t> ChunkEncoder::write_page(std::size_t page,
                                             std::span<std::byte> out) const noexcept {
  if (impl_ == nullptr) return moved_from();
  if (page >= page_count()) return no_such_page();
  return copy_part(impl_->page(page), out);
}

Result<std::vector<std::byte>> ChunkEncoder::meta() const noexcept {
  if (impl_ == nullptr) return moved_from();
  return copy_of(impl_->meta());
}

Result<std::vector<std::byte>> ChunkEncoder::page(std::size_t page) const noexcept {
  if (impl_ == nullptr) return moved_from();
  if (page >= page_count()) return no_such_page();
  return copy_of(impl_->page(page));
}

Result<ChunkSummary> ChunkEncoder::page_summary(std::size_t page) const noexcept {
  if (impl_ == nullptr) return moved_from();
  if (page >= page_count()) return no_such_page();
  const trailer::ChunkRecord& range = impl_->pages[page].range;
  ChunkSummary summary;
  summary.place.offset = summary.place.page_offset = impl_->page_begin(page);
  summary.place.first = impl_->pages[page].first;
  summary.place.count = impl_->pages[page].n;
  summary.bytes = impl_->page(page).size();
  summary.crc = crc32(impl_->page(page));
  summary.nan_count = range.nan_n;
  summary.min_latent = range.min_latent;
  summary.max_latent = range.max_latent;
  return summary;
}

}  // namespace numpact::wrapped
