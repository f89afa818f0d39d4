// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include "cvc/quality/printed.hpp"
#include "cvc/quality/values.hpp"

namespace numpact::cvc::quality {
namespace {

constexpr std::size_t kBlockValues = std::size_t{1} << 18;
// Maximum bytes of chunks that are packed at the same time. Packing takes about twice the memory of
// a chunk.
constexpr std::uint64_t kMaxParallelChunkBytes = std::uint64_t{1} << 30;

}  // namespace

Measurement::Measurement(std::vector<Candidate> candidates, std::string place, Dtype dtype,
                         std::uint64_t dimension, std::size_t sample_rows, Executor& executor)
    : candidates_(std::move(candidates)),
      place_(std::move(place)),
      dtype_(dtype),
      dimension_(static_cast<std::size_t>(dimension)),
      executor_(executor),
      sample_(sample_rows) {}

template <class F>
void Measurement::for_each_block(std::uint64_t rows, const F& f) const {
  const std::uint64_t step = std::max<std::uint64_t>(1, kBlockValues / dimension_);
  for (std::uint64_t first = 0; first < rows; first += step) {
    f(RowRange{first, std::min(step, rows - first)});
  }
}

void Measurement::read_original(const Rows& chunk, const RowRange& rows,
                                std::vector<double>& out) const {
  const std::size_t row_bytes = dimension_ * size_of(dtype_);
  const auto* const data = static_cast<const std::byte*>(chunk.data);
  out.resize(static_cast<std::size_t>(rows.count) * dimension_);
  doubles_of({data + rows.first * row_bytes, rows.count * row_bytes}, dtype_, out);
}

void Measurement::require_finite(std::span<const double> values, std::uint64_t first_row) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::fabs(values[i]) <= std::numeric_limits<float>::max()) continue;
    const std::string why = std::isfinite(values[i]) ? "beyond float32" : "not finite";
    throw Failed(ErrorKind::kInvalidArgument, place_,
                 "row " + std::to_string(first_row + i / dimension_) + ", value " +
                     std::to_string(i % dimension_) + " is " + printed("%g", values[i]) + ": " +
                     why + ", so errors and distances cannot be measured");
  }
}

template <class Value>
void Measurement::keep(const RowRange& rows, std::span<const Value> values,
                       std::vector<float>& sample) const {
  const auto before = [](const Kept& kept, std::uint64_t row) { return kept.row < row; };
  auto kept = std::lower_bound(kept_.begin(), kept_.end(), rows.first, before);
  for (; kept != kept_.end() && kept->row < rows.first + rows.count; ++kept) {
    const auto from = values.subspan((kept->row - rows.first) * dimension_, dimension_);
    const std::size_t to = kept->place * dimension_;
    if (sample.size() < to + dimension_) sample.resize(to + dimension_);
    std::transform(from.begin(), from.end(), sample.begin() + static_cast<std::ptrdiff_t>(to),
                   [](Value value) { return static_cast<float>(value); });
  }
}

void Measurement::take_original(const Rows& chunk) {
  kept_.clear();
  for (std::uint64_t row = 0; row < chunk.count; ++row) {
    const std::optional<std::size_t> place = sample_.offer(rows_ + row);
    if (place) kept_.push_back({row, *place});
  }
  std::vector<double> values;
  for_each_block(chunk.count, [&](const RowRange& rows) {
    read_original(chunk, rows, values);
    require_finite(values, rows_ + rows.first);
    keep<double>(rows, values, original_sample_);
  });
}

void Measurement::compare(Candidate& candidate, const Rows& chunk) const {
  if (!candidate.unfit.empty()) return;
  try {
    candidate.decoded->begin(chunk);
  } catch (const Unfit& unfit) {
    candidate.unfit = unfit.what();
    candidate.decoded.reset();
    return;
  }
  std::vector<double> original;
  std::vector<float> decoded;
  for_each_block(chunk.count, [&](const RowRange& rows) {
    read_original(chunk, rows, original);
    decoded.resize(original.size());
    candidate.decoded->read(rows, decoded);
    candidate.errors.add(original, decoded, dimension_);
    keep<float>(rows, decoded, candidate.sample);
  });
}

void Measurement::add(const Rows& chunk) {
  take_original(chunk);
  struct Work {
    const Measurement& self;
    std::vector<Candidate>& candidates;
    const Rows& chunk;
    std::size_t first;
    std::vector<std::exception_ptr> failures;
  };
  const std::uint64_t bytes = chunk.count * dimension_ * size_of(dtype_);
  const auto together = static_cast<std::size_t>(std::clamp<std::uint64_t>(
      kMaxParallelChunkBytes / std::max<std::uint64_t>(1, bytes), 1, candidates_.size()));
  for (std::size_t first = 0; first < candidates_.size(); first += together) {
    const std::size_t count = std::min(together, candidates_.size() - first);
    Work work{*this, candidates_, chunk, first, std::vector<std::exception_ptr>(count)};
    executor_.run(
        count,
        [](void* argument, std::size_t index) noexcept {
          Work& mine = *static_cast<Work*>(argument);
          try {
            mine.self.compare(mine.candidates[mine.first + index], mine.chunk);
          } catch (...) {
            mine.failures[index] = std::current_exception();
          }
        },
        &work);
    for (const std::exception_ptr& failure : work.failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }
  rows_ += chunk.count;
}

void Measurement::finish() {
  for (Candidate& candidate : candidates_) {
    if (candidate.unfit.empty()) candidate.bytes = candidate.decoded->finish();
    candidate.decoded.reset();
  }
}

std::vector<float> Measurement::in_order(const std::vector<float>& sample) const {
  std::vector<float> rows;
  rows.reserve(sample.size());
  for (const std::size_t place : sample_.order()) {
    const auto row = sample.begin() + static_cast<std::ptrdiff_t>(place * dimension_);
    rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(dimension_));
  }
  return rows;
}

}  // namespace numpact::cvc::quality
