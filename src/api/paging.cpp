// SPDX-License-Identifier: Apache-2.0
#include "api/paging.hpp"

#include <algorithm>

#include "pco/limits.hpp"

namespace numpact {
namespace {

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

std::uint64_t least_count(std::uint64_t n, std::size_t most) {
  return n / most + (n % most != 0 ? 1 : 0);
}

// Of few an even number, so that two threads have as many each.
std::uint64_t automatic_count(std::uint64_t n, std::size_t most) {
  constexpr std::uint64_t kFew = 8;
  const std::uint64_t count = least_count(n, most);
  return count > 1 && count < kFew ? count + count % 2 : count;
}

std::size_t share_of(std::uint64_t n, std::uint64_t count, std::size_t index) {
  return static_cast<std::size_t>(n / count + (index < n % count ? 1 : 0));
}

std::span<const std::size_t> equal_sizes(std::size_t n, std::uint64_t count, Arena& arena) {
  const std::span<std::size_t> equal = arena.make<std::size_t>(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < equal.size(); ++i) equal[i] = share_of(n, count, i);
  return equal;
}

}  // namespace

std::size_t automatic_share(std::uint64_t n, std::size_t most, std::size_t index) {
  const std::uint64_t count = automatic_count(n, most);
  return index < count ? share_of(n, count, index) : most;
}

Status chunk_sizes(const EncodeConfig& config, std::size_t n, Arena& arena,
                   std::span<const std::size_t>& sizes) {
  if (!config.paging.is_automatic()) return page_sizes(config.paging, n, kMaxChunkN, arena, sizes);
  sizes = equal_sizes(n, automatic_count(n, config.max_chunk_n()), arena);
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
  const std::size_t most = std::min(spec.max_page_n(), max_n);
  sizes = equal_sizes(n, least_count(n, most), arena);
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
  const std::size_t most = std::clamp<std::size_t>(config.max_chunk_n(), 1, kMaxChunkN);
  const bool is_automatic = config.paging.is_automatic();
  return static_cast<std::size_t>(is_automatic ? automatic_count(n, most) : least_count(n, most));
}

}  // namespace numpact
