// SPDX-License-Identifier: Apache-2.0
// Reading of a wrapped page in parts, and restart points within it.
#include <algorithm>
#include <utility>

#include "api/chunk_decoder.hpp"
#include "api/decode_checks.hpp"
#include "base/check_bytes.hpp"
#include "base/guard.hpp"
#include "base/in_use.hpp"
#include "base/internal.hpp"
#include "base/load.hpp"
#include "base/owned.hpp"
#include "base/try.hpp"
#include "bits/bit_writer.hpp"
#include "numpact/wrapped.hpp"
#include "pco/page/page_decoder.hpp"

namespace numpact::wrapped {
namespace {

// The fields of a restart point before its state, each of 32 bits: the numbers before it, which are
// a multiple of kBatchN, and its position in bits from the page's first byte. Both fit: a page has
// at most 2^24 numbers of at most 202 bits.
constexpr std::size_t kPointHeadBytes = 8;

// Numbers that are decoded at a time to be dropped; 8 KiB of the widest type, on the stack.
constexpr std::size_t kSkipStepN = 4 * kBatchN;

Status misfit() { return Status(ErrorKind::kCorrupt, "a restart point does not fit its page", 0); }

}  // namespace

struct PageReader::Impl {
  Impl(const ChunkDecoder::Impl& used_chunk, std::pmr::memory_resource* own)
      : memory(own), chunk(used_chunk), arena(own) {}

  // Whether a page was started; `impl`: null after a move.
  static Status check_started(const Impl* impl) {
    if (impl == nullptr) return moved_from();
    if (impl->is_in_use) return in_use();
    if (impl->page != nullptr) return {};
    return Status(ErrorKind::kInvalidArgument, "no page was started");
  }

  std::size_t done() const { return page_n - page->numbers_left(); }
  Status start_at(std::span<const std::byte> point);
  Status decode(std::size_t n, void* out);

  std::pmr::memory_resource* memory;  // of the object and all that it holds
  const ChunkDecoder::Impl& chunk;
  Arena arena;
  PageDecoder* page = nullptr;  // null: no page was started
  BitWindow window;
  std::size_t page_n = 0;
  Status status;  // the error that ended the page
  bool is_in_use = false;
};

// Starts the page from its head, or from the state of a restart point.
Status PageReader::Impl::start_at(std::span<const std::byte> point) {
  bool more = false;
  if (point.empty()) return page->start(window, page_n, more);
  if (point.size() != kPointHeadBytes + page->state_bytes() || !page->has_state()) return misfit();
  const std::size_t before = load_le<std::uint32_t>(point.data());
  const std::uint64_t position = load_le<std::uint32_t>(point.data() + sizeof(std::uint32_t));
  if (before % kBatchN != 0 || before >= page_n) return misfit();
  if (position > 8 * std::uint64_t{window.bytes.size()}) return misfit();
  BitWindow head{point.subspan(kPointHeadBytes), 0, true};
  NUMPACT_TRY(page->start(head, page_n - before, more));
  window.position = position;
  return {};
}

// Decodes n numbers, at most those left. An error, including an exception, ends the page.
Status PageReader::Impl::decode(std::size_t n, void* out) {
  NUMPACT_TRY(status);
  NUMPACT_TRY(check_page_limits(chunk.limits, chunk.meta.type, done() + n));
  status = guarded([&]() -> Status {
    std::size_t decoded = 0;
    bool more = false;
    NUMPACT_TRY(page->decode(window, n, out, decoded, more));
    return page->numbers_left() == 0 && n > 0 ? PageDecoder::finish(window) : Status();
  });
  return status;
}

PageReader::PageReader(detail::Owned<Impl> impl) noexcept : impl_(std::move(impl)) {}

Result<PageReader> PageReader::create(const ChunkDecoder& chunk,
                                      std::pmr::memory_resource* memory) noexcept {
  detail::Owned<Impl> impl = no_object<Impl>();
  const Status status = guarded([&]() -> Status {
    if (chunk.impl_ == nullptr) return moved_from();
    if (memory == nullptr)
      return Status(ErrorKind::kInvalidArgument, "there is no memory resource");
    impl = make_owned<Impl>(memory, *chunk.impl_);
    return {};
  });
  if (!status.ok()) return status;
  return PageReader(std::move(impl));
}

Status PageReader::start(std::span<const std::byte> bytes, std::size_t page_n,
                         std::span<const std::byte> point) noexcept {
  if (impl_ == nullptr) return moved_from();
  const InUse use(impl_->is_in_use);
  if (use.is_refused()) return in_use();
  impl_->page = nullptr;
  const Status status = guarded([&]() -> Status {
    NUMPACT_TRY(check_bytes(bytes));
    NUMPACT_TRY(check_bytes(point));
    NUMPACT_TRY(check_page_n(page_n));
    impl_->arena.reset(impl_->chunk.limits.max_memory);
    impl_->page = impl_->chunk.tables->make_page_decoder(impl_->arena);
    impl_->window = {bytes, 0, true};
    impl_->page_n = page_n;
    impl_->status = {};
    return impl_->start_at(point);
  });
  if (!status.ok()) impl_->page = nullptr;
  return status;
}

Result<std::size_t> PageReader::read(const MutableNumberView& out) noexcept {
  NUMPACT_TRY(Impl::check_started(impl_.get()));
  const InUse use(impl_->is_in_use);
  NUMPACT_TRY(check_page_output(out, impl_->chunk.meta.type));
  const std::size_t n = std::min(out.count, numbers_left());
  NUMPACT_TRY(impl_->decode(n, out.data));
  return n;
}

Status PageReader::skip(std::size_t count) noexcept {
  NUMPACT_TRY(Impl::check_started(impl_.get()));
  const InUse use(impl_->is_in_use);
  if (count > numbers_left()) {
    return Status(ErrorKind::kInvalidArgument, "the page has fewer numbers left");
  }
  std::uint64_t numbers[kSkipStepN];
  while (count > 0) {
    const std::size_t n = std::min(count, kSkipStepN);
    NUMPACT_TRY(impl_->decode(n, numbers));
    count -= n;
  }
  return {};
}

std::size_t PageReader::numbers_left() const noexcept {
  return impl_ != nullptr && impl_->page != nullptr ? impl_->page->numbers_left() : 0;
}

std::size_t PageReader::bytes_read() const noexcept {
  return impl_ != nullptr && impl_->page != nullptr
             ? static_cast<std::size_t>((impl_->window.position + 7) / 8)
             : 0;
}

std::size_t PageReader::point_size() const noexcept {
  if (impl_ == nullptr || impl_->page == nullptr || !impl_->page->has_state()) return 0;
  return kPointHeadBytes + impl_->page->state_bytes();
}

Result<std::size_t> PageReader::write_point(std::span<std::byte> out) const noexcept {
  NUMPACT_TRY(Impl::check_started(impl_.get()));
  NUMPACT_TRY(check_bytes(out));
  NUMPACT_TRY(impl_->status);
  const std::size_t done = impl_->done();
  if (point_size() == 0 || done % kBatchN != 0 || done == impl_->page_n) {
    return Status(ErrorKind::kInvalidArgument, "there is no restart point at this number");
  }
  if (out.size() < point_size()) {
    return Status(ErrorKind::kOutputTooSmall, "the restart point does not fit")
        .needing(point_size());
  }
  store_le(out.data(), static_cast<std::uint32_t>(done));
  store_le(out.data() + sizeof(std::uint32_t), static_cast<std::uint32_t>(impl_->window.position));
  BitWriter writer(out.subspan(kPointHeadBytes));
  impl_->page->write_state(writer);
  return kPointHeadBytes + writer.size();
}

}  // namespace numpact::wrapped
