// SPDX-License-Identifier: Apache-2.0
// Reads vectors from tables: columns of numbers, and of lists of a fixed length.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cvc/element.hpp"
#include "cvc/vector_formats.hpp"
#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/row_stream.hpp"
#include "formats/table.hpp"

namespace numpact::cli {
namespace {

// Reads the numbers of one column in blocks of any requested size.
class ColumnRows {
 public:
  ColumnRows(std::unique_ptr<NumberInput> numbers, const Column& column, const std::string& place)
      : numbers_(std::move(numbers)),
        dimension_(std::max<std::uint64_t>(1, column.list_size)),
        size_(size_of(column.type)),
        dtype_(dtype_read_as({column.type})),
        widener_({column.type}, false, place),
        place_(place) {}

  const std::string& place() const { return place_; }

  cvc::Rows next(std::uint64_t rows) {
    const std::uint64_t needed = rows * dimension_ * size_;
    buffer_.clear();
    while (buffer_.size() < needed && refill()) {
      const std::size_t taken = std::min<std::size_t>(rest_.size(), needed - buffer_.size());
      buffer_.insert(buffer_.end(), rest_.begin(),
                     rest_.begin() + static_cast<std::ptrdiff_t>(taken));
      rest_ = rest_.subspan(taken);
    }
    if (buffer_.size() % (dimension_ * size_) != 0) {
      throw Failure(ExitCode::kCorrupt, place_, "corrupt: ends in a list");
    }
    return {dtype_, widener_.widen(std::span(buffer_)).data(),
            buffer_.size() / (dimension_ * size_), dimension_};
  }

 private:
  bool refill() {
    if (rest_.empty()) rest_ = bytes_of(numbers_->next());
    return !rest_.empty();
  }

  std::unique_ptr<NumberInput> numbers_;
  std::uint64_t dimension_;
  std::size_t size_;
  cvc::Dtype dtype_;
  Widener widener_;
  std::string place_;
  std::span<const std::byte> rest_;
  std::vector<std::byte> buffer_;
};

class TableVectors final : public VectorInput {
 public:
  TableVectors(std::unique_ptr<TableInput> table, const std::string& name,
               const VectorOptions& options)
      : VectorInput(name, true), table_(std::move(table)) {
    std::vector<std::string> names;
    for (const Column& column : table_->columns()) names.push_back(column.name);
    notes_ = table_->notes();
    std::uint64_t row_bytes = 0;
    for (const std::size_t index : choose_columns(names, options, name_)) {
      row_bytes += add_column(index, !options.columns.empty());
    }
    if (columns_.empty()) {
      throw Failure(ExitCode::kFailure, name_,
                    "no column holds numbers or lists of equally many numbers");
    }
    block_rows_ = rows_per_block(row_bytes);
    blocks_.resize(columns_.size());
  }

  std::optional<std::uint64_t> rows() const override { return rows_; }

  std::span<const cvc::Rows> next() override {
    for (std::size_t c = 0; c < inputs_.size(); ++c) {
      blocks_[c] = inputs_[c].next(block_rows_);
      if (blocks_[c].count != blocks_[0].count) {
        throw Failure(ExitCode::kCorrupt, inputs_[c].place(),
                      "corrupt: the columns differ in length");
      }
    }
    if (blocks_[0].count == 0) return {};
    return blocks_;
  }

 private:
  // Returns the bytes of a row as it is read.
  std::uint64_t add_column(std::size_t index, bool is_requested) {
    const Column& column = table_->columns()[index];
    const std::string place = column_place(name_, column.name);
    if (!column.unfit.empty()) {
      const std::string why = fmt::format(
          "values of type {} are no numbers or lists of equally many numbers", column.source_type);
      if (is_requested) throw Failure(ExitCode::kFailure, place, why);
      notes_.push_back(fmt::format("column '{}' is left out: {}", column.name, why));
      return 0;
    }
    VectorColumn& added = columns_.emplace_back();
    added.name = column.name;
    added.shape = column.list_size == 0 ? Shape::kScalar : Shape::kList;
    added.dimension = std::max<std::uint64_t>(1, column.list_size);
    added.dtype = dtype_read_as({column.type});
    added.source_type = column.source_type;
    if (column.logical.kind != LogicalKind::kNumber) {
      notes_.push_back(fmt::format("column '{}' ({}) is taken as {}", column.name,
                                   column.source_type, name_of(added.dtype)));
    }
    std::unique_ptr<NumberInput> numbers = table_->open(index);
    if (numbers->count()) rows_ = *numbers->count() / added.dimension;
    inputs_.emplace_back(std::move(numbers), column, place);
    return added.dimension * size_of(added.dtype);
  }

  std::unique_ptr<TableInput> table_;
  std::vector<ColumnRows> inputs_;
  std::vector<cvc::Rows> blocks_;
  std::optional<std::uint64_t> rows_;
  std::uint64_t block_rows_ = 1;
};

std::unique_ptr<VectorInput> open_table_vectors(std::unique_ptr<Input> input,
                                                const VectorOptions& options, OpenInput* open) {
  const std::string name = input->name();
  InputOptions table;
  table.lists = true;
  return std::make_unique<TableVectors>(open(std::move(input), table), name, options);
}

}  // namespace

std::unique_ptr<VectorInput> open_parquet_vectors(std::unique_ptr<Input> input,
                                                  const VectorOptions& options) {
  return open_table_vectors(std::move(input), options, open_parquet);
}

std::unique_ptr<VectorInput> open_arrow_vectors(std::unique_ptr<Input> input,
                                                const VectorOptions& options) {
  return open_table_vectors(std::move(input), options, open_arrow_file);
}

std::unique_ptr<VectorInput> open_arrows_vectors(std::unique_ptr<Input> input,
                                                 const VectorOptions& options) {
  return open_table_vectors(std::move(input), options, open_arrow_stream);
}

}  // namespace numpact::cli
