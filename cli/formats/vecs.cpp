// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "cvc/vecs.hpp"
#include "cvc/vector_formats.hpp"
#include "failure.hpp"
#include "formats/row_stream.hpp"

namespace numpact::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are taken as they lie");

// Returns rows in place, with the stride that they have in the file.
class VecsInput final : public VectorInput {
 public:
  VecsInput(std::unique_ptr<Input> input, cvc::Dtype dtype)
      : VectorInput(input->name()),
        input_(std::move(input)),
        dimension_(first_dimension(*input_)),
        row_bytes_(kVecsHeadBytes + dimension_ * size_of(dtype)),
        stream_(*input_, row_bytes_, std::nullopt) {
    columns_.push_back({"", Shape::kList, dimension_, dtype, std::string(name_of(dtype))});
    if (!input_->size()) return;
    rows_ = *input_->size() / row_bytes_;
    if (*input_->size() % row_bytes_ != 0) {
      throw Failure(ExitCode::kCorrupt, name_,
                    fmt::format("corrupt: {} bytes are no whole number of rows of {} numbers, "
                                "as the first has",
                                *input_->size(), dimension_));
    }
  }

  std::optional<std::uint64_t> rows() const override { return rows_; }

  std::span<const cvc::Rows> next() override {
    const std::uint64_t first = stream_.done();
    const std::span<const std::byte> bytes = stream_.next();
    if (bytes.empty()) return {};
    const std::uint64_t count = bytes.size() / row_bytes_;
    for (std::uint64_t row = 0; row < count; ++row) {
      const std::int32_t dimension = dimension_at(bytes.subspan(row * row_bytes_));
      if (dimension == static_cast<std::int64_t>(dimension_)) continue;
      throw Failure(ExitCode::kCorrupt, name_,
                    fmt::format("corrupt: row {} has {} numbers, the first has {}", first + row,
                                dimension, dimension_));
    }
    block_ = {columns_[0].dtype, bytes.data() + kVecsHeadBytes, count, dimension_,
              static_cast<std::size_t>(row_bytes_)};
    return {&block_, 1};
  }

 private:
  static std::int32_t dimension_at(std::span<const std::byte> bytes) {
    std::int32_t dimension = 0;
    std::memcpy(&dimension, bytes.data(), kVecsHeadBytes);
    return dimension;
  }

  static std::uint64_t first_dimension(Input& input) {
    const std::span<const std::byte> front = input.peek(kVecsHeadBytes);
    if (front.empty()) {
      throw Failure(ExitCode::kFailure, input.name(), "is empty: its dimension is not known");
    }
    if (front.size() < kVecsHeadBytes) {
      throw Failure(ExitCode::kCorrupt, input.name(), "truncated: ends in row 0");
    }
    const std::int32_t dimension = dimension_at(front);
    if (dimension < 1) {
      throw Failure(ExitCode::kCorrupt, input.name(),
                    fmt::format("corrupt: row 0 has {} numbers", dimension));
    }
    return static_cast<std::uint64_t>(dimension);
  }

  std::unique_ptr<Input> input_;
  std::uint64_t dimension_;
  std::uint64_t row_bytes_;
  RowStream stream_;
  std::optional<std::uint64_t> rows_;
  cvc::Rows block_;
};

std::unique_ptr<VectorInput> open_vecs(std::unique_ptr<Input> input, const VectorOptions& options,
                                       cvc::Dtype dtype) {
  refuse_columns(options, input->name());
  return std::make_unique<VecsInput>(std::move(input), dtype);
}

}  // namespace

std::unique_ptr<VectorInput> open_fvecs(std::unique_ptr<Input> input,
                                        const VectorOptions& options) {
  return open_vecs(std::move(input), options, cvc::Dtype::kFloat32);
}

std::unique_ptr<VectorInput> open_bvecs(std::unique_ptr<Input> input,
                                        const VectorOptions& options) {
  return open_vecs(std::move(input), options, cvc::Dtype::kUInt8);
}

std::unique_ptr<VectorInput> open_ivecs(std::unique_ptr<Input> input,
                                        const VectorOptions& options) {
  return open_vecs(std::move(input), options, cvc::Dtype::kInt32);
}

}  // namespace numpact::cli
