// SPDX-License-Identifier: Apache-2.0
// Manifests of tables.
#include "numpact/table.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/try.hpp"
#include "capi/table.hpp"
#include "numpact/table.hpp"

using namespace numpact;                  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;  // NOLINT(google-build-using-namespace)

namespace {

static_assert(NUMPACT_TABLE_MAX_MANIFEST_SIZE == table::kMaxManifestBytes);
static_assert(NUMPACT_TABLE_NUMBER == static_cast<int>(table::Kind::kNumber));
static_assert(NUMPACT_TABLE_DURATION == static_cast<int>(table::Kind::kDuration));
static_assert(NUMPACT_TABLE_SECOND == static_cast<int>(table::Unit::kSecond) + 1);
static_assert(NUMPACT_TABLE_NANO == static_cast<int>(table::Unit::kNano) + 1);

numpact_table_column column_of(const table::Column& column) {
  numpact_table_column made = {};
  made.name = column.name.c_str();
  made.name_size = column.name.size();
  made.file = column.file.c_str();
  const bool has_one_file = column.parts.size() < 2;
  made.null_file = column.null_count > 0 && has_one_file ? column.null_file.c_str() : nullptr;
  made.timezone = column.timezone.c_str();
  made.kind = static_cast<std::int32_t>(column.kind);
  if (column.kind == table::Kind::kText) {
    made.kind = NUMPACT_TABLE_TEXT;
    made.type_text = to_string(column.text[0].type).data();  // ends with a zero byte
    made.text_file = column.text[0].file.c_str();
  }
  if (column.kind == table::Kind::kDecimal) {
    made.kind = NUMPACT_TABLE_DECIMAL;
    made.precision = column.decimal.precision;
    made.scale = column.decimal.scale;
    made.decimal_bits = column.decimal.bits;
  }
  made.unit = table::has_unit(column.kind) ? static_cast<std::int32_t>(column.unit) + 1
                                           : std::int32_t{NUMPACT_TABLE_NO_UNIT};
  made.is_nullable = column.nullable ? 1 : 0;
  made.type = static_cast<numpact_type>(column.type);
  made.rows = column.rows();
  made.numbers = column.count;
  made.nulls = column.null_count;
  made.nulls_dropped = column.nulls_dropped;
  made.part_count = has_one_file ? 1 : column.parts.size();
  return made;
}

numpact_table_column column_of(const table::Other& other) {
  numpact_table_column made = {};
  made.name = other.name.c_str();
  made.name_size = other.name.size();
  made.file = "";
  made.timezone = "";
  made.type_text = other.type.c_str();
  made.kind = NUMPACT_TABLE_OTHER;
  made.is_nullable = 1;
  made.rows = other.rows;
  made.nulls = NUMPACT_UNKNOWN;
  made.part_count = other.parts.size();
  if (made.part_count > 1) return made;
  const table::Part& part = other.parts.front();
  made.file = part.file.c_str();
  made.file_size = part.bytes;
  made.block_count = part.ends.size();
  made.block_ends = part.ends.data();
  made.block_crcs = part.crc32.data();
  return made;
}

numpact_table_part part_of(const table::Column& column, std::size_t index) {
  numpact_table_part made = {};
  if (column.parts.empty()) {
    made.file = column.file.c_str();
    made.null_file = column.null_count > 0 ? column.null_file.c_str() : nullptr;
    made.rows = column.rows();
    made.numbers = column.count;
    return made;
  }
  const table::NumberPart& part = column.parts[index];
  made.file = part.file.c_str();
  made.null_file = part.null_count > 0 ? part.null_file.c_str() : nullptr;
  made.rows = part.rows();
  made.numbers = part.count;
  made.file_size = part.sum.bytes;
  return made;
}

}  // namespace

extern "C" {

numpact_status numpact_table_manifest_parse(const void* text, size_t size,
                                            numpact_table_manifest** manifest, char* why,
                                            size_t why_capacity, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(manifest));
    if (size > 0) NUMPACT_TRY(check_given(text));
    std::string sentence;
    table::Manifest parsed;
    const Status status =
        table::parse_manifest({static_cast<const char*>(text), size}, &sentence).into(parsed);
    give_text(sentence, why, why_capacity);
    NUMPACT_TRY(status);
    return give_object(std::make_unique<numpact_table_manifest>(std::move(parsed)), manifest);
  });
}

void numpact_table_manifest_destroy(numpact_table_manifest* manifest) { delete manifest; }

size_t numpact_table_manifest_column_count(const numpact_table_manifest* manifest) {
  return manifest->entries.size();
}

numpact_status numpact_table_manifest_column(const numpact_table_manifest* manifest, size_t index,
                                             numpact_table_column* column, numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(manifest));
    NUMPACT_TRY(check_struct(column));
    if (index >= manifest->entries.size()) {
      return Status(ErrorKind::kInvalidArgument, "the table has no such column");
    }
    const numpact_table_manifest::Entry& entry = manifest->entries[index];
    give_struct(entry.column != nullptr ? column_of(*entry.column) : column_of(*entry.other),
                column);
    return {};
  });
}

numpact_status numpact_table_manifest_part(const numpact_table_manifest* manifest, size_t column,
                                           size_t index, numpact_table_part* part,
                                           numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(manifest));
    NUMPACT_TRY(check_struct(part));
    if (column < manifest->entries.size()) {
      const numpact_table_manifest::Entry& entry = manifest->entries[column];
      const table::Column* const numbers = entry.column;
      const std::size_t count = numbers == nullptr
                                    ? entry.other->parts.size()
                                    : std::max<std::size_t>(1, numbers->parts.size());
      if (index < count) {
        give_struct(
            numbers == nullptr ? given_part(entry.other->parts[index]) : part_of(*numbers, index),
            part);
        return {};
      }
    }
    return Status(ErrorKind::kInvalidArgument, "the table has no such part");
  });
}

size_t numpact_table_manifest_skipped_count(const numpact_table_manifest* manifest) {
  return manifest->manifest.skipped.size();
}

numpact_status numpact_table_manifest_skipped(const numpact_table_manifest* manifest, size_t index,
                                              numpact_table_skipped* skipped,
                                              numpact_error* error) {
  return run(error, [&]() -> Status {
    NUMPACT_TRY(check_given(manifest));
    NUMPACT_TRY(check_struct(skipped));
    if (index >= manifest->manifest.skipped.size()) {
      return Status(ErrorKind::kInvalidArgument, "the table has no such column");
    }
    const table::Skipped& column = manifest->manifest.skipped[index];
    give_struct(
        numpact_table_skipped{0, column.name.c_str(), column.type.c_str(), column.reason.c_str()},
        skipped);
    return {};
  });
}

uint64_t numpact_table_manifest_rows(const numpact_table_manifest* manifest) {
  return manifest->manifest.joined_rows().value_or(NUMPACT_UNKNOWN);
}

uint64_t numpact_table_max_runs(uint64_t numbers, uint64_t nulls) {
  return table::max_null_runs(numbers, nulls);
}

numpact_status numpact_table_check_runs(const uint64_t* lengths, size_t count, uint64_t numbers,
                                        uint64_t nulls, numpact_error* error) {
  return run(error, [&]() -> Status {
    if (count > 0) NUMPACT_TRY(check_given(lengths));
    table::NullRunCheck check(numbers, nulls);
    NUMPACT_TRY(check.add({lengths, count}));
    return check.finish();
  });
}

}  // extern "C"
