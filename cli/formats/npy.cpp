// SPDX-License-Identifier: Apache-2.0
// NumPy arrays: for numbers of one dimension, or flattened; for vectors of one or two dimensions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "formats/array.hpp"
#include "formats/formats.hpp"
#include "formats/npy_header.hpp"
#include "formats/row_stream.hpp"

namespace numpact::cli {
namespace {

struct NpyType {
  NumberType type = NumberType::kU8;
  bool swap_bytes = false;
  std::string note;
};

// Parses a descr such as "<f8"; none if its values are not stored as numbers. Booleans and times
// are numbers of Pco files only.
std::optional<NpyType> parse_descr(const std::string& descr, Purpose purpose) {
  if (descr.size() < 3) return std::nullopt;
  NpyType found;
  const char order = descr[0];
  const std::string kind = descr.substr(1);
  const bool is_time = kind.starts_with("M8") || kind.starts_with("m8");
  if (purpose == Purpose::kNumbers && kind == "b1") {
    found.note = "booleans are stored as u8";
  } else if (purpose == Purpose::kNumbers && is_time) {
    found.type = NumberType::kI64;
    found.note = fmt::format("'{}' is stored as i64, the unit is not kept", descr);
  } else {
    const std::string name = fmt::format("{}{}", kind[0], 8 * (kind[1] - '0'));
    const std::optional<NumberType> type =
        kind.size() == 2 ? number_type_of_name(name) : std::nullopt;
    if (!type) return std::nullopt;
    found.type = *type;
  }
  const bool little = std::endian::native == std::endian::little;
  found.swap_bytes = order == '<' ? !little : order == '>' ? little : false;
  if (size_of(found.type) == 1) found.swap_bytes = false;
  if (found.swap_bytes && order == '>') found.note = "big-endian numbers are converted";
  return found;
}

std::uint64_t count_of(const NpyHeader& header, const std::string& file) {
  std::uint64_t count = 1;
  for (const std::uint64_t length : header.shape) {
    if (length != 0 &&
        count > std::numeric_limits<std::uint32_t>::max() * std::uint64_t{1024} / length) {
      fail_corrupt(file, "corrupt: an array of {} numbers", fmt::join(header.shape, " x "));
    }
    count *= length;
  }
  return count;
}

// Reads Fortran order: columns are stored one after another, and rows are gathered from all of
// them. Starts at the current position of the input, which must be a file.
class FortranNumbers final : public NumberInput {
 public:
  FortranNumbers(const Input& input, const ArrayLayout& layout)
      : layout_(layout),
        file_(input.file()),
        numbers_(file_.bytes().subspan(static_cast<std::size_t>(input.bytes_read()))) {}

  std::optional<std::uint64_t> count() const override { return *layout_.rows * layout_.dimension; }

  NumberView next() override {
    const std::size_t size = size_of(layout_.type);
    const std::uint64_t dimension = layout_.dimension;
    const std::uint64_t count =
        std::min(std::max<std::uint64_t>(1, block_numbers() / dimension), *layout_.rows - done_);
    buffer_.resize(static_cast<std::size_t>(count * dimension * size));
    for (std::uint64_t column = 0; count > 0 && column < dimension; ++column) {
      const std::byte* from = numbers_.data() + (column * *layout_.rows + done_) * size;
      std::byte* to = buffer_.data() + column * size;
      for (std::uint64_t row = 0; row < count; ++row) {
        std::memcpy(to + row * dimension * size, from + row * size, size);
      }
    }
    done_ += count;
    if (layout_.swap_bytes) swap_bytes(buffer_, size);
    return {layout_.type, buffer_.data(), static_cast<std::size_t>(count * dimension)};
  }

 private:
  ArrayLayout layout_;
  FileBytes file_;
  std::span<const std::byte> numbers_;
  std::uint64_t done_ = 0;
  std::vector<std::byte> buffer_;
};

class NpyTable final : public TableInput {
 public:
  NpyTable(std::unique_ptr<Input> input, const InputOptions& options)
      : TableInput(false), input_(std::move(input)) {
    const NpyHeader header = read_npy_header(*input_);
    const bool is_for_vectors = options.purpose == Purpose::kVectors;
    const std::optional<NpyType> found = parse_descr(header.descr, options.purpose);
    if (!found) {
      fail(file(), "NumPy type '{}' {}", header.descr,
           is_for_vectors ? "is not a number type of vectors" : "cannot be compressed");
    }
    layout_.type = found->type;
    layout_.swap_bytes = found->swap_bytes;
    Column& column = columns_.emplace_back();
    column.type = found->type;
    column.source_type = header.descr;
    if (is_for_vectors) {
      take_rows(header);
    } else {
      layout_.rows = count_of(header, file());
      if (header.shape.size() != 1) flatten(header, options);
    }
    if (!found->note.empty()) notes_.push_back(found->note);
  }

  std::unique_ptr<NumberInput> open(std::size_t) override {
    if (is_fortran_) return std::make_unique<FortranNumbers>(*input_, layout_);
    return read_array(std::move(input_), layout_);
  }

 private:
  const std::string& file() const { return input_->name(); }

  void flatten(const NpyHeader& header, const InputOptions& options) {
    const std::string shape = header.shape.empty()
                                  ? "a single number"
                                  : fmt::format("an array of {}", fmt::join(header.shape, " x "));
    if (!options.flatten) {
      fail(file(), shape + ", not one-dimensional (--flatten gives up the shape)");
    }
    if (header.fortran_order) {
      fail(file(), shape + " in Fortran order, cannot be flattened (save it in C order)");
    }
    notes_.push_back(shape + " is stored flat, the shape is not kept");
  }

  // Sets the rows, which must be there, and their dimension.
  void take_rows(const NpyHeader& header) {
    const std::string shape = fmt::format("({})", fmt::join(header.shape, ", "));
    if (header.shape.empty() || header.shape.size() > 2) {
      fail(file(), "an array of shape {} holds no vectors", shape);
    }
    Column& column = columns_[0];
    column.is_list = header.shape.size() == 2;
    column.dimension = column.is_list ? header.shape[1] : 1;
    if (column.dimension == 0) fail(file(), "vectors of no numbers: shape {}", shape);
    layout_.rows = header.shape[0];
    layout_.dimension = column.dimension;
    layout_.row_noun = "row";
    const std::string what = fmt::format("shape {}", shape);
    const std::uint64_t numbers = checked_bytes(*layout_.rows, column.dimension, file(), what);
    const std::uint64_t bytes = checked_bytes(numbers, size_of(column.type), file(), what);
    const std::uint64_t offset = input_->bytes_read();
    if (input_->size() && *input_->size() - std::min(*input_->size(), offset) < bytes) {
      fail_corrupt(file(), "truncated: shape {} needs {} bytes behind the header, {} are there",
                   shape, bytes, *input_->size() - offset);
    }
    is_fortran_ = header.fortran_order && column.dimension > 1 && *layout_.rows > 1;
    if (is_fortran_ && !input_->size()) {
      fail(file(), "an array in Fortran order must be a file, it cannot come through a pipe");
    }
  }

  std::unique_ptr<Input> input_;
  ArrayLayout layout_;
  bool is_fortran_ = false;
};

class NpyOutput final : public TableOutput {
 public:
  NpyOutput(OutputFile& file, const OutputPlan& plan)
      : file_(file), column_(only_column(file, plan)), planned_(plan.count.value_or(0)) {
    if (column_.is_bfloat16) {
      fail_usage(file.name(), "NumPy has no bfloat16 (--dtype float32 or float16)");
    }
    if (!plan.count && !file.can_patch()) {
      fail(file.name(), plan.purpose == Purpose::kNumbers ? "the count of numbers is not known"
                                                          : "the number of rows is not known");
    }
    file_.put(header(planned_));
  }

  void write(std::span<const ColumnBlock> columns) override {
    file_.put(bytes_of(columns[0].numbers));
    count_ += columns[0].rows;
  }

  void finish() override {
    if (count_ == planned_) return;
    const std::string text = header(count_);
    file_.patch(0, std::as_bytes(std::span(text)));
  }

 private:
  std::string header(std::uint64_t rows) const {
    std::vector<std::uint64_t> shape{rows};
    if (column_.is_list) shape.push_back(column_.dimension);
    return npy_header(column_.type, shape);
  }

  OutputFile& file_;
  Column column_;
  std::uint64_t planned_;
  std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<TableInput> open_npy(std::unique_ptr<Input> input, const InputOptions& options) {
  return std::make_unique<NpyTable>(std::move(input), options);
}

std::unique_ptr<TableOutput> make_npy(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<NpyOutput>(file, plan);
}

}  // namespace numpact::cli
