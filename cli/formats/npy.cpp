// SPDX-License-Identifier: Apache-2.0
// Reads NumPy arrays.
#include <fmt/format.h>

#include <bit>
#include <limits>
#include <utility>

#include "failure.hpp"
#include "formats/array.hpp"
#include "formats/formats.hpp"
#include "formats/npy_header.hpp"

namespace numpact::cli {
namespace {

struct Element {
  NumberType type = NumberType::kU8;
  bool swap_bytes = false;
  std::string note;
};

Element parse_descr(const std::string& descr, const std::string& file) {
  const auto unfit = [&] {
    return Failure(ExitCode::kFailure, file,
                   fmt::format("NumPy type '{}' cannot be compressed", descr));
  };
  if (descr.size() < 3) throw unfit();
  Element element;
  const char order = descr[0];
  const std::string kind = descr.substr(1);
  const bool little = std::endian::native == std::endian::little;
  element.swap_bytes = order == '<' ? !little : order == '>' ? little : false;
  if (kind == "b1") {
    element.note = "truth values are stored as u8";
  } else if (kind.starts_with("M8") || kind.starts_with("m8")) {
    element.type = NumberType::kI64;
    element.note = fmt::format("'{}' is stored as i64, the unit is not kept", descr);
  } else {
    const std::string name = fmt::format("{}{}", kind[0], 8 * (kind[1] - '0'));
    const std::optional<NumberType> type =
        kind.size() == 2 ? number_type_of_name(name) : std::nullopt;
    if (!type) throw unfit();
    element.type = *type;
  }
  if (size_of(element.type) == 1) element.swap_bytes = false;
  if (element.swap_bytes && order == '>') element.note = "big-endian numbers are converted";
  return element;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

std::uint64_t count_of(const NpyHeader& header, const std::string& file) {
  std::uint64_t count = 1;
  for (const std::uint64_t length : header.shape) {
    if (length != 0 &&
        count > std::numeric_limits<std::uint32_t>::max() * std::uint64_t{1024} / length) {
      throw Failure(ExitCode::kCorrupt, file,
                    fmt::format("corrupt: an array of {} numbers", shape_text(header.shape)));
    }
    count *= length;
  }
  return count;
}

class NpyTable final : public TableInput {
 public:
  NpyTable(std::unique_ptr<Input> input, const InputOptions& options)
      : TableInput(false), input_(std::move(input)) {
    const std::string file = input_->name();
    const NpyHeader header = read_npy_header(*input_);
    const Element element = parse_descr(header.descr, file);
    layout_ = {element.type, count_of(header, file), element.swap_bytes};
    if (header.shape.size() != 1) flatten(header, options, file);
    if (!element.note.empty()) notes_.push_back(element.note);
    Column& column = columns_.emplace_back();
    column.type = element.type;
    column.source_type = header.descr;
  }

  std::unique_ptr<NumberInput> open(std::size_t) override {
    return read_array(std::move(input_), layout_);
  }

 private:
  void flatten(const NpyHeader& header, const InputOptions& options, const std::string& file) {
    const std::string shape =
        header.shape.empty() ? "a single number" : "an array of " + shape_text(header.shape);
    if (!options.flatten) {
      throw Failure(ExitCode::kFailure, file,
                    shape + ", not one-dimensional (--flatten gives up the shape)");
    }
    if (header.fortran_order) {
      throw Failure(ExitCode::kFailure, file,
                    shape + " in Fortran order, cannot be flattened (save it in C order)");
    }
    notes_.push_back(shape + " is stored flat, the shape is not kept");
  }

  std::unique_ptr<Input> input_;
  ArrayLayout layout_;
};

}  // namespace

std::unique_ptr<TableInput> open_npy(std::unique_ptr<Input> input, const InputOptions& options) {
  return std::make_unique<NpyTable>(std::move(input), options);
}

}  // namespace numpact::cli
