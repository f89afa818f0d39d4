// SPDX-License-Identifier: Apache-2.0
#include "numpact/wrapped.hpp"

#include <algorithm>
#include <utility>

#include "api/chunk_decoder.hpp"
#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/describe.hpp"
#include "base/alignment.hpp"
#include "base/check_bytes.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/owned.hpp"
#include "base/try.hpp"
#include "pco/meta/latent_range.hpp"
#include "pco/page/page_decoder.hpp"

namespace numpact::wrapped {

Result<DecodedHeader> decode_file_header(std::span<const std::byte> bytes) noexcept {
  NUMPACT_TRY(check_bytes(bytes));
  BitReader reader(bytes);
  const unsigned major = reader.read_small(8);
  NUMPACT_TRY(reader.status());
  const numpact::FormatVersion parsed{major, 0};
  if (!parsed.is_readable()) {
    return Status(ErrorKind::kUnsupportedVersion, "format version newer than 4", 0);
  }
  const unsigned minor = parsed.has_minor() ? reader.read_small(8) : 0;
  NUMPACT_TRY(reader.status());
  return DecodedHeader{{major, minor}, reader.byte_position()};
}

Status check_page_output(const MutableNumberView& out, NumberType type) {
  NUMPACT_TRY(check_view(out));
  if (out.type == type) return {};
  return Status(ErrorKind::kTypeMismatch, "the page holds numbers of another type");
}

Status check_page_n(std::size_t page_n) {
  if (page_n > 0 && page_n <= kMaxChunkN) return {};
  return Status(ErrorKind::kInvalidArgument, "a page holds 1 to 2^24 numbers");
}

Status check_page_limits(const DecodeLimits& limits, NumberType type, std::size_t n) {
  if (n <= limits.max_numbers && n <= numbers_in(limits.max_output_bytes, type)) return {};
  return Status(ErrorKind::kLimitExceeded, "the numbers would pass a limit of their chunk");
}

namespace {

// Pages that decode_pages() decodes before it frees their states. These take up to 10 KiB each
// (Conv1), so they stay in the second-level cache. Only the first of them is not walked ahead.
constexpr std::size_t kPagesAtOnce = 16;

// Scratch memory in bytes below which pages are not decoded together: eight pages of Conv1 take
// half of it, and a limit that is enough for one page after the other must not become too small.
constexpr std::uint64_t kTogetherBytes = std::uint64_t{1} << 18;

// Decodes pages of a chunk: several at once where the chunk allows it, else one after the other.
// When pages are decoded one after the other, the codes of the next page are walked while the last
// batch of a page is unpacked: two decoders take turns.
class PageSequence {
 public:
  PageSequence(const ChunkMeta& meta, const ChunkTables& tables, const PageList& pages,
               Arena& arena)
      : meta_(meta), tables_(tables), pages_(pages), arena_(arena) {}

  // `done` is set to the count of numbers of the pages decoded.
  Status decode(std::byte* out, std::size_t& done) {
    done = 0;
    const bool may_join =
        is_aligned_for(out, size_of(meta_.type)) && arena_.bytes_left() >= kTogetherBytes;
    const std::size_t min_together = may_join ? tables_.min_together() : SIZE_MAX;
    // A page with Lookback may have a window of any size, and does not begin with a walk that
    // could be done before.
    std::size_t at_once = can_restart(meta_.delta) ? kPagesAtOnce : 1;
    if (min_together <= kMaxPagesTogether) at_once = kMaxPagesTogether;
    for (std::size_t i = 0; i < pages_.count; i += at_once) {
      const ArenaScope scope(arena_);
      const std::size_t end = std::min(pages_.count, i + at_once);
      std::byte* const first = out + done * size_of(meta_.type);
      if (end - i >= min_together && decode_together(i, end, first, done)) continue;
      for (std::size_t k = 0; k < std::min<std::size_t>(2, end - i); ++k) {
        decoders_[(i + k) % 2] = tables_.make_page_decoder(arena_);
      }
      started_ = start(i);
      for (std::size_t page = i; page < end; ++page) {
        NUMPACT_TRY(started_);
        NUMPACT_TRY(decode_page(page, page + 1 < end, out + done * size_of(meta_.type)));
        done += pages_.page(page).count;
      }
    }
    return {};
  }

 private:
  // Decodes a few pages at once and adds their counts to `done`. Returns false if one of them has
  // an error, which decoding one page after the other reports.
  bool decode_together(std::size_t begin, std::size_t end, std::byte* out, std::size_t& done) {
    const ArenaScope scope(arena_);
    BitWindow windows[kMaxPagesTogether];
    PagePart parts[kMaxPagesTogether];
    const std::size_t page_n = end - begin;
    std::size_t count = 0;
    for (std::size_t i = 0; i < page_n; ++i) {
      const PageInput input = pages_.page(begin + i);
      windows[i] = {input.bytes, 0, true};
      parts[i] = {tables_.make_page_decoder(arena_), &windows[i],
                  out + count * size_of(meta_.type)};
      count += input.count;
      bool more = false;
      if (!parts[i].decoder->start(windows[i], input.count, more).ok()) return false;
    }
    std::size_t decoded_n = 0;
    if (!tables_.decode_together({parts, page_n}, decoded_n).ok()) return false;
    for (std::size_t i = 0; i < page_n; ++i) {
      const PageInput input = pages_.page(begin + i);
      std::byte* const rest =
          static_cast<std::byte*>(parts[i].out) + decoded_n * size_of(meta_.type);
      std::size_t n = 0;
      bool more = false;
      if (!parts[i].decoder->decode(windows[i], input.count - decoded_n, rest, n, more).ok() ||
          !PageDecoder::finish(windows[i]).ok() || windows[i].position / 8 != input.bytes.size()) {
        return false;
      }
    }
    done += count;
    return true;
  }

  // Decodes a page that was started and starts the next one.
  Status decode_page(std::size_t page, bool has_next, std::byte* out) {
    const Status next_status = has_next ? start(page + 1) : Status();
    FirstWalk* next = nullptr;
    if (has_next && next_status.ok()) next = decoder(page + 1).first_walk(window(page + 1));
    std::size_t n = 0;
    bool more = false;
    const PageInput input = pages_.page(page);
    NUMPACT_TRY(decoder(page).decode(window(page), input.count, out, n, more, next));
    NUMPACT_TRY(PageDecoder::finish(window(page)));
    const std::uint64_t end = window(page).position / 8;
    if (end < input.bytes.size()) {
      return Status(ErrorKind::kCorrupt, "the page ends before its bytes", end);
    }
    started_ = next_status;
    return {};
  }

  Status start(std::size_t page) {
    const PageInput input = pages_.page(page);
    window(page) = {input.bytes, 0, true};
    bool more = false;
    return decoder(page).start(window(page), input.count, more);
  }

  PageDecoder& decoder(std::size_t page) { return *decoders_[page % 2]; }
  BitWindow& window(std::size_t page) { return windows_[page % 2]; }

  const ChunkMeta& meta_;
  const ChunkTables& tables_;
  const PageList& pages_;
  Arena& arena_;
  PageDecoder* decoders_[2] = {};
  Status started_;  // the status of starting the next page
  BitWindow windows_[2];
};

}  // namespace

ChunkDecoder::ChunkDecoder(detail::Owned<Impl> impl) noexcept : impl_(std::move(impl)) {}

Result<ChunkDecoder> ChunkDecoder::create(std::span<const std::byte> bytes, NumberType type,
                                          FormatVersion version, const DecodeLimits& limits,
                                          std::pmr::memory_resource* memory) noexcept {
  detail::Owned<Impl> impl = no_object<Impl>();
  const Status status = guarded([&]() -> Status {
    NUMPACT_TRY(check_number_type(type));
    NUMPACT_TRY(check_bytes(bytes));
    if (memory == nullptr)
      return Status(ErrorKind::kInvalidArgument, "there is no memory resource");
    const numpact::FormatVersion format{version.major, version.minor};
    if (!format.is_readable()) {
      return Status(ErrorKind::kUnsupportedVersion, "format version newer than 4");
    }
    impl = make_owned<Impl>(memory);
    impl->limits = limits;
    impl->arena.reset(limits.max_memory);
    BitReader reader(bytes);
    NUMPACT_TRY(parse_chunk_meta(reader, type, format, impl->arena, impl->meta));
    impl->meta_size = reader.byte_position();
    impl->tables = ChunkTables::make(impl->meta, impl->arena);
    return {};
  });
  if (!status.ok()) return status;
  return ChunkDecoder(std::move(impl));
}

NumberType ChunkDecoder::type() const noexcept {
  return impl_ != nullptr ? impl_->meta.type : NumberType::kU8;
}
std::size_t ChunkDecoder::meta_size() const noexcept {
  return impl_ != nullptr ? impl_->meta_size : 0;
}

Result<ChunkInfo> ChunkDecoder::info() const noexcept {
  if (impl_ == nullptr) return moved_from();
  return guarded_value<ChunkInfo>([&](ChunkInfo& info) -> Status {
    NUMPACT_TRY(ensure_memory(described_bytes(impl_->meta)));
    info = describe(impl_->meta);
    info.meta_bytes = impl_->meta_size;
    return {};
  });
}

RangeMatch ChunkDecoder::match(const ValueRange& range) const noexcept {
  if (impl_ == nullptr || range.type != impl_->meta.type) return RangeMatch::kSome;
  static_assert(static_cast<int>(RangeMatch::kNone) == static_cast<int>(Overlap::kNone));
  static_assert(static_cast<int>(RangeMatch::kAll) == static_cast<int>(Overlap::kAll));
  return static_cast<RangeMatch>(
      overlap_of(impl_->meta, comparable_range(range.type, range.min_latent, range.max_latent)));
}

Result<std::size_t> ChunkDecoder::decode_page(std::span<const std::byte> bytes, std::size_t page_n,
                                              const MutableNumberView& out,
                                              DecodeContext* context) const noexcept {
  if (impl_ == nullptr) return moved_from();
  NUMPACT_TRY(check_page_output(out, impl_->meta.type));
  NUMPACT_TRY(check_page_n(page_n));
  if (out.count < page_n) {
    return Status(ErrorKind::kOutputTooSmall, "the page holds more numbers than the output")
        .needing(std::uint64_t{page_n} * size_of(out.type));
  }
  return decode_page_front(bytes, page_n, out, context);
}

Result<std::size_t> ChunkDecoder::decode_page_front(std::span<const std::byte> bytes,
                                                    std::size_t page_n,
                                                    const MutableNumberView& out,
                                                    DecodeContext* context) const noexcept {
  return guarded_value<std::size_t>([&](std::size_t& consumed) -> Status {
    if (impl_ == nullptr) return moved_from();
    NUMPACT_TRY(check_page_output(out, impl_->meta.type));
    NUMPACT_TRY(check_bytes(bytes));
    NUMPACT_TRY(check_page_n(page_n));
    const std::size_t n = std::min(page_n, out.count);
    NUMPACT_TRY(check_page_limits(impl_->limits, out.type, n));
    ScratchArena arena(context, impl_->limits.max_memory);
    NUMPACT_TRY(arena.status());
    PageDecoder* const page = impl_->tables->make_page_decoder(*arena);
    BitWindow window{bytes, 0, true};
    bool more = false;
    NUMPACT_TRY(page->start(window, page_n, more));
    std::size_t done = 0;
    NUMPACT_TRY(page->decode(window, n, out.data, done, more));
    if (n == page_n) NUMPACT_TRY(PageDecoder::finish(window));
    consumed = static_cast<std::size_t>(window.position / 8);
    return {};
  });
}

Status ChunkDecoder::decode_pages(std::span<const PageInput> pages, const MutableNumberView& out,
                                  DecodeContext* context) const noexcept {
  const auto at = [](const void* inputs, std::size_t page) {
    return static_cast<const PageInput*>(inputs)[page];
  };
  return PageListAccess::decode(*this, {pages.data(), pages.size(), at}, out, context);
}

Status PageListAccess::decode(const ChunkDecoder& chunk, const PageList& pages,
                              const MutableNumberView& out, DecodeContext* context) noexcept {
  std::size_t done = 0;
  const Status status = guarded([&]() -> Status {
    if (chunk.impl_ == nullptr) return moved_from();
    const ChunkDecoder::Impl& impl = *chunk.impl_;
    NUMPACT_TRY(check_page_output(out, impl.meta.type));
    std::size_t left = out.count;
    for (std::size_t i = 0; i < pages.count; ++i) {
      const PageInput page = pages.page(i);
      NUMPACT_TRY(check_bytes(page.bytes));
      NUMPACT_TRY(check_page_n(page.count));
      if (page.count > left) {
        return Status(ErrorKind::kOutputTooSmall, "the pages hold more numbers than the output");
      }
      left -= page.count;
    }
    NUMPACT_TRY(check_page_limits(impl.limits, out.type, out.count - left));
    ScratchArena arena(context, impl.limits.max_memory);
    NUMPACT_TRY(arena.status());
    PageSequence sequence(impl.meta, *impl.tables, pages, *arena);
    return sequence.decode(static_cast<std::byte*>(out.data), done);
  });
  return status.ok() ? status : status.after_numbers(done);
}

}  // namespace numpact::wrapped
