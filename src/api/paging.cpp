// SPDX-License-Identifier: Apache-2.0
#include "api/paging.hpp"

#include <algorithm>

#include "base/internal.hpp"
#include "pco/limits.hpp"

namespace numpact {
namespace {

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

std::uint64_t min_share_count(std::uint64_t n, std::size_t max_n) {
  return n / max_n + (n % max_n != 0 ? 1 : 0);
}

std::size_t share_of(std::uint64_t n, std::uint64_t count, std::uint64_t index) {
  return static_cast<std::size_t>(n / count + (index < n % count ? 1 : 0));
}

// Threads take shares one by one, and shares differ in cost, so at the end the others wait for one
// thread. A few shares are rounded up to an even number; with more, the last is halved. Halving one
// of a few would cost bytes where numbers repeat at long distances. Examples: 1 -> 1, 2 -> 2, 3 ->
// 4, 4 -> 4, 5 -> 6 (the last two are halves).
class AutomaticShares {
 public:
  AutomaticShares(std::uint64_t n, std::size_t max_n) : n_(n) {
    constexpr std::uint64_t kMaxEvenShares = 4;
    const std::uint64_t min_count = min_share_count(n, max_n);
    last_is_halved_ = min_count > kMaxEvenShares;
    shares_ = last_is_halved_ || min_count < 2 ? min_count : min_count + min_count % 2;
  }

  std::uint64_t count() const { return shares_ + (last_is_halved_ ? 1 : 0); }

  std::size_t size(std::uint64_t index) const {
    if (!last_is_halved_ || index + 1 < shares_) return share_of(n_, shares_, index);
    const std::size_t last = share_of(n_, shares_, shares_ - 1);
    return index < shares_ ? last - last / 2 : last / 2;
  }

 private:
  std::uint64_t n_;
  std::uint64_t shares_;
  bool last_is_halved_;
};

template <class F>
std::span<const std::size_t> list_sizes(std::uint64_t count, F&& size_of_share, Arena& arena) {
  const std::span<std::size_t> sizes = arena.make<std::size_t>(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = size_of_share(i);
  return sizes;
}

}  // namespace

std::size_t automatic_share(std::uint64_t n, std::size_t max_n, std::size_t index) {
  const AutomaticShares shares(n, max_n);
  return index < shares.count() ? shares.size(index) : max_n;
}

Status chunk_sizes(const EncodeConfig& config, std::size_t n, Arena& arena,
                   std::span<const std::size_t>& sizes) {
  if (!config.paging.is_automatic()) return page_sizes(config.paging, n, kMaxChunkN, arena, sizes);
  const AutomaticShares shares(n, config.max_chunk_n());
  sizes = list_sizes(
      shares.count(), [&](std::size_t i) { return shares.size(i); }, arena);
  return {};
}

Status page_sizes(const PagingSpec& spec, std::size_t n, std::size_t max_n, Arena& arena,
                  std::span<const std::size_t>& sizes) {
  if (const auto& exact = spec.exact_sizes()) {
    std::size_t left = n;
    for (const std::size_t size : *exact) {
      if (size == 0) return invalid("a page size is 0");
      if (size > max_n) return invalid("a page size is over 2^24");
      if (size > left) return invalid("page sizes add up to more than the numbers given");
      left -= size;
    }
    if (left != 0) return invalid("page sizes add up to less than the numbers given");
    sizes = *exact;
    return {};
  }
  if (spec.max_page_n() == 0) return invalid("the page size is 0");
  const std::size_t page_n = std::min(spec.max_page_n(), max_n);
  const std::uint64_t count = min_share_count(n, page_n);
  sizes = list_sizes(
      count, [&](std::size_t i) { return share_of(n, count, i); }, arena);
  return {};
}

Status check_chunk_sizes(const PagingSpec& spec) {
  if (const auto& exact = spec.exact_sizes()) {
    for (const std::size_t size : *exact) {
      if (size == 0) return invalid("a page size is 0");
      if (size > kMaxChunkN) return invalid("a page size is over 2^24");
    }
    return {};
  }
  return spec.max_page_n() == 0 ? invalid("the page size is 0") : Status();
}

std::size_t chunk_count_bound(const EncodeConfig& config, std::size_t n) {
  if (const auto& exact = config.paging.exact_sizes()) return exact->size();
  const std::size_t max_n = std::clamp<std::size_t>(config.max_chunk_n(), 1, kMaxChunkN);
  const bool is_automatic = config.paging.is_automatic();
  return static_cast<std::size_t>(is_automatic ? AutomaticShares(n, max_n).count()
                                               : min_share_count(n, max_n));
}

}  // namespace numpact
