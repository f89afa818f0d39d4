// SPDX-License-Identifier: Apache-2.0
#include "cvc/loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cvc/quality/packed_file.hpp"
#include "cvc/quality/values.hpp"
#include "failure.hpp"
#include "numpact/cvc/reader.hpp"

namespace numpact::cli {
namespace {

// Compares blocks of rows of a column.
class Comparison {
 public:
  Comparison(const cvc::Reader& reader, std::size_t column)
      : reader_(reader), column_(column), dtype_(dtype_read_from(reader.info(), column)) {}

  // `first`: the row of the file that the first row of the block is.
  void add(const cvc::Rows& block, std::uint64_t first, const std::string& place) {
    const auto values = static_cast<std::size_t>(block.count * block.dimension);
    stored_.resize(values * cvc::size_of(dtype_));
    const cvc::RowRange range{first, block.count};
    const cvc::Target target{cvc::MutableRows(dtype_, stored_.data(), block.count, block.dimension),
                             column_};
    check(reader_.read({&range, 1}, {&target, 1}).status(), place);
    decoded_.resize(values);
    cvc::quality::doubles_of(stored_, dtype_, decoded_);
    const auto dimension = static_cast<std::size_t>(block.dimension);
    const std::size_t row_bytes = dimension * cvc::size_of(block.dtype);
    const std::size_t stride = block.stride == 0 ? row_bytes : block.stride;
    original_.resize(dimension);
    for (std::size_t row = 0; row < block.count; ++row) {
      const auto* const data = static_cast<const std::byte*>(block.data) + row * stride;
      cvc::quality::doubles_of({data, row_bytes}, block.dtype, original_);
      for (std::size_t i = 0; i < dimension; ++i) {
        const double decoded = decoded_[row * dimension + i];
        const double error = std::fabs(original_[i] - decoded);
        if (std::isfinite(error)) {
          loss_.max_error = std::max(loss_.max_error, error);
        } else if (std::isnan(original_[i]) && std::isnan(decoded)) {
          loss_.has_nan = true;
        } else if (original_[i] != decoded) {
          loss_.changes_nonfinite = true;
        }
      }
    }
  }
  const Loss& loss() const { return loss_; }

 private:
  const cvc::Reader& reader_;
  std::size_t column_;
  cvc::Dtype dtype_;
  std::vector<std::byte> stored_;
  std::vector<double> decoded_;
  std::vector<double> original_;  // one row
  Loss loss_;
};

}  // namespace

std::string Loss::text() const {
  if (max_error > 0) return fmt::format(", max error {:.2e}", max_error);
  if (changes_nonfinite) return "";
  return has_nan ? ", exact (NaNs may have other payloads)" : ", exact";
}

std::vector<Loss> losses(VectorInput& original, const std::string& packed, ProgressBar& progress) {
  Result<cvc::Reader> reader = cvc::Reader::open(packed);
  check(reader.status(), packed);
  std::vector<Comparison> columns;
  for (std::size_t i = 0; i < original.columns().size(); ++i) columns.emplace_back(*reader, i);
  std::uint64_t done = 0;
  const auto require = [&](bool is_same) {
    if (is_same) return;
    fail(original.name(), "has changed while it was packed");
  };
  for (;;) {
    const std::span<const cvc::Rows> block = original.next();
    if (block.empty() || block[0].count == 0) break;
    require(block[0].count <= reader->rows() - done);
    std::uint64_t numbers = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i].add(block[i], done, packed);
      numbers += block[i].count * block[i].dimension;
    }
    progress.add(numbers, block[0].count * original.input_row_bytes());
    done += block[0].count;
  }
  require(done == reader->rows());
  std::vector<Loss> found;
  found.reserve(columns.size());
  for (const Comparison& column : columns) found.push_back(column.loss());
  return found;
}

}  // namespace numpact::cli
