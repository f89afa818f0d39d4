// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/arrow_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "failure.hpp"
#include "formats/arrow/arrow_arrays.hpp"
#include "formats/others.hpp"
#include "text/utf8.hpp"

namespace numpact::cli {
namespace {

class ArrowTable final : public TableInput {
 public:
  ArrowTable(std::unique_ptr<ArrowSource> source, const std::string& file, Purpose purpose)
      : TableInput(true), source_(std::move(source)), file_(file), table_(source_->fields()) {
    metadata_ = metadata_in(table_.schema->metadata);
    for (std::size_t i = 0; i < table_.fields.size(); ++i) {
      if (const std::optional<std::size_t> bad = first_not_utf8(table_.fields[i].name)) {
        fail_corrupt(file, "corrupt: the name of column {} is not UTF-8", i);
      }
      Column& column = columns_.emplace_back(describe(table_.fields[i], type_of(i), purpose));
      if (column.is_list && !stated_length(type_of(i))) {
        column.dimension = first_length(source_->arrays(i, {.rows = 1}), type_of(i), place_of(i));
      }
      if (column.dimension == 0) column.unfit = no_vectors(column.source_type);
    }
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    Column& column = columns_[index];
    ArrayOptions options{.rows = std::max<std::uint64_t>(1, kBlockNumbers / column.dimension)};
    if (column.logical.kind == LogicalKind::kTimestamp && source_->is_int96(index)) {
      const auto in = [&](TimeUnit unit) { return source_->arrays(index, {.int96_unit = unit}); };
      column.logical.unit = unit_for(in(TimeUnit::kNano), in(TimeUnit::kMicro),
                                     in(TimeUnit::kMilli), place_of(index));
      options.int96_unit = column.logical.unit;
    }
    return read_arrays(source_->arrays(index, options), type_of(index), column, source_->rows(),
                       nulls_, place_of(index));
  }

  bool can_keep(std::size_t) const override { return true; }

  std::unique_ptr<TextInput> open_texts(std::size_t index) override {
    if (table_.fields[index].is_extension || !has_texts(type_of(index))) return nullptr;
    return read_texts(source_->arrays(index, {.checks_values = true}), type_of(index),
                      place_of(index));
  }

  OtherColumn write_other(std::size_t index, ByteSink& file,
                          std::optional<table::Vectors> vectors) override {
    return source_->write_other(index, file, vectors);
  }

  void select(std::span<const std::uint64_t> rows) override { source_->select(rows); }

 private:
  const ArrowSchema& type_of(std::size_t index) const { return *table_.schema->children[index]; }
  std::string place_of(std::size_t index) const {
    return column_place(file_, table_.fields[index].name);
  }

  std::unique_ptr<ArrowSource> source_;
  std::string file_;
  ArrowFields table_;
};

}  // namespace

std::unique_ptr<TableInput> table_of(std::unique_ptr<ArrowSource> source, const std::string& file,
                                     Purpose purpose) {
  return std::make_unique<ArrowTable>(std::move(source), file, purpose);
}

}  // namespace numpact::cli
