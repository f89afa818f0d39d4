/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "scan.h"

enum { MS_PER_DAY = 86400000 };

/* Digits of decimals that DuckDB stores in 16 and 32 bits; up to 18 it stores in 64. */
enum { MAX_DIGITS_OF_16 = 4, MAX_DIGITS_OF_32 = 9 };

/* As DuckDB stores an INTERVAL. */
typedef struct interval {
  int32_t months;
  int32_t days;
  int64_t micros;
} interval;

int has_zone(const numpact_table_column* column) { return *column->timezone != '\0'; }

value_kind value_type(const numpact_table_column* column) {
  static const value_kind numbers[] = {
      VALUE_KINDS,  VALUE_UINTEGER,  VALUE_UBIGINT,  VALUE_INTEGER, VALUE_BIGINT,   VALUE_FLOAT,
      VALUE_DOUBLE, VALUE_USMALLINT, VALUE_SMALLINT, VALUE_FLOAT,   VALUE_UTINYINT, VALUE_TINYINT};
  static const value_kind instants[] = {VALUE_KINDS, VALUE_TIMESTAMP_S, VALUE_TIMESTAMP_MS,
                                        VALUE_TIMESTAMP, VALUE_TIMESTAMP_NS};
  const int is_nano = column->unit == NUMPACT_TABLE_NANO && has_nano_types;
  switch (column->kind) {
    case NUMPACT_TABLE_NUMBER:
      return numbers[column->type];
    case NUMPACT_TABLE_BOOL:
      return VALUE_BOOLEAN;
    case NUMPACT_TABLE_DATE32:
    case NUMPACT_TABLE_DATE64:
      return VALUE_DATE;
    case NUMPACT_TABLE_TIME32:
    case NUMPACT_TABLE_TIME64:
      return is_nano ? VALUE_TIME_NS : VALUE_TIME;
    case NUMPACT_TABLE_TIMESTAMP:
      if (!has_zone(column)) return instants[column->unit];
      return is_nano ? VALUE_TIMESTAMP_TZ_NS : VALUE_TIMESTAMP_TZ;
    case NUMPACT_TABLE_DURATION:
      return VALUE_INTERVAL;
    case NUMPACT_TABLE_DECIMAL:
      return VALUE_DECIMAL;
    case NUMPACT_TABLE_TEXT:
      return is_bytes_column(column) ? VALUE_BLOB : VALUE_VARCHAR;
    default: /* another column */
      return VALUE_VARCHAR;
  }
}

const char* value_type_name(const numpact_table_column* column, char* made) {
  static const char* const names[VALUE_KINDS] = {
      [VALUE_BOOLEAN] = "BOOLEAN",
      [VALUE_TINYINT] = "TINYINT",
      [VALUE_SMALLINT] = "SMALLINT",
      [VALUE_INTEGER] = "INTEGER",
      [VALUE_BIGINT] = "BIGINT",
      [VALUE_UTINYINT] = "UTINYINT",
      [VALUE_USMALLINT] = "USMALLINT",
      [VALUE_UINTEGER] = "UINTEGER",
      [VALUE_UBIGINT] = "UBIGINT",
      [VALUE_FLOAT] = "FLOAT",
      [VALUE_DOUBLE] = "DOUBLE",
      [VALUE_DATE] = "DATE",
      [VALUE_TIME] = "TIME",
      [VALUE_TIME_NS] = "TIME_NS",
      [VALUE_TIMESTAMP_S] = "TIMESTAMP_S",
      [VALUE_TIMESTAMP_MS] = "TIMESTAMP_MS",
      [VALUE_TIMESTAMP] = "TIMESTAMP",
      [VALUE_TIMESTAMP_NS] = "TIMESTAMP_NS",
      [VALUE_TIMESTAMP_TZ] = "TIMESTAMP WITH TIME ZONE",
      [VALUE_TIMESTAMP_TZ_NS] = "TIMESTAMPTZ_NS",
      [VALUE_INTERVAL] = "INTERVAL",
  };
  if (is_text_column(column)) return is_bytes_column(column) ? "BLOB" : "VARCHAR";
  if (column->kind == NUMPACT_TABLE_DECIMAL) {
    snprintf(made, TYPE_NAME_SIZE, "DECIMAL(%d,%d)", (int)column->precision, (int)column->scale);
    return made;
  }
  const char* name = names[value_type(column)];
  return name != NULL ? name : column->type_text; /* as Arrow prints it */
}

int value_is_number(const numpact_table_column* column) {
  switch (column->kind) {
    case NUMPACT_TABLE_NUMBER:
      return column->type != NUMPACT_F16;
    case NUMPACT_TABLE_DATE32:
      return 1;
    case NUMPACT_TABLE_DECIMAL:
      return column->precision > MAX_DIGITS_OF_32;
    case NUMPACT_TABLE_TIMESTAMP:
      return !has_zone(column) || column->unit == NUMPACT_TABLE_MICRO ||
             (column->unit == NUMPACT_TABLE_NANO && has_nano_types);
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

/* Whether a decimal has at most as many digits as its column. */
static int is_decimal(const numpact_table_column* column, int64_t value) {
  int64_t limit = 1;
  for (int32_t i = 0; i < column->precision; i++) limit *= 10;
  return value > -limit && value < limit;
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

/* Whether a value is a whole count of microseconds. */
static int is_whole(const numpact_table_column* column, int64_t value) {
  return column->unit != NUMPACT_TABLE_NANO || value % 1000 == 0;
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
      if (column->unit == NUMPACT_TABLE_NANO && has_nano_types) {
        ((int64_t*)out)[index] = value;
        return 1;
      }
      return is_whole(column, value) && to_microseconds(value, column->unit, (int64_t*)out + index);
    case NUMPACT_TABLE_TIMESTAMP:
      return is_whole(column, value) &&
             to_microseconds(value, column->unit, (int64_t*)out + index) &&
             is_instant(((int64_t*)out)[index]);
    case NUMPACT_TABLE_DECIMAL:
      if (!is_decimal(column, value)) return 0;
      if (column->precision <= MAX_DIGITS_OF_16) {
        ((int16_t*)out)[index] = (int16_t)value;
      } else {
        ((int32_t*)out)[index] = (int32_t)value;
      }
      return 1;
    default: {
      interval* made = (interval*)out + index;
      const int fits = to_microseconds(value, column->unit, &micros);
      memset(made, 0, sizeof *made);
      made->micros = micros;
      return fits;
    }
  }
}

/* Whether DuckDB's type of a column whose numbers need no conversion has a value. */
static int is_in_range(const numpact_table_column* column, int64_t value) {
  int64_t micros = 0;
  if (column->kind == NUMPACT_TABLE_DATE32) return is_date(value);
  if (column->kind == NUMPACT_TABLE_DECIMAL) return is_decimal(column, value);
  if (column->unit == NUMPACT_TABLE_NANO) return is_instant_ns(value);
  return to_microseconds(value, column->unit, &micros) && is_instant(micros);
}

static int fail_range(const numpact_table_column* column, int64_t value, failure* why) {
  char type[TYPE_NAME_SIZE];
  const int is_cut = !has_nano_types && !is_whole(column, value);
  return fail(why, "column \"%s\": the stored value %lld is %s %s", column->name, (long long)value,
              is_cut ? "no whole count of the microseconds of" : "out of range of",
              value_type_name(column, type));
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
