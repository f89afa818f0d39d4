/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "read_pco.h"

enum { MS_PER_DAY = 86400000 };

int has_zone(const numpact_table_column* column) { return *column->timezone != '\0'; }

DUCKDB_V2_LOGICAL_TYPE_ID value_type(const numpact_table_column* column) {
  static const DUCKDB_V2_LOGICAL_TYPE_ID numbers[] = {
      DUCKDB_V2_LOGICAL_TYPE_ID_INVALID,  DUCKDB_V2_LOGICAL_TYPE_ID_UINTEGER,
      DUCKDB_V2_LOGICAL_TYPE_ID_UBIGINT,  DUCKDB_V2_LOGICAL_TYPE_ID_INTEGER,
      DUCKDB_V2_LOGICAL_TYPE_ID_BIGINT,   DUCKDB_V2_LOGICAL_TYPE_ID_FLOAT,
      DUCKDB_V2_LOGICAL_TYPE_ID_DOUBLE,   DUCKDB_V2_LOGICAL_TYPE_ID_USMALLINT,
      DUCKDB_V2_LOGICAL_TYPE_ID_SMALLINT, DUCKDB_V2_LOGICAL_TYPE_ID_FLOAT,
      DUCKDB_V2_LOGICAL_TYPE_ID_UTINYINT, DUCKDB_V2_LOGICAL_TYPE_ID_TINYINT};
  static const DUCKDB_V2_LOGICAL_TYPE_ID instants[] = {
      DUCKDB_V2_LOGICAL_TYPE_ID_INVALID, DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_SEC,
      DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_MS, DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP,
      DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_NS};
  switch (column->kind) {
    case NUMPACT_TABLE_NUMBER:
      return numbers[column->type];
    case NUMPACT_TABLE_BOOL:
      return DUCKDB_V2_LOGICAL_TYPE_ID_BOOLEAN;
    case NUMPACT_TABLE_DATE32:
    case NUMPACT_TABLE_DATE64:
      return DUCKDB_V2_LOGICAL_TYPE_ID_DATE;
    case NUMPACT_TABLE_TIME32:
    case NUMPACT_TABLE_TIME64:
      return column->unit == NUMPACT_TABLE_NANO ? DUCKDB_V2_LOGICAL_TYPE_ID_TIME_NS
                                                : DUCKDB_V2_LOGICAL_TYPE_ID_TIME;
    case NUMPACT_TABLE_TIMESTAMP:
      if (!has_zone(column)) return instants[column->unit];
      return column->unit == NUMPACT_TABLE_NANO ? DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_TZ_NS
                                                : DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_TZ;
    case NUMPACT_TABLE_DURATION:
      return DUCKDB_V2_LOGICAL_TYPE_ID_INTERVAL;
    default: /* another column */
      return DUCKDB_V2_LOGICAL_TYPE_ID_VARCHAR;
  }
}

const char* value_type_name(const numpact_table_column* column) {
  switch (value_type(column)) {
    case DUCKDB_V2_LOGICAL_TYPE_ID_BOOLEAN:
      return "BOOLEAN";
    case DUCKDB_V2_LOGICAL_TYPE_ID_TINYINT:
      return "TINYINT";
    case DUCKDB_V2_LOGICAL_TYPE_ID_SMALLINT:
      return "SMALLINT";
    case DUCKDB_V2_LOGICAL_TYPE_ID_INTEGER:
      return "INTEGER";
    case DUCKDB_V2_LOGICAL_TYPE_ID_BIGINT:
      return "BIGINT";
    case DUCKDB_V2_LOGICAL_TYPE_ID_UTINYINT:
      return "UTINYINT";
    case DUCKDB_V2_LOGICAL_TYPE_ID_USMALLINT:
      return "USMALLINT";
    case DUCKDB_V2_LOGICAL_TYPE_ID_UINTEGER:
      return "UINTEGER";
    case DUCKDB_V2_LOGICAL_TYPE_ID_UBIGINT:
      return "UBIGINT";
    case DUCKDB_V2_LOGICAL_TYPE_ID_FLOAT:
      return "FLOAT";
    case DUCKDB_V2_LOGICAL_TYPE_ID_DOUBLE:
      return "DOUBLE";
    case DUCKDB_V2_LOGICAL_TYPE_ID_DATE:
      return "DATE";
    case DUCKDB_V2_LOGICAL_TYPE_ID_TIME:
      return "TIME";
    case DUCKDB_V2_LOGICAL_TYPE_ID_TIME_NS:
      return "TIME_NS";
    case DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_SEC:
      return "TIMESTAMP_S";
    case DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_MS:
      return "TIMESTAMP_MS";
    case DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP:
      return "TIMESTAMP";
    case DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_NS:
      return "TIMESTAMP_NS";
    case DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_TZ:
      return "TIMESTAMP WITH TIME ZONE";
    case DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_TZ_NS:
      return "TIMESTAMPTZ_NS";
    case DUCKDB_V2_LOGICAL_TYPE_ID_INTERVAL:
      return "INTERVAL";
    default:
      return column->type_text; /* as Arrow prints it */
  }
}

int value_is_number(const numpact_table_column* column) {
  switch (column->kind) {
    case NUMPACT_TABLE_NUMBER:
      return column->type != NUMPACT_F16;
    case NUMPACT_TABLE_DATE32:
      return 1;
    case NUMPACT_TABLE_TIMESTAMP:
      return !has_zone(column) || column->unit >= NUMPACT_TABLE_MICRO;
    default:
      return 0;
  }
}

/* ---- conversions ---- */

/* DuckDB's calendar ends in 290309 BC, in microseconds. The largest values stand for infinity. */
#define MIN_MICROSECONDS INT64_C(-9223372022400000000)

static int is_instant(int64_t micros) { return micros >= MIN_MICROSECONDS && micros < INT64_MAX; }

/* Nanoseconds end earlier, by their type; both ends stand for infinity. */
static int is_instant_ns(int64_t nanos) { return nanos > -INT64_MAX && nanos < INT64_MAX; }

static int is_date(int64_t days) { return days > -INT32_MAX && days < INT32_MAX; }

/* A time since midnight lies within a day, whose end counts. */
static int is_time(int64_t time, int32_t unit) {
  static const int64_t seconds = 86400;
  static const int64_t per_second[] = {1, 1, 1000, 1000000, 1000000000};
  return time >= 0 && time <= seconds * per_second[unit];
}

static int64_t number_at(const numpact_table_column* column, const void* numbers, size_t index) {
  if (column->type == NUMPACT_I32) {
    int32_t number;
    memcpy(&number, (const char*)numbers + index * sizeof number, sizeof number);
    return number;
  }
  int64_t number;
  memcpy(&number, (const char*)numbers + index * sizeof number, sizeof number);
  return number;
}

/* Microseconds; 0: out of range. Nanoseconds are rounded towards zero, as DuckDB does. */
static int to_microseconds(int64_t value, int32_t unit, int64_t* out) {
  const int64_t factor = unit == NUMPACT_TABLE_SECOND  ? 1000000
                         : unit == NUMPACT_TABLE_MILLI ? 1000
                                                       : 1;
  if (unit == NUMPACT_TABLE_NANO) {
    *out = value / 1000;
    return 1;
  }
  if (value > INT64_MAX / factor || value < INT64_MIN / factor) return 0;
  *out = value * factor;
  return 1;
}

static int convert_one(const numpact_table_column* column, int64_t value, void* out, size_t index) {
  int64_t micros = 0;
  switch (column->kind) {
    case NUMPACT_TABLE_DATE64: {
      const int64_t days = value / MS_PER_DAY - (value % MS_PER_DAY < 0);
      ((int32_t*)out)[index] = (int32_t)days;
      return is_date(days);
    }
    case NUMPACT_TABLE_TIME32:
    case NUMPACT_TABLE_TIME64:
      if (!is_time(value, column->unit)) return 0;
      if (column->unit == NUMPACT_TABLE_NANO) {
        ((int64_t*)out)[index] = value;
        return 1;
      }
      return to_microseconds(value, column->unit, (int64_t*)out + index);
    case NUMPACT_TABLE_TIMESTAMP:
      return to_microseconds(value, column->unit, (int64_t*)out + index) &&
             is_instant(((int64_t*)out)[index]);
    default: {
      duckdb_v2_interval_t* interval = (duckdb_v2_interval_t*)out + index;
      const int fits = to_microseconds(value, column->unit, &micros);
      memset(interval, 0, sizeof *interval);
      interval->micros = micros;
      return fits;
    }
  }
}

/* Whether DuckDB's type of a column whose numbers need no conversion has a value. */
static int is_in_range(const numpact_table_column* column, int64_t value) {
  int64_t micros = 0;
  if (column->kind == NUMPACT_TABLE_DATE32) return is_date(value);
  if (column->unit == NUMPACT_TABLE_NANO) return is_instant_ns(value);
  return to_microseconds(value, column->unit, &micros) && is_instant(micros);
}

static int fail_range(const numpact_table_column* column, int64_t value, failure* why) {
  return fail(why, "column \"%s\": the stored value %lld is out of range of %s", column->name,
              (long long)value, value_type_name(column));
}

int check_values(const numpact_table_column* column, const void* numbers, const uint8_t* valid,
                 size_t count, failure* why) {
  if (column->kind == NUMPACT_TABLE_NUMBER) return 1;
  for (size_t i = 0; i < count; i++) {
    if (!valid[i]) continue;
    const int64_t value = number_at(column, numbers, i);
    if (!is_in_range(column, value)) return fail_range(column, value, why);
  }
  return 1;
}

int convert_values(const numpact_table_column* column, const void* numbers, const uint8_t* valid,
                   size_t count, void* out, failure* why) {
  if (column->kind == NUMPACT_TABLE_BOOL) {
    for (size_t i = 0; i < count; i++) ((bool*)out)[i] = ((const uint8_t*)numbers)[i] != 0;
    return 1;
  }
  if (column->type == NUMPACT_F16) {
    for (size_t i = 0; i < count; i++) {
      ((float*)out)[i] = numpact_half_to_float(((const uint16_t*)numbers)[i]);
    }
    return 1;
  }
  for (size_t i = 0; i < count; i++) {
    if (!valid[i]) continue;
    const int64_t value = number_at(column, numbers, i);
    if (!convert_one(column, value, out, i)) return fail_range(column, value, why);
  }
  return 1;
}
