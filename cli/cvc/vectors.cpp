// SPDX-License-Identifier: Apache-2.0
#include "cvc/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "failure.hpp"
#include "formats/formats.hpp"
#include "platform/compiler.hpp"

namespace numpact::cli {
namespace {

// Indices of the selected columns, in the order of the options; all columns if none is selected.
// Fails if a column does not exist or is ambiguous.
std::vector<std::size_t> choose_columns(const TableInput& table, const VectorOptions& options,
                                        const std::string& file) {
  std::vector<std::size_t> chosen;
  if (options.columns.empty()) {
    for (std::size_t i = 0; i < table.columns().size(); ++i) chosen.push_back(i);
    return chosen;
  }
  const std::vector<std::string> names = names_of(table.columns());
  for (const std::string& requested : options.columns) {
    const std::size_t index = find_name(names, file, requested);
    if (std::find(chosen.begin(), chosen.end(), index) != chosen.end()) {
      fail_usage("--column", "names '{}' twice", names[index]);
    }
    chosen.push_back(index);
  }
  return chosen;
}

// The options about raw vectors.
void take_raw_options(const VectorOptions& options, const std::string& file, InputOptions& input) {
  if (options.dtype.empty() || !options.dimension) {
    fail_usage(file, "raw vectors need --dtype and --dimension");
  }
  const std::optional<Element> element = element_of_name(options.dtype);
  if (!element) fail_usage("--dtype", "'" + options.dtype + "' is not a number type");
  if (*options.dimension == 0) fail_usage("--dimension", "is 0");
  input.dtype = element->type;
  input.is_bfloat16 = element->is_bfloat16;
  input.dimension = options.dimension;
}

constexpr const char* kVectorNullAdvice =
    " (vectors have none: fill them in the source, or choose other columns by --column)";

// Messages of formats name options of `compress`, which commands on vectors do not have.
template <class Work>
auto with_own_advice(Work&& work) {
  try {
    return work();
  } catch (const Failure& failure) {
    std::string text = failure.what();
    const std::size_t at = text.find(kNullAdvice);
    if (at == std::string::npos) throw;
    text.replace(at, std::string_view(kNullAdvice).size(), kVectorNullAdvice);
    throw Failure(failure.code(), "", text);
  }
}

// Reasons in a message; more are only counted.
constexpr std::size_t kMaxReasons = 8;

std::string joined(std::span<const std::string> reasons) {
  std::string text;
  for (std::size_t i = 0; i < std::min(reasons.size(), kMaxReasons); ++i) {
    text += (i == 0 ? ": " : "; ") + reasons[i];
  }
  if (reasons.size() > kMaxReasons) {
    text += fmt::format("; and {} more", reasons.size() - kMaxReasons);
  }
  return text;
}

}  // namespace

VectorInput::RowReader::RowReader(std::unique_ptr<NumberInput> numbers, const Column& column,
                                  std::string place)
    : numbers_(std::move(numbers)),
      dimension_(column.dimension),
      size_(size_of(column.type)),
      dtype_(dtype_read_as(element_of(column))),
      widener_(element_of(column), place),
      place_(std::move(place)) {}

cvc::Rows VectorInput::RowReader::next(std::uint64_t rows, bool is_only) {
  const std::uint64_t needed = rows * dimension_;
  if (rest_.count == 0) rest_ = numbers_->next();
  if (const std::size_t stride = numbers_->row_stride(); stride != 0) {
    const NumberView block = std::exchange(rest_, {});
    return {dtype_, block.data, block.count / dimension_, dimension_, stride};
  }
  if (rest_.count >= needed) return take(needed);
  if (is_only && rest_.count % dimension_ == 0) return take(rest_.count);
  return collect(needed);
}

// The first numbers of the rest, in place unless they are widened.
cvc::Rows VectorInput::RowReader::take(std::uint64_t numbers) {
  const std::span<const std::byte> bytes =
      bytes_of(rest_).first(static_cast<std::size_t>(numbers) * size_);
  rest_ = {rest_.type, bytes.data() + bytes.size(),
           rest_.count - static_cast<std::size_t>(numbers)};
  return {dtype_, widener_.widen(bytes).data(), numbers / dimension_, dimension_};
}

// Copies numbers of several blocks; fewer than requested only at the end.
cvc::Rows VectorInput::RowReader::collect(std::uint64_t numbers) {
  const std::uint64_t needed = numbers * size_;
  buffer_.clear();
  while (buffer_.size() < needed) {
    if (rest_.count == 0) rest_ = numbers_->next();
    if (rest_.count == 0) break;
    const std::span<const std::byte> bytes = bytes_of(rest_);
    const std::size_t taken = std::min<std::size_t>(bytes.size(), needed - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(),
                   bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    rest_ = {rest_.type, bytes.data() + taken, rest_.count - taken / size_};
  }
  if (buffer_.size() % (dimension_ * size_) != 0) fail_corrupt(place_, "corrupt: ends in a list");
  return {dtype_, widener_.widen(buffer_).data(), buffer_.size() / (dimension_ * size_),
          dimension_};
}

VectorInput::VectorInput(std::unique_ptr<TableInput> table, std::string name,
                         std::string_view column_noun, const VectorOptions& options)
    : table_(std::move(table)),
      name_(std::move(name)),
      noun_(column_noun),
      notes_(table_->take_notes()) {
  for (const std::size_t index : choose_columns(*table_, options, name_)) {
    add_column(index, !options.columns.empty());
  }
  if (columns_.empty()) {
    const std::string what = noun_ == "tensor"
                                 ? "no tensor holds vectors"
                                 : "no column holds numbers or lists of equally many numbers";
    fail(name_, what + joined(notes_));
  }
  block_rows_ =
      std::max<std::uint64_t>(1, kRowBlockBytes / std::max<std::uint64_t>(1, row_bytes(columns_)));
  for (RowReader& reader : readers_) reader.set_block_rows(block_rows_);
  blocks_.resize(columns_.size());
}

void VectorInput::add_column(std::size_t index, bool is_requested) {
  const Column& source = table_->columns()[index];
  const std::string place = table_->has_names() ? column_place(name_, source.name) : name_;
  if (!source.unfit.empty()) {
    if (is_requested) fail(place, source.unfit);
    notes_.push_back(left_out_note(noun_, source.name, source.unfit));
    return;
  }
  std::unique_ptr<NumberInput> numbers = table_->open(index);
  elements_.push_back(element_of(source));
  Column& column = columns_.emplace_back(source);
  set_dtype(column, dtype_read_as(element_of(source)));
  if (source.logical.kind != LogicalKind::kNumber) {
    notes_.push_back(fmt::format("column '{}' ({}) is taken as {}", source.name, source.source_type,
                                 name_of(dtype_of(column))));
  }
  if (numbers->count()) take_rows(*numbers->count() / column.dimension, column.name);
  readers_.emplace_back(std::move(numbers), source, place);
}

void VectorInput::take_rows(std::uint64_t rows, const std::string& name) {
  if (rows_ && *rows_ != rows) {
    fail(name_, "{0}s '{1}' and '{2}' have {3} and {4} rows (choose with --column)", noun_,
         columns_[0].name, name, *rows_, rows);
  }
  rows_ = rows;
}

std::span<const cvc::Rows> VectorInput::next() {
  for (std::size_t c = 0; c < readers_.size(); ++c) {
    blocks_[c] =
        with_own_advice([&] { return readers_[c].next(block_rows_, readers_.size() == 1); });
    if (blocks_[c].count != blocks_[0].count) {
      fail_corrupt(readers_[c].place(), "corrupt: the columns differ in length");
    }
  }
  if (blocks_[0].count == 0) return {};
  return blocks_;
}

std::unique_ptr<VectorInput> open_vectors(const std::string& path, const VectorOptions& options) {
  auto input = std::make_unique<Input>(path);
  const std::string name = input->name();
  const Format& format = options.from.empty()
                             ? guess_input_format(*input, !options.dtype.empty(), Purpose::kVectors)
                             : input_format(options.from, Purpose::kVectors);
  const bool is_raw = format.name == "raw";
  if (!is_raw && (!options.dtype.empty() || options.dimension)) {
    fail_usage(options.dtype.empty() ? "--dimension" : "--dtype", "is for raw vectors only");
  }
  if (format.column_noun.empty() && !options.columns.empty()) {
    fail_usage(name, "has no columns to choose from (--column)");
  }
  InputOptions table;
  table.purpose = Purpose::kVectors;
  table.skips_unfit = options.columns.empty();
  if (is_raw) take_raw_options(options, name, table);
  return with_own_advice([&] {
    return std::make_unique<VectorInput>(format.open(std::move(input), table), name,
                                         format.column_noun, options);
  });
}

std::unique_ptr<TableOutput> make_vectors(OutputFile& file, std::string_view to,
                                          const OutputPlan& plan) {
  const Format& format = to.empty() ? guess_output_format(file.name(), Purpose::kVectors)
                                    : output_format(to, Purpose::kVectors);
  return format.make(file, plan);
}

std::uint64_t VectorInput::input_row_bytes() const {
  std::vector<Column> columns = columns_;
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].type = elements_[i].type;
  return row_bytes(columns);
}

std::uint64_t row_bytes(std::span<const Column> columns) {
  std::uint64_t bytes = 0;
  for (const Column& column : columns) {
    std::uint64_t more = 0;
    if (platform::multiply_overflows(column.dimension, size_of(column.type), &more) ||
        platform::add_overflows(bytes, more, &bytes)) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return bytes;
}

}  // namespace numpact::cli
