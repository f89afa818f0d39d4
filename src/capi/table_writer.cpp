// SPDX-License-Identifier: Apache-2.0
// Writing tables.
#include "numpact/table_writer.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "capi/rounding.hpp"
#include "capi/table.hpp"
#include "numpact/table_writer.hpp"

struct numpact_table_writer {
  explicit numpact_table_writer(numpact::table::TableWriter made)
      : writer(std::move(made)),
        manifest(std::make_unique<numpact_table_manifest>(writer.plan().before)) {}
  numpact::table::TableWriter writer;
  std::unique_ptr<numpact_table_manifest> manifest;
};

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

Status take_options(const numpact_table_writer_options* from, table::WriterConfig& config) {
  numpact_table_writer_options given;
  numpact_table_writer_options_init(&given);
  NUMPACT_TRY(take_struct(from, given));
  if (given.encode != nullptr) NUMPACT_TRY(encode_config(nullptr, given.encode, config.encode));
  if (given.lock_timeout_ms >= 0) {
    config.lock.timeout = std::chrono::milliseconds(given.lock_timeout_ms);
  }
  config.rows = given.rows;
  config.verify = given.no_verify == 0;
  return {};
}

std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }

Status take_decimal(const numpact_table_column& given, table::DecimalType& made) {
  const bool is_small = given.precision > 0 &&
                        given.precision <= std::int32_t{table::kMaxDecimalDigits} &&
                        given.scale >= 0 && given.scale <= given.precision &&
                        given.decimal_bits > 0 && given.decimal_bits <= 256;
  if (is_small) {
    made = {static_cast<std::uint8_t>(given.precision), static_cast<std::uint8_t>(given.scale),
            static_cast<std::uint16_t>(given.decimal_bits)};
  }
  if (is_small && table::is_valid(made)) return {};
  return Status(ErrorKind::kInvalidArgument,
                "there is no such type of decimals: precision from 1, scale up to it, 32 to 256 "
                "bits that hold it");
}

Status take_column(const numpact_table_column& given, table::Manifest& manifest) {
  if (given.name_size > 0) NUMPACT_TRY(check_given(given.name));
  const std::string name(given.name_size > 0 ? given.name : "", given.name_size);
  if (given.kind == NUMPACT_TABLE_OTHER) {
    table::Other& other = manifest.others.emplace_back();
    other.name = name;
    other.type = text_or_empty(given.type_text);
    other.position = manifest.columns.size() + manifest.others.size() - 1;
    return {};
  }
  if (given.kind == NUMPACT_TABLE_TEXT) {
    const auto type = table::text_type_of_name(text_or_empty(given.type_text));
    if (!type)
      return Status(ErrorKind::kInvalidArgument,
                    "there is no such type of texts: they are string, large_string, string_view, "
                    "binary, large_binary and binary_view");
    table::Column& column = manifest.columns.emplace_back();
    column.name = name;
    column.kind = table::Kind::kText;
    column.nullable = given.is_nullable != 0;
    column.text.emplace_back().type = *type;
    return {};
  }
  const bool is_decimal = given.kind == NUMPACT_TABLE_DECIMAL;
  const bool is_known = given.kind >= NUMPACT_TABLE_NUMBER && given.kind <= NUMPACT_TABLE_DURATION;
  if (!is_known && !is_decimal) {
    return Status(ErrorKind::kInvalidArgument,
                  "there is no such kind of column: they are NUMPACT_TABLE_NUMBER (0) to "
                  "NUMPACT_TABLE_DECIMAL (10)");
  }
  NUMPACT_TRY(check_type(given.type));
  table::Column& column = manifest.columns.emplace_back();
  column.name = name;
  column.kind = is_decimal ? table::Kind::kDecimal : static_cast<table::Kind>(given.kind);
  if (is_decimal) NUMPACT_TRY(take_decimal(given, column.decimal));
  column.type = static_cast<NumberType>(given.type);
  column.timezone = text_or_empty(given.timezone);
  column.nullable = given.is_nullable != 0;
  const bool has_unit = table::has_unit(column.kind);
  if (has_unit && (given.unit < NUMPACT_TABLE_SECOND || given.unit > NUMPACT_TABLE_NANO)) {
    return Status(
        ErrorKind::kInvalidArgument,
        "there is no such unit: they are NUMPACT_TABLE_SECOND (1) to NUMPACT_TABLE_NANO (4)");
  }
  if (has_unit) column.unit = static_cast<table::Unit>(given.unit - 1);
  return {};
}

// Rows of a column that the caller's function writes.
class CallersRows final : public table::OtherSource {
 public:
  CallersRows(numpact_table_other_function function, void* opaque)
      : function_(function), opaque_(opaque) {}

  Result<std::uint64_t> write(table::Other& other, std::span<const table::Part> copied,
                              ByteSink& sink, std::string&) override {
    std::vector<numpact_table_part> parts;
    for (const table::Part& part : copied) {
      parts.push_back(given_part(part));
      parts.back().struct_size = sizeof(numpact_table_part);
    }
    Sink guarded{sink, {}};
    numpact_table_other_rows rows = {};
    rows.struct_size = sizeof rows;
    rows.copied = parts.data();
    rows.copied_count = parts.size();
    rows.write = write_bytes;
    rows.sink = &guarded;
    rows.type_text = other.type.c_str();
    const int result = function_(opaque_, &rows);
    NUMPACT_TRY(guarded.status);
    if (result != 0) return caller_status(result, "the caller's function failed");
    if (rows.type_text != nullptr && rows.type_text != other.type.c_str()) {
      other.type = std::string(rows.type_text);
    }
    return rows.rows;
  }

 private:
  struct Sink {
    ByteSink& sink;
    Status status;
  };
  // Nothing is thrown through the caller's function.
  static int write_bytes(void* opaque, const void* bytes, std::size_t size) noexcept {
    Sink& to = *static_cast<Sink*>(opaque);
    if (to.status.ok()) {
      to.status = internal::guarded([&] { return to.sink.write(bytes_of(bytes, size)); });
    }
    return to.status.ok() ? 0 : -1;
  }

  numpact_table_other_function function_;
  void* opaque_;
};

Status give_writer(Result<table::TableWriter>&& made, numpact_table_writer** writer) {
  NUMPACT_TRY(made.status());
  return give_object(std::make_unique<numpact_table_writer>(*std::move(made)), writer);
}

// The type of a column of numbers. The writer refuses another column.
NumberType type_of(const numpact_table_writer& writer, std::size_t column) {
  const auto& entries = writer.manifest->entries;
  const bool is_numbers = column < entries.size() && entries[column].column != nullptr;
  return is_numbers ? entries[column].column->type : NumberType::kU8;
}

}  // namespace

extern "C" {

void numpact_table_writer_options_init(numpact_table_writer_options* options) {
  *options = {};
  options->struct_size = sizeof *options;
  options->lock_timeout_ms = -1;
}

numpact_status numpact_table_writer_append(const char* path,
                                           const numpact_table_writer_options* options,
                                           numpact_table_writer** writer, char* why,
                                           size_t why_capacity, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(path));
    NUMPACT_TRY(check_given(writer));
    table::WriterConfig config;
    NUMPACT_TRY(take_options(options, config));
    return with_words(why, why_capacity, [&](table::Failure* failure) {
      return give_writer(table::TableWriter::append(path, config, failure), writer);
    });
  });
}

numpact_status numpact_table_writer_create(const char* path, const numpact_table_column* columns,
                                           size_t column_count, int32_t may_replace,
                                           const numpact_table_writer_options* options,
                                           numpact_table_writer** writer, char* why,
                                           size_t why_capacity, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(path));
    NUMPACT_TRY(check_given(writer));
    table::WriterConfig config;
    NUMPACT_TRY(take_options(options, config));
    return with_words(why, why_capacity, [&](table::Failure* failure) -> Status {
      table::Manifest manifest;
      NUMPACT_TRY(for_each_struct(columns, column_count, [&](const numpact_table_column& column) {
        return take_column(column, manifest);
      }));
      return give_writer(
          table::TableWriter::create(path, manifest, may_replace != 0, config, failure), writer);
    });
  });
}

void numpact_table_writer_destroy(numpact_table_writer* writer) { delete writer; }

const numpact_table_manifest* numpact_table_writer_get_manifest(
    const numpact_table_writer* writer) {
  return writer->manifest.get();
}

numpact_status numpact_table_writer_set_rounding(numpact_table_writer* writer, size_t column,
                                                 const numpact_rounding* rounding, char* why,
                                                 size_t why_capacity, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    return with_words(why, why_capacity, [&](table::Failure* failure) -> Status {
      std::optional<RoundingSpec> spec;
      NUMPACT_TRY(take_rounding(rounding, type_of(*writer, column), spec));
      return writer->writer.set_rounding(column, *spec, failure);
    });
  });
}

numpact_status numpact_table_writer_get_rounding(const numpact_table_writer* writer, size_t column,
                                                 numpact_rounding_report* report,
                                                 numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    NUMPACT_TRY(check_struct(report));
    const RoundingReport* const found = writer->writer.rounding(column);
    if (found == nullptr) {
      return Status(ErrorKind::kInvalidArgument, "the column is not rounded");
    }
    give_report(*found, report);
    return {};
  });
}

numpact_status numpact_table_writer_write(numpact_table_writer* writer, size_t column,
                                          const void* numbers, const uint8_t* valid,
                                          size_t row_count, char* why, size_t why_capacity,
                                          numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    if (row_count > 0) NUMPACT_TRY(check_given(numbers));
    const NumberType type = type_of(*writer, column);
    return with_words(why, why_capacity, [&](table::Failure* failure) {
      return writer->writer.write(column, NumberView(type, numbers, row_count),
                                  {valid, valid != nullptr ? row_count : 0}, failure);
    });
  });
}

numpact_status numpact_table_writer_write_texts(numpact_table_writer* writer, size_t column,
                                                const char* bytes, const uint64_t* ends,
                                                const uint8_t* valid, size_t row_count, char* why,
                                                size_t why_capacity, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    if (row_count == 0) return {};
    NUMPACT_TRY(check_given(ends));
    if (ends[row_count - 1] > 0) NUMPACT_TRY(check_given(bytes));
    table::TextRows rows;
    rows.bytes = {bytes, static_cast<std::size_t>(ends[row_count - 1])};
    rows.ends = {ends, row_count};
    rows.valid = {valid, valid != nullptr ? row_count : 0};
    return with_words(why, why_capacity, [&](table::Failure* failure) {
      return writer->writer.add_texts(column, rows, failure).status();
    });
  });
}

numpact_status numpact_table_writer_write_other(numpact_table_writer* writer, size_t column,
                                                numpact_table_other_function function, void* opaque,
                                                char* why, size_t why_capacity,
                                                numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    if (function == nullptr) return Status(ErrorKind::kInvalidArgument, "there is no function");
    CallersRows rows(function, opaque);
    return with_words(why, why_capacity, [&](table::Failure* failure) {
      return writer->writer.write_other(column, rows, failure);
    });
  });
}

numpact_status numpact_table_writer_commit(numpact_table_writer* writer, char* why,
                                           size_t why_capacity, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(writer));
    return with_words(why, why_capacity, [&](table::Failure* failure) -> Status {
      NUMPACT_TRY(writer->writer.commit(failure));
      writer->manifest = std::make_unique<numpact_table_manifest>(writer->writer.manifest());
      return {};
    });
  });
}

}  // extern "C"
