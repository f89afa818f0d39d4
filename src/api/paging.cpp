// SPDX-License-Identifier: Apache-2.0
#include "api/paging.hpp"

#include <algorithm>

#include "pco/limits.hpp"

namespace numpact {
namespace {

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

}  // namespace

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
  const std::size_t count = n / most + (n % most != 0 ? 1 : 0);
  const std::span<std::size_t> equal = arena.make<std::size_t>(count);
  for (std::size_t i = 0; i < count; ++i) equal[i] = n / count + (i < n % count ? 1 : 0);
  sizes = equal;
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

std::size_t page_count_bound(const PagingSpec& spec, std::size_t n) {
  if (const auto& exact = spec.exact_sizes()) return exact->size();
  const std::size_t most = std::clamp<std::size_t>(spec.max_page_n(), 1, kMaxChunkN);
  return n / most + (n % most != 0 ? 1 : 0);
}

}  // namespace numpact
