// SPDX-License-Identifier: Apache-2.0
// Reads tables with pyarrow.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "formats/python/python_calls.hpp"

namespace numpact::cli {
namespace {

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

Metadata metadata_in(const nb::object& pairs) {
  const auto text = [](const nb::bytes& bytes) { return std::string(bytes.c_str(), bytes.size()); };
  Metadata metadata;
  for (const nb::handle pair : pairs) {
    metadata.emplace_back(text(bytes_at(pair, 0)), text(bytes_at(pair, 1)));
  }
  return metadata;
}

// From the description of numpact._tables.reading.
Column column_in(const nb::handle& described) {
  const auto text = [&](const char* key) { return nb::cast<std::string>(described[key]); };
  const auto count = [&](const char* key) { return nb::cast<std::uint64_t>(described[key]); };
  Column column;
  column.name = text("name");
  column.source_type = text("source_type");
  column.nullable = nb::cast<bool>(described["nullable"]);
  column.metadata = metadata_in(described["metadata"]);
  if (described["type"].is_none()) {
    column.unfit = text("unfit");
    return column;
  }
  column.is_list = count("list_size") != 0;
  if (column.is_list) column.dimension = count("list_size");
  column.type = number_type_of_name(text("type")).value();
  column.logical = {table::kind_of_name(text("kind")).value(),
                    table::unit_of_name(text("unit")).value(), text("timezone")};
  if (column.logical.kind == LogicalKind::kDecimal) {
    column.logical.decimal = {static_cast<std::uint8_t>(count("precision")),
                              static_cast<std::uint8_t>(count("scale")),
                              static_cast<std::uint16_t>(count("bits"))};
  }
  return column;
}

class PythonNumbers final : public NumberInput {
 public:
  PythonNumbers(PythonObject reader, const Column& column, std::optional<std::uint64_t> count,
                NullPolicy nulls, std::string place)
      : reader_(std::move(reader)),
        type_(column.type),
        count_(count),
        policy_(nulls),
        place_(std::move(place)) {}

  NumberView next() override {
    while (take_block()) {
      if (view_.count > 0) break;  // otherwise all rows were null
    }
    return view_;
  }

  std::optional<std::uint64_t> count() const override { return count_; }
  std::uint64_t null_count() const override { return runs_.nulls(); }
  NullRuns* null_runs() override { return policy_ == NullPolicy::kKeep ? &runs_ : nullptr; }

 private:
  // Reads the next block. Returns false at the end.
  bool take_block() {
    return with_python(place_, [&] {
      const nb::tuple block(reader_.call("next"));
      const auto rows = nb::cast<std::uint64_t>(block[0]);
      nb::bytes numbers = bytes_at(block, 1);
      const nb::bytes valid = bytes_at(block, 2);
      // Bytes of Python are aligned like any of its objects.
      view_ = {type_, numbers.data(), numbers_in(numbers.size(), type_)};
      numbers_ = PythonObject(std::move(numbers));
      if (valid.size() == 0) {
        runs_.add_numbers(rows);
      } else {
        runs_.add_validity({static_cast<const std::uint8_t*>(valid.data()), valid.size()});
      }
      if (policy_ != NullPolicy::kKeep) runs_.take();  // discarded, since nobody else takes them
      return rows > 0;
    });
  }

  PythonObject reader_;
  NumberType type_;
  std::optional<std::uint64_t> count_;
  NullPolicy policy_;
  std::string place_;
  PythonObject numbers_;  // of view_
  NumberView view_;
  NullRuns runs_;
};

class PythonTexts final : public TextInput {
 public:
  PythonTexts(PythonObject reader, std::string place)
      : reader_(std::move(reader)), place_(std::move(place)) {}

  const TextBlock& next() override {
    block_ = {};
    with_python(place_, [&] {
      const nb::object rows = reader_.call("next");
      add_rows(rows, block_);
      block_.are_categories = nb::cast<bool>(rows[3]);
    });
    return block_;
  }

 private:
  PythonObject reader_;
  std::string place_;
  TextBlock block_;
};

class PythonTable final : public TableInput {
 public:
  // `format`: its name in numpact._tables.reading; `needs`: the start of the message if pyarrow is
  // missing.
  PythonTable(Input& input, const InputOptions& options, const char* format, const char* needs)
      : TableInput(true), name_(input.name()) {
    const PythonObject reading = tables_module("reading", needs, name_);
    const bool is_for_vectors = options.purpose == Purpose::kVectors;
    // A regular file is mapped, a stream is read to its end.
    const bool is_file = input.size().value_or(0) > 0;
    const std::vector<std::byte> content = is_file ? std::vector<std::byte>() : input.read_rest();
    with_python(name_, [&] {
      nb::object source = python_bytes(content);
      if (is_file) source = nb::cast(input.file()->descriptor());
      const nb::object table = reading.call("open_table", format, source, is_for_vectors);
      for (const nb::handle described : table.attr("columns")) {
        Column& column = columns_.emplace_back(column_in(described));
        if (is_for_vectors && !column.unfit.empty()) column.unfit = no_vectors(column.source_type);
      }
      metadata_ = metadata_in(table.attr("metadata"));
      table_ = PythonObject(table);
    });
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    Column& column = columns_[index];
    const std::string place = column_place(name_, column.name);
    return with_python(place, [&] {
      const nb::object opened = table_.call("numbers", index, name_of_policy(nulls_));
      std::optional<std::uint64_t> count;
      const nb::object rows = opened[1];
      if (!rows.is_none() && nulls_ != NullPolicy::kDrop) {
        count = nb::cast<std::uint64_t>(rows) * column.dimension;
      }
      column.logical.unit = table::unit_of_name(nb::cast<std::string>(opened[2])).value();
      return std::make_unique<PythonNumbers>(PythonObject(opened[0]), column, count, nulls_, place);
    });
  }

  bool can_keep(std::size_t) const override { return true; }

  std::unique_ptr<TextInput> open_texts(std::size_t index) override {
    const std::string place = column_place(name_, columns_[index].name);
    return with_python(place, [&]() -> std::unique_ptr<TextInput> {
      nb::object texts = table_.call("texts", index);
      if (texts.is_none()) return nullptr;
      return std::make_unique<PythonTexts>(PythonObject(std::move(texts)), place);
    });
  }

  OtherColumn write_other(std::size_t index, ByteSink& file,
                          std::optional<table::Vectors> vectors) override {
    const PythonSink sink(file, column_place(name_, columns_[index].name));
    return sink.written([&] {
      nb::object form = nb::none();
      if (vectors) form = python_text(table::to_string(*vectors));
      return other_in(table_.call("write_other", index, sink.function(), form));
    });
  }

 private:
  std::string name_;
  PythonObject table_;
};

}  // namespace

std::unique_ptr<TableInput> open_parquet(std::unique_ptr<Input> input,
                                         const InputOptions& options) {
  return std::make_unique<PythonTable>(*input, options, "parquet", "Parquet");
}

std::unique_ptr<TableInput> open_arrow_file(std::unique_ptr<Input> input,
                                            const InputOptions& options) {
  return std::make_unique<PythonTable>(*input, options, "arrow", "Arrow IPC");
}

std::unique_ptr<TableInput> open_arrow_stream(std::unique_ptr<Input> input,
                                              const InputOptions& options) {
  return std::make_unique<PythonTable>(*input, options, "arrows", "Arrow IPC");
}

}  // namespace numpact::cli
