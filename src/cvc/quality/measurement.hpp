// SPDX-License-Identifier: Apache-2.0
// Compares original rows with their decoded versions for several compressions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cvc/quality/errors.hpp"
#include "cvc/quality/packer.hpp"
#include "cvc/quality/row_sample.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/executor.hpp"

namespace numpact::cvc::quality {

// One compression, or one file.
struct Candidate {
  std::string name;         // of the compression or file
  std::string compression;  // compressions in use, joined with "+"
  std::unique_ptr<Decoded> decoded;
  std::uint64_t bytes = 0;
  ErrorSum errors;
  std::vector<float> sample;  // decoded rows of the sample
  std::string unfit;          // why it cannot take the values; the other members are then unset
};

// Compares all rows, and keeps a sample of them.
class Measurement {
 public:
  Measurement(std::vector<Candidate> candidates, std::string place, Dtype dtype,
              std::uint64_t dimension, std::size_t sample_rows, Executor& executor);

  // Adds the next rows of the original, contiguous, as one chunk of each compression. Throws Failed
  // if a value is not finite, with its row.
  void add(const Rows& chunk);
  // To be called after the last chunk.
  void finish();

  std::uint64_t rows() const { return rows_; }
  const std::vector<Candidate>& candidates() const { return candidates_; }
  std::size_t sample_rows() const { return sample_.size(); }
  // Rows of the sample in random order, which is the same for all candidates.
  std::vector<float> original_sample() const { return in_order(original_sample_); }
  std::vector<float> sample_of(const Candidate& candidate) const {
    return in_order(candidate.sample);
  }

 private:
  struct Kept {
    std::uint64_t row;  // in the chunk
    std::size_t place;  // in the sample
  };
  // Calls f(rows) for blocks of the chunk.
  template <class F>
  void for_each_block(std::uint64_t rows, const F& f) const;
  void read_original(const Rows& chunk, const RowRange& rows, std::vector<double>& out) const;
  void take_original(const Rows& chunk);
  void require_finite(std::span<const double> values, std::uint64_t first_row) const;
  void compare(Candidate& candidate, const Rows& chunk) const;
  template <class Value>
  void keep(const RowRange& rows, std::span<const Value> values, std::vector<float>& sample) const;
  std::vector<float> in_order(const std::vector<float>& sample) const;

  std::vector<Candidate> candidates_;
  std::string place_;
  Dtype dtype_;
  std::size_t dimension_;
  Executor& executor_;
  RowSample sample_;
  std::vector<float> original_sample_;
  std::vector<Kept> kept_;  // of the current chunk, by row
  std::uint64_t rows_ = 0;
};

}  // namespace numpact::cvc::quality
