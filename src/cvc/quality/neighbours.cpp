// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/neighbours.hpp"

#include <algorithm>

namespace numpact::cvc::quality {
namespace {

// Queries that scan the base together: as many as fit in a cache with one panel.
constexpr std::size_t kBatchQueries = 32;
// Batches per thread between two progress reports. Larger groups balance threads better, smaller
// ones report more often.
constexpr std::size_t kBatchesPerThread = 4;

// Answers a batch of queries.
class Batch {
 public:
  // `first`: index of its first query among all queries.
  Batch(const Panels& base, std::span<const float> queries, std::size_t first, std::size_t k,
        Measure measure, std::span<Neighbour> out)
      : base_(base), first_(first), k_(k), measure_(measure), out_(out) {
    count_ = queries.size() / base.dimension();
    const std::size_t tiles = (count_ + kTileQueries - 1) / kTileQueries;
    values_.assign(queries.begin(), queries.end());
    values_.resize(tiles * kTileQueries * base.dimension());
    found_.resize(count_);
    for (std::vector<Neighbour>& heap : found_) heap.reserve(k);
  }

  void run() {
    for (std::size_t panel = 0; panel < base_.panels(); ++panel) {
      for (std::size_t query = 0; query < count_; query += kTileQueries) run_tile(panel, query);
    }
    for (std::size_t query = 0; query < count_; ++query) {
      std::sort_heap(found_[query].begin(), found_[query].end());
      std::copy(found_[query].begin(), found_[query].end(), out_.begin() + at(query * k_));
    }
  }

 private:
  static std::ptrdiff_t at(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }

  void run_tile(std::size_t panel, std::size_t query) {
    float distances[kTileQueries * kPanelRows];
    tile_distances(measure_, values_.data() + query * base_.dimension(), base_.panel(panel),
                   base_.dimension(), distances);
    const std::size_t first_row = panel * kPanelRows;
    const std::size_t rows = std::min(kPanelRows, base_.rows() - first_row);
    for (std::size_t q = 0; q < std::min(kTileQueries, count_ - query); ++q) {
      for (std::size_t r = 0; r < rows; ++r) {
        offer(query + q, {distances[q * kPanelRows + r], first_row + r});
      }
    }
  }

  void offer(std::size_t query, const Neighbour& neighbour) {
    std::vector<Neighbour>& heap = found_[query];
    if (heap.size() == k_ && !(neighbour < heap.front())) return;
    if (neighbour.row == first_ + query) return;
    if (heap.size() == k_) {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    heap.push_back(neighbour);
    std::push_heap(heap.begin(), heap.end());
  }

  const Panels& base_;
  std::size_t first_;
  std::size_t k_;
  Measure measure_;
  std::span<Neighbour> out_;
  std::size_t count_ = 0;
  std::vector<float> values_;
  std::vector<std::vector<Neighbour>> found_;  // a heap per query, the farthest on top
};

}  // namespace

std::vector<Neighbour> nearest(const Panels& base, std::span<const float> queries, std::size_t k,
                               Measure measure, Executor& executor, const QueriesDone& done) {
  const std::size_t dimension = base.dimension();
  const std::size_t count = queries.size() / dimension;
  std::vector<Neighbour> found(count * k);
  const std::size_t group_queries =
      kBatchQueries * kBatchesPerThread * std::max<std::size_t>(1, executor.concurrency());
  for (std::size_t first = 0; first < count; first += group_queries) {
    const std::size_t end = std::min(count, first + group_queries);
    std::vector<Batch> batches;
    for (std::size_t query = first; query < end; query += kBatchQueries) {
      const std::size_t n = std::min(kBatchQueries, end - query);
      batches.emplace_back(base, queries.subspan(query * dimension, n * dimension), query, k,
                           measure, std::span(found).subspan(query * k, n * k));
    }
    executor.run(
        batches.size(),
        [](void* argument, std::size_t index) noexcept {
          (*static_cast<std::vector<Batch>*>(argument))[index].run();
        },
        &batches);
    if (done) done(end - first);
  }
  return found;
}

}  // namespace numpact::cvc::quality
