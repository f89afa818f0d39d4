// SPDX-License-Identifier: Apache-2.0
#include "api/paging.hpp"

#include <algorithm>

#include "pco/limits.hpp"

namespace numpact {
namespace {

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

std::span<const std::size_t> equal_sizes(std::size_t n, std::size_t most, Arena& arena) {
  const std::size_t count = n / most + (n % most != 0 ? 1 : 0);
  const std::span<std::size_t> equal = arena.make<std::size_t>(count);
  for (std::size_t i = 0; i < count; ++i) equal[i] = equal_share(n, most, i);
  return equal;
}

}  // namespace

std::size_t equal_share(std::uint64_t n, std::size_t most, std::size_t index) {
  const std::uint64_t count = n / most + (n % most != 0 ? 1 : 0);
  if (index >= count) return most;
  return static_cast<std::size_t>(n / count + (index < n % count ? 1 : 0));
}

Status chunk_sizes(const EncodeConfig& config, std::size_t n, Arena& arena,
                   std::span<const std::size_t>& sizes) {
  if (!config.paging.is_automatic()) return page_sizes(config.paging, n, kMaxChunkN, arena, sizes);
  sizes = equal_sizes(n, config.max_chunk_n(), arena);
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
  sizes = equal_sizes(n, most, arena);
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
  return n / most + (n % most != 0 ? 1 : 0);
}

}  // namespace numpact
