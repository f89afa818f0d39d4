// SPDX-License-Identifier: Apache-2.0
// Reads tables through the Python helper.
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <utility>

#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "formats/python/python_helper.hpp"

namespace numpact::cli {
namespace {

std::optional<std::uint64_t> optional_count(const Json& json, const char* key,
                                            const std::string& place) {
  const auto found = json.find(key);
  if (found == json.end()) fail_protocol(place);
  if (found->is_null()) return std::nullopt;
  return count_in(json, key, place);
}

const char* name_of_policy(NullPolicy nulls) {
  switch (nulls) {
    case NullPolicy::kKeep:
      return "keep";
    case NullPolicy::kDrop:
      return "drop";
    default:
      return "error";
  }
}

class HelperNumbers final : public NumberInput {
 public:
  HelperNumbers(std::shared_ptr<PythonHelper> helper, std::uint64_t reader, const Column& column,
                std::optional<std::uint64_t> count, NullPolicy nulls, std::string place)
      : helper_(std::move(helper)),
        reader_(reader),
        type_(column.type),
        dimension_(column.dimension),
        count_(count),
        policy_(nulls),
        place_(std::move(place)) {}

  NumberView next() override {
    while (take_block()) {
      if (!numbers_.empty()) break;  // otherwise all rows were null
    }
    return {type_, numbers_.data(), numbers_in(numbers_.size(), type_)};
  }

  std::optional<std::uint64_t> count() const override { return count_; }
  std::uint64_t null_count() const override { return runs_.nulls(); }
  NullRuns* null_runs() override { return policy_ == NullPolicy::kKeep ? &runs_ : nullptr; }

 private:
  // Reads the next block. Returns false at the end.
  bool take_block() {
    const Json answer = helper_->ask({{"verb", "next"}, {"reader", reader_}}, place_);
    const std::uint64_t rows = count_in(answer, "rows", place_);
    const std::size_t size = size_of(type_);
    const std::uint64_t max_bytes = std::max<std::uint64_t>(kBlockNumbers, dimension_) * size;
    numbers_ =
        helper_->receive_bytes(max_bytes, place_);  // aligned like any allocation of operator new
    const std::vector<std::byte> valid = helper_->receive_bytes(kBlockNumbers, place_);
    if (numbers_.size() % size != 0 || (!valid.empty() && valid.size() != rows)) {
      fail_protocol(place_);
    }
    const std::uint64_t nulls_before = runs_.nulls();
    if (valid.empty()) {
      runs_.add_numbers(rows);
    } else {
      runs_.add_validity({reinterpret_cast<const std::uint8_t*>(valid.data()), valid.size()});
    }
    const std::uint64_t with_numbers = rows - (runs_.nulls() - nulls_before);
    if (numbers_in(numbers_.size(), type_) != with_numbers * dimension_) fail_protocol(place_);
    if (policy_ != NullPolicy::kKeep) runs_.take();  // discarded, since nobody else takes them
    return rows > 0;
  }

  std::shared_ptr<PythonHelper> helper_;
  std::uint64_t reader_;
  NumberType type_;
  std::uint64_t dimension_;
  std::optional<std::uint64_t> count_;
  NullPolicy policy_;
  std::string place_;
  std::vector<std::byte> numbers_;
  NullRuns runs_;
};

// Whether a type of Arrow, by its name, is one of texts or bytes, or of categories of them.
bool has_texts(std::string_view type) {
  constexpr std::string_view kDictionary = "dictionary<values=";
  if (type.starts_with(kDictionary)) {
    type.remove_prefix(kDictionary.size());
    type = type.substr(0, type.find(','));
  }
  return table::text_type_of_name(type) || type == "string_view" || type == "binary_view";
}

class HelperTexts final : public TextInput {
 public:
  HelperTexts(std::shared_ptr<PythonHelper> helper, std::uint64_t reader, std::string place)
      : helper_(std::move(helper)), reader_(reader), place_(std::move(place)) {}

  const TextBlock& next() override {
    block_ = {};
    const Json answer = helper_->ask({{"verb", "next"}, {"reader", reader_}}, place_);
    const std::uint64_t rows = count_in(answer, "rows", place_);
    const auto bytes = helper_->receive_bytes(~std::uint64_t{0}, place_);
    const auto ends = helper_->receive_bytes(kOtherBatchRows * sizeof(std::uint64_t), place_);
    const auto valid = helper_->receive_bytes(kOtherBatchRows, place_);
    const bool fits =
        ends.size() == rows * sizeof(std::uint64_t) && (valid.empty() || valid.size() == rows);
    if (!fits) fail_protocol(place_);
    block_.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    block_.ends.resize(static_cast<std::size_t>(rows));
    if (rows > 0) std::memcpy(block_.ends.data(), ends.data(), ends.size());
    const auto* const flags = reinterpret_cast<const std::uint8_t*>(valid.data());
    block_.valid.assign(flags, flags + valid.size());
    return block_;
  }

 private:
  std::shared_ptr<PythonHelper> helper_;
  std::uint64_t reader_;
  std::string place_;
  TextBlock block_;
};

class HelperTable final : public TableInput {
 public:
  // `format`: the helper's name of the format; `needs`: the start of the message if pyarrow is
  // missing.
  HelperTable(Input& input, const InputOptions& options, const char* format, const char* needs)
      : TableInput(true), name_(input.name()) {
    start(input, format, needs);
    const bool is_for_vectors = options.purpose == Purpose::kVectors;
    const Json answer = helper_->ask({{"verb", "open"}, {"lists", is_for_vectors}}, name_);
    const auto columns = answer.find("columns");
    if (columns == answer.end() || !columns->is_array()) fail_protocol(name_);
    for (const Json& json : *columns) {
      Column& column = columns_.emplace_back(column_from_json(json, name_));
      if (is_for_vectors && !column.unfit.empty()) column.unfit = no_vectors(column.source_type);
    }
    metadata_ = metadata_in(answer, name_);
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    Column& column = columns_[index];
    const std::string place = column_place(name_, column.name);
    const Json answer = helper_->ask(
        {{"verb", "column"}, {"column", index}, {"nulls", name_of_policy(nulls_)}}, place);
    std::optional<std::uint64_t> count = optional_count(answer, "rows", place);
    if (nulls_ == NullPolicy::kDrop) count.reset();
    if (count) *count *= column.dimension;
    column.logical.unit = unit_in(answer, place);
    return std::make_unique<HelperNumbers>(helper_, count_in(answer, "reader", place), column,
                                           count, nulls_, place);
  }

  bool can_keep(std::size_t) const override { return true; }

  std::unique_ptr<TextInput> open_texts(std::size_t index) override {
    const Column& column = columns_[index];
    const std::string place = column_place(name_, column.name);
    if (!has_texts(column.source_type)) return nullptr;
    const Json answer = helper_->ask({{"verb", "texts"}, {"column", index}}, place);
    return std::make_unique<HelperTexts>(helper_, count_in(answer, "reader", place), place);
  }

  OtherColumn write_other(std::size_t index, ByteSink& file) override {
    const std::string place = column_place(name_, columns_[index].name);
    helper_->send({{"verb", "keep"}, {"column", index}}, place);
    return receive_other(*helper_, file, place);
  }

 private:
  // The helper opens a file by its path; input from a pipe is sent to it.
  void start(Input& input, const char* format, const char* needs) {
    std::vector<std::string> args{"read", format};
    const bool is_file = input.size().value_or(0) > 0;
    if (is_file) args.push_back(input.path());
    helper_ = std::make_shared<PythonHelper>(args, needs, name_);
    if (is_file) return;
    std::vector<std::byte> block(std::size_t{1} << 20);
    for (;;) {
      const std::size_t got = input.read_full(block);
      if (got > 0) helper_->send(std::span<const std::byte>(block).first(got), name_);
      if (got < block.size()) break;
    }
    helper_->send(std::span<const std::byte>(), name_);
  }

  static TimeUnit unit_in(const Json& answer, const std::string& place) {
    const auto found = answer.find("unit");
    if (found == answer.end() || !found->is_string()) fail_protocol(place);
    const std::optional<TimeUnit> unit = table::unit_of_name(found->get<std::string>());
    if (!unit) fail_protocol(place);
    return *unit;
  }

  std::string name_;
  std::shared_ptr<PythonHelper> helper_;
};

}  // namespace

std::unique_ptr<TableInput> open_parquet(std::unique_ptr<Input> input,
                                         const InputOptions& options) {
  return std::make_unique<HelperTable>(*input, options, "parquet", "Parquet");
}

std::unique_ptr<TableInput> open_arrow_file(std::unique_ptr<Input> input,
                                            const InputOptions& options) {
  return std::make_unique<HelperTable>(*input, options, "arrow", "Arrow IPC");
}

std::unique_ptr<TableInput> open_arrow_stream(std::unique_ptr<Input> input,
                                              const InputOptions& options) {
  return std::make_unique<HelperTable>(*input, options, "arrows", "Arrow IPC");
}

}  // namespace numpact::cli
