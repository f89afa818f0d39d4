// SPDX-License-Identifier: Apache-2.0
// Rows of tables.
#include "numpact/table_reader.hpp"

#include <charconv>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "capi/table.hpp"
#include "literal/float16.hpp"
#include "numpact/table.h"
#include "platform/files.hpp"

struct numpact_table {
  explicit numpact_table(const numpact::table::Reader& opened)
      : reader(opened), manifest(opened.manifest()) {}
  numpact::table::Reader reader;
  numpact_table_manifest manifest;
};

struct numpact_table_scan {
  explicit numpact_table_scan(const numpact::table::Reader& of) : reader(of) {}
  numpact::table::Reader reader;
  numpact::table::Scan scan;
};

struct numpact_table_cursor : numpact::internal::capi::Object {
  numpact_table_cursor(const numpact::internal::capi::CallersMemory& own,
                       const numpact::table::Reader& of, numpact::table::Cursor made)
      : Object(own), reader(of), cursor(std::move(made)) {}
  numpact::table::Reader reader;
  numpact::table::Cursor cursor;
  numpact::table::Batch batch;
};

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

using table::FilterOp;
using table::FilterValue;

static_assert(NUMPACT_TABLE_EQUAL == static_cast<int>(FilterOp::kEqual));
static_assert(NUMPACT_TABLE_LIKE == static_cast<int>(FilterOp::kLike));
static_assert(NUMPACT_TABLE_VALUE_NUMBER == static_cast<int>(FilterValue::Kind::kNumber));
static_assert(NUMPACT_TABLE_VALUE_BYTES == static_cast<int>(FilterValue::Kind::kBytes));

class CallersFiles final : public table::Files {
 public:
  explicit CallersFiles(const numpact_table_files& files) : files_(files) {}

  Result<std::unique_ptr<RangeSource>> open(const std::string& name, std::string&) override {
    std::uint64_t size = 0;
    const int result = files_.size(files_.opaque, name.c_str(), &size);
    if (result != 0) return caller_status(result, "the size of the file cannot be had");
    return std::unique_ptr<RangeSource>(std::make_unique<File>(files_, name, size));
  }

 private:
  class File final : public RangeSource {
   public:
    File(const numpact_table_files& files, std::string name, std::uint64_t size)
        : files_(files), name_(std::move(name)), size_(size) {}
    std::uint64_t size() const noexcept override { return size_; }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
      std::size_t count = 0;
      const int result =
          files_.read(files_.opaque, name_.c_str(), offset, out.data(), out.size(), &count);
      if (result != 0) return caller_status(result, "the file cannot be read");
      return count;
    }

   private:
    numpact_table_files files_;
    std::string name_;
    std::uint64_t size_;
  };

  numpact_table_files files_;
};

// The limits of the context.
DecodeConfig limits_of(const numpact_context* context) {
  DecodeConfig config;
  if (context == nullptr) return config;
  config.limits.max_numbers = context->options.max_numbers;
  config.limits.max_output_bytes = context->options.max_output_bytes;
  config.limits.max_memory = context->options.max_memory;
  return config;
}

template <class T, class... Format>
std::string text_of(T number, Format... format) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, number, format...);
  return {text, end.ptr};
}

Status take_value(const numpact_table_value& given, FilterValue& value) {
  value.kind = FilterValue::Kind::kStored;
  switch (given.kind) {
    case NUMPACT_TABLE_VALUE_I64:
      value.text = text_of(given.i64);
      return {};
    case NUMPACT_TABLE_VALUE_U64:
      value.text = text_of(given.u64);
      return {};
    case NUMPACT_TABLE_VALUE_F64:
      // The shortest text with an exponent, which stands for this number alone.
      value.text = text_of(given.f64, std::chars_format::scientific);
      return {};
    default:
      break;
  }
  if (given.kind < NUMPACT_TABLE_VALUE_NUMBER || given.kind > NUMPACT_TABLE_VALUE_BYTES) {
    return Status(ErrorKind::kInvalidArgument,
                  "there is no such kind of value: they are NUMPACT_TABLE_VALUE_NUMBER (0) to "
                  "_BYTES (7), and _I64 (16) to _F64 (18)");
  }
  if (given.text_size > 0) NUMPACT_TRY(check_given(given.text));
  value.kind = static_cast<FilterValue::Kind>(given.kind);
  if (given.text_size > 0) value.text.assign(given.text, given.text_size);
  value.zoned = given.is_zoned != 0;
  return {};
}

Status take_condition(const table::Reader& reader, const numpact_table_condition& given,
                      std::vector<table::Condition>& conditions) {
  if (given.column >= reader.columns().size()) {
    return Status(ErrorKind::kInvalidArgument, "the table has no such column");
  }
  if (given.op < NUMPACT_TABLE_EQUAL || given.op > NUMPACT_TABLE_LIKE) {
    return Status(
        ErrorKind::kInvalidArgument,
        "there is no such comparison: they are NUMPACT_TABLE_EQUAL (0) to NUMPACT_TABLE_LIKE (9)");
  }
  table::Condition& made = conditions.emplace_back();
  made.column = given.column;
  made.comparison.column = reader.columns()[given.column].name();
  made.comparison.op = static_cast<FilterOp>(given.op);
  return for_each_struct(given.values, given.value_count, [&](const numpact_table_value& value) {
    return take_value(value, made.comparison.values.emplace_back());
  });
}

Status take_query(const table::Reader& reader, const numpact_table_query& given,
                  table::Query& query, table::Failure* failure) {
  if (given.column_count > 0) NUMPACT_TRY(check_given(given.columns));
  query.columns.assign(given.columns, given.columns + given.column_count);
  if (given.where != nullptr) {
    NUMPACT_TRY(reader.conditions(std::string_view(given.where, given.where_size), failure)
                    .into(query.where));
  }
  NUMPACT_TRY(for_each_struct(given.conditions, given.condition_count,
                              [&](const numpact_table_condition& condition) {
                                return take_condition(reader, condition, query.where);
                              }));
  query.rows = {given.first_row, given.end_row};
  query.nan_may_match = given.nan_may_match != 0;
  query.min_part_rows = given.min_part_rows;
  if (given.window_rows > 0) query.window_rows = given.window_rows;
  return {};
}

// The type of a column of numbers. The reader has the words for another column.
NumberType type_of(const numpact_table_cursor& cursor, size_t column) {
  const auto columns = cursor.reader.columns();
  const bool is_number = column < columns.size() && columns[column].numbers != nullptr;
  return is_number ? columns[column].numbers->type : NumberType::kU8;
}

}  // namespace

extern "C" {

numpact_status numpact_table_open(const numpact_context* context, const char* path,
                                  numpact_table** table, char* why, size_t why_capacity,
                                  numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(path));
    NUMPACT_TRY(check_given(table));
    return with_words(why, why_capacity, [&](table::Failure* failure) -> Status {
      platform::FileInfo info;
      const bool is_file = platform::look_at(path, info) && !info.is_folder();
      const DecodeConfig config = limits_of(context);
      table::Reader reader;
      NUMPACT_TRY((is_file ? table::Reader::open_file(path, config, failure)
                           : table::Reader::open(path, config, failure))
                      .into(reader));
      return give_object(std::make_unique<numpact_table>(reader), table);
    });
  });
}

numpact_status numpact_table_open_files(const numpact_context* context,
                                        const numpact_table_files* files, numpact_table** table,
                                        char* why, size_t why_capacity, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(files));
    NUMPACT_TRY(check_given(table));
    numpact_table_files own = {};
    NUMPACT_TRY(take_struct(files, own));
    if (own.size == nullptr || own.read == nullptr) {
      return Status(ErrorKind::kInvalidArgument, "a function of the files is null");
    }
    return with_words(why, why_capacity, [&](table::Failure* failure) -> Status {
      table::Reader reader;
      NUMPACT_TRY(
          table::Reader::open(std::make_shared<CallersFiles>(own), limits_of(context), failure)
              .into(reader));
      return give_object(std::make_unique<numpact_table>(reader), table);
    });
  });
}

void numpact_table_destroy(numpact_table* table) { delete table; }

const numpact_table_manifest* numpact_table_get_manifest(const numpact_table* table) {
  return &table->manifest;
}

numpact_status numpact_table_file_end(const numpact_table* table, numpact_file_end* end,
                                      numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(table));
    NUMPACT_TRY(check_struct(end));
    give_end(table->reader.file_end(), end);
    return {};
  });
}

numpact_status numpact_table_find(const numpact_table* table, const char* name, size_t name_size,
                                  size_t* column, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(table));
    NUMPACT_TRY(check_given(name));
    NUMPACT_TRY(check_given(column));
    return table->reader.find({name, name_size}).into(*column);
  });
}

numpact_status numpact_table_get_texts(const numpact_table* table, size_t column,
                                       numpact_table_texts* texts, char* why, size_t why_capacity,
                                       numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(table));
    NUMPACT_TRY(check_struct(texts));
    return with_words(why, why_capacity, [&](table::Failure* failure) -> Status {
      std::shared_ptr<const table::TextValues> found;  // which the reader keeps
      NUMPACT_TRY(table->reader.texts(column, failure).into(found));
      give_struct(
          numpact_table_texts{0, found->size(), found->offsets().data(), found->bytes().data()},
          texts);
      return {};
    });
  });
}

void numpact_table_query_init(numpact_table_query* query) {
  *query = {};
  query->struct_size = sizeof *query;
  query->end_row = NUMPACT_UNKNOWN;
}

numpact_status numpact_table_scan_create(const numpact_table* table,
                                         const numpact_table_query* query,
                                         numpact_table_scan** scan, char* why, size_t why_capacity,
                                         numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(table));
    NUMPACT_TRY(check_given(query));
    NUMPACT_TRY(check_given(scan));
    numpact_table_query given;
    numpact_table_query_init(&given);
    NUMPACT_TRY(take_struct(query, given));
    return with_words(why, why_capacity, [&](table::Failure* failure) -> Status {
      table::Query made;
      NUMPACT_TRY(take_query(table->reader, given, made, failure));
      auto object = std::make_unique<numpact_table_scan>(table->reader);
      NUMPACT_TRY(table::Scan::create(table->reader, made, failure).into(object->scan));
      return give_object(std::move(object), scan);
    });
  });
}

void numpact_table_scan_destroy(numpact_table_scan* scan) { delete scan; }

size_t numpact_table_scan_range_count(const numpact_table_scan* scan) {
  return scan->scan.ranges().size();
}

numpact_status numpact_table_scan_range(const numpact_table_scan* scan, size_t index,
                                        uint64_t* first_row, uint64_t* end_row,
                                        numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(scan));
    NUMPACT_TRY(check_given(first_row));
    NUMPACT_TRY(check_given(end_row));
    if (index >= scan->scan.ranges().size()) {
      return Status(ErrorKind::kInvalidArgument, "the scan has no such range");
    }
    *first_row = scan->scan.ranges()[index].first;
    *end_row = scan->scan.ranges()[index].end;
    return {};
  });
}

numpact_status numpact_table_cursor_create(const numpact_table_scan* scan,
                                           numpact_table_cursor** cursor, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(scan));
    NUMPACT_TRY(check_given(cursor));
    Result<table::Cursor> made = table::Cursor::create(scan->scan);
    NUMPACT_TRY(made.status());
    made->start(scan->scan.all());
    return give_object(
        make_object<numpact_table_cursor>(memory_for(nullptr), scan->reader, std::move(*made)),
        cursor);
  });
}

void numpact_table_cursor_destroy(numpact_table_cursor* cursor) { destroy_object(cursor); }

numpact_status numpact_table_cursor_read(numpact_table_cursor* cursor, size_t column,
                                         uint64_t first_row, size_t row_count, uint64_t ahead,
                                         void* numbers, uint8_t* valid, char* why,
                                         size_t why_capacity, numpact_error* error) {
  return run_with(cursor, error, [&]() -> Status {
    if (row_count > 0) NUMPACT_TRY(check_given(numbers));
    const MutableNumberView out(type_of(*cursor, column), numbers, row_count);
    return with_words(why, why_capacity, [&](table::Failure* failure) {
      return cursor->cursor.read(column, first_row, out, {valid, valid != nullptr ? row_count : 0},
                                 ahead, failure);
    });
  });
}

numpact_status numpact_table_cursor_take(numpact_table_cursor* cursor, size_t column,
                                         const uint64_t* rows, size_t row_count, void* numbers,
                                         uint8_t* valid, char* why, size_t why_capacity,
                                         numpact_error* error) {
  return run_with(cursor, error, [&]() -> Status {
    if (row_count > 0) {
      NUMPACT_TRY(check_given(rows));
      NUMPACT_TRY(check_given(numbers));
    }
    const MutableNumberView out(type_of(*cursor, column), numbers, row_count);
    return with_words(why, why_capacity, [&](table::Failure* failure) {
      return cursor->cursor.take(column, {rows, row_count}, out,
                                 {valid, valid != nullptr ? row_count : 0}, failure);
    });
  });
}

void numpact_table_cursor_start(numpact_table_cursor* cursor, uint64_t first_row,
                                uint64_t end_row) {
  cursor->cursor.start({first_row, end_row});
}

numpact_status numpact_table_cursor_next(numpact_table_cursor* cursor, numpact_table_batch* batch,
                                         char* why, size_t why_capacity, numpact_error* error) {
  return run_with(cursor, error, [&]() -> Status {
    NUMPACT_TRY(check_struct(batch));
    table::Batch& made = cursor->batch;
    NUMPACT_TRY(with_words(why, why_capacity, [&](table::Failure* failure) {
      return cursor->cursor.next(made, failure);
    }));
    give_struct(numpact_table_batch{0, made.first_row, made.window_rows, made.rows,
                                    made.kept.empty() ? nullptr : made.kept.data()},
                batch);
    return {};
  });
}

numpact_status numpact_table_cursor_values(const numpact_table_cursor* cursor, size_t index,
                                           const void** numbers, const uint8_t** valid,
                                           numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(cursor));
    NUMPACT_TRY(check_given(numbers));
    NUMPACT_TRY(check_given(valid));
    if (index >= cursor->batch.columns.size()) {
      return Status(ErrorKind::kInvalidArgument, "the batch has no such column");
    }
    const table::BatchColumn& column = cursor->batch.columns[index];
    *numbers = column.numbers.data;
    *valid = column.valid.empty() ? nullptr : column.valid.data();
    return {};
  });
}

float numpact_half_to_float(uint16_t bits) { return to_float(Float16{bits}); }

}  // extern "C"
