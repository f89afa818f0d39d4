// SPDX-License-Identifier: Apache-2.0
// Tables read by the Python helper.
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <utility>

#include "convert.hpp"
#include "failure.hpp"
#include "formats.hpp"
#include "python_helper.hpp"

namespace numpact::cli {
namespace {

using Json = PythonHelper::Json;

std::optional<std::uint64_t> optional_count(const Json& json, const char* key,
                                            const std::string& place) {
  const auto found = json.find(key);
  if (found == json.end()) fail_protocol(place);
  if (found->is_null()) return std::nullopt;
  if (!found->is_number_unsigned()) fail_protocol(place);
  return found->get<std::uint64_t>();
}

std::uint64_t count_of(const Json& json, const char* key, const std::string& place) {
  const std::optional<std::uint64_t> count = optional_count(json, key, place);
  if (!count) fail_protocol(place);
  return *count;
}

class HelperNumbers final : public NumberInput {
 public:
  HelperNumbers(std::shared_ptr<PythonHelper> helper, std::uint64_t reader, NumberType type,
                std::optional<std::uint64_t> count, std::string place)
      : helper_(std::move(helper)),
        reader_(reader),
        type_(type),
        count_(count),
        place_(std::move(place)) {}

  NumberView next() override {
    const Json answer = helper_->ask({{"verb", "next"}, {"reader", reader_}}, place_);
    nulls_ = count_of(answer, "nulls", place_);
    const std::size_t size = size_of(type_);
    numbers_ =
        helper_->receive_bytes(kPieceNumbers * size, place_);  // as aligned as by operator new
    if (numbers_.size() % size != 0) fail_protocol(place_);
    return {type_, numbers_.data(), numbers_.size() / size};
  }

  std::optional<std::uint64_t> count() const override { return count_; }
  std::uint64_t nulls_dropped() const override { return nulls_; }

 private:
  std::shared_ptr<PythonHelper> helper_;
  std::uint64_t reader_;
  NumberType type_;
  std::optional<std::uint64_t> count_;
  std::string place_;
  std::vector<std::byte> numbers_;
  std::uint64_t nulls_ = 0;
};

// One of the formats: what the helper calls it, and how a message without pyarrow begins.
struct Kind {
  const char* format;
  const char* needs;
  bool is_text = false;
};

class HelperTable final : public TableInput {
 public:
  HelperTable(Input& input, const InputOptions& options, Kind kind)
      : TableInput(true), name_(input.name()), options_(options), kind_(kind) {
    start(input);
    // The columns of a text file get their types by reading all of it: one is read if one is asked
    // for, and numbers are parsed as the type that is asked for.
    const bool one = kind_.is_text && options_.column;
    Json request{{"verb", "open"},
                 {"header", options_.has_header},
                 {"names_only", one},
                 {"lists", options_.lists}};
    request["dtype"] = nullptr;
    if (kind_.is_text && options_.dtype) request["dtype"] = std::string(name_of(parsed_type()));
    for (const Json& json : columns_in(helper_->ask(request, name_))) {
      columns_.push_back(described(json));
      if (one) columns_.back().unfit = "was not read";
    }
    if (!one) return;
    const std::size_t index = find_column(*this, name_, *options_.column);
    const Json columns = columns_in(helper_->ask({{"verb", "choose"}, {"column", index}}, name_));
    if (columns.size() != 1) fail_protocol(name_);
    columns_[index] = described(columns[0]);
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    const Column& column = columns_[index];
    const std::string place = column_place(name_, column.name);
    const Json answer = helper_->ask(
        {{"verb", "column"}, {"column", index}, {"drop_nulls", options_.drop_nulls}}, place);
    std::optional<std::uint64_t> count = optional_count(answer, "rows", place);
    if (options_.drop_nulls) count.reset();
    if (count && column.list_size != 0) *count *= column.list_size;
    const bool half = kind_.is_text && column.type == NumberType::kF16;
    const NumberType read = half ? NumberType::kF32 : column.type;
    auto numbers = std::make_unique<HelperNumbers>(helper_, count_of(answer, "reader", place), read,
                                                   count, place);
    return convert_numbers(std::move(numbers), read, column.type, Conversion::kRound, place);
  }

 private:
  // A file is opened by the helper; what comes through a pipe is handed on.
  void start(Input& input) {
    std::vector<std::string> words{"read", kind_.format};
    const bool is_file = input.size().value_or(0) > 0;
    if (is_file) words.push_back(input.path());
    helper_ = std::make_shared<PythonHelper>(words, kind_.needs, name_);
    if (is_file) return;
    std::vector<std::byte> piece(std::size_t{1} << 20);
    for (;;) {
      const std::size_t got = input.read_full(piece);
      if (got > 0) helper_->send(std::span<const std::byte>(piece).first(got), name_);
      if (got < piece.size()) break;
    }
    helper_->send(std::span<const std::byte>(), name_);
  }

  Json columns_in(const Json& answer) const {
    const auto found = answer.find("columns");
    if (found == answer.end() || !found->is_array()) fail_protocol(name_);
    return *found;
  }

  // Text has no half-precision numbers: they are parsed as floats and rounded.
  NumberType parsed_type() const {
    return options_.dtype == NumberType::kF16 ? NumberType::kF32 : *options_.dtype;
  }

  Column described(const Json& json) const {
    Column column = column_from_json(json, name_);
    const bool half =
        kind_.is_text && options_.dtype == NumberType::kF16 && column.type == NumberType::kF32;
    if (half) column.type = NumberType::kF16;
    return column;
  }

  std::string name_;
  InputOptions options_;
  Kind kind_;
  std::shared_ptr<PythonHelper> helper_;
};

}  // namespace

std::unique_ptr<TableInput> open_csv(std::unique_ptr<Input> input, const InputOptions& options) {
  return std::make_unique<HelperTable>(*input, options, Kind{"csv", "reading CSV", true});
}

std::unique_ptr<TableInput> open_tsv(std::unique_ptr<Input> input, const InputOptions& options) {
  return std::make_unique<HelperTable>(*input, options, Kind{"tsv", "reading TSV", true});
}

std::unique_ptr<TableInput> open_parquet(std::unique_ptr<Input> input,
                                         const InputOptions& options) {
  return std::make_unique<HelperTable>(*input, options, Kind{"parquet", "Parquet"});
}

std::unique_ptr<TableInput> open_arrow_file(std::unique_ptr<Input> input,
                                            const InputOptions& options) {
  return std::make_unique<HelperTable>(*input, options, Kind{"arrow", "Arrow IPC"});
}

std::unique_ptr<TableInput> open_arrow_stream(std::unique_ptr<Input> input,
                                              const InputOptions& options) {
  return std::make_unique<HelperTable>(*input, options, Kind{"arrows", "Arrow IPC"});
}

}  // namespace numpact::cli
