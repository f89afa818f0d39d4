/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "read_pco.h"

/* A constant of a filter, in the unit of DuckDB's type of the column. */
typedef struct constant {
  int is_known;
  enum { SIGNED, UNSIGNED, FLOATING } kind;
  int64_t i;
  uint64_t u;
  double f;
} constant;

static int is_type(duckdb_v2_value_handle value, DUCKDB_V2_LOGICAL_TYPE_ID expected) {
  duckdb_v2_logical_type_handle type = NULL;
  DUCKDB_V2_LOGICAL_TYPE_ID id = DUCKDB_V2_LOGICAL_TYPE_ID_INVALID;
  if (duckdb_v2_value_get_logical_type(value, &type, NULL) != DUCKDB_V2_ERROR_NONE) return 0;
  duckdb_v2_logical_type_get_id(type, &id, NULL);
  duckdb_v2_logical_type_destroy(&type);
  return id == expected;
}

static int is_known(DUCKDB_V2_ERROR code) { return code == DUCKDB_V2_ERROR_NONE; }

/* A decimal of the column's own scale; DuckDB casts others before they are compared. */
static void read_decimal(constant* made, duckdb_v2_value_handle value,
                         const numpact_table_column* column) {
  duckdb_v2_hugeint_t number = {0};
  uint8_t width = 0;
  uint8_t scale = 0;
  if (!is_known(duckdb_v2_value_get_decimal(value, &number, &width, &scale, NULL))) return;
  made->i = (int64_t)number.lower;
  made->is_known = scale == column->scale && number.upper == (made->i < 0 ? -1 : 0);
}

static void read_instant(constant* made, duckdb_v2_value_handle value, value_kind type) {
  int64_t* out = &made->i;
  int32_t days = 0;
  switch (type) {
    case VALUE_DATE:
      made->is_known = is_known(duckdb_v2_value_get_date(value, &days, NULL));
      made->i = days;
      break;
    case VALUE_TIME:
      made->is_known = is_known(duckdb_v2_value_get_time(value, out, NULL));
      break;
    case VALUE_TIME_NS:
      made->is_known = is_known(duckdb_v2_value_get_time_ns(value, out, NULL));
      break;
    case VALUE_TIMESTAMP_S:
      made->is_known = is_known(duckdb_v2_value_get_timestamp_sec(value, out, NULL));
      break;
    case VALUE_TIMESTAMP_MS:
      made->is_known = is_known(duckdb_v2_value_get_timestamp_ms(value, out, NULL));
      break;
    case VALUE_TIMESTAMP:
      made->is_known = is_known(duckdb_v2_value_get_timestamp(value, out, NULL));
      break;
    case VALUE_TIMESTAMP_NS:
      made->is_known = is_known(duckdb_v2_value_get_timestamp_ns(value, out, NULL));
      break;
    case VALUE_TIMESTAMP_TZ:
      made->is_known = is_known(duckdb_v2_value_get_timestamp_tz(value, out, NULL));
      break;
    case VALUE_TIMESTAMP_TZ_NS:
      made->is_known = is_known(duckdb_v2_value_get_timestamp_tz_ns(value, out, NULL));
      break;
    default: /* intervals are not ordered by their parts */
      break;
  }
}

/* The value of a constant of the column's own type; another type is not understood. */
static constant read_value(duckdb_v2_value_handle value, const numpact_table_column* column) {
  constant made = {0, SIGNED, 0, 0, 0};
  bool is_null = true;
  bool flag = false;
  const value_kind type = value_type(column);
  if (duckdb_v2_value_is_null(value, &is_null, NULL) != DUCKDB_V2_ERROR_NONE || is_null ||
      !is_type(value, duck_type(type))) {
    return made;
  }
  if (column->kind == NUMPACT_TABLE_BOOL) {
    made.kind = UNSIGNED;
    made.is_known = is_known(duckdb_v2_value_get_bool(value, &flag, NULL));
    made.u = flag;
  } else if (column->kind == NUMPACT_TABLE_DECIMAL) {
    read_decimal(&made, value, column);
  } else if (column->kind != NUMPACT_TABLE_NUMBER) {
    read_instant(&made, value, type);
  } else if (is_float_type(column->type)) {
    made.kind = FLOATING;
    made.is_known = is_known(duckdb_v2_value_get_double(value, &made.f, NULL));
  } else if (is_signed_type(column->type)) {
    made.is_known = is_known(duckdb_v2_value_get_bigint(value, &made.i, NULL));
  } else {
    made.kind = UNSIGNED;
    made.is_known = is_known(duckdb_v2_value_get_ubigint(value, &made.u, NULL));
  }
  return made;
}

static constant read_constant(duckdb_v2_expression_handle expression,
                              const numpact_table_column* column) {
  constant made = {0, SIGNED, 0, 0, 0};
  duckdb_v2_value_handle value = NULL;
  if (duckdb_v2_expression_constant_get_value(expression, &value, NULL) != DUCKDB_V2_ERROR_NONE) {
    return made;
  }
  made = read_value(value, column);
  duckdb_v2_value_destroy(&value);
  return made;
}

/* Numbers of the column within a unit of DuckDB's type, and the other way round; one of them is 1.
 */
static void units_of(const numpact_table_column* column, int64_t* per_unit, int64_t* units) {
  static const int64_t micros[] = {1, 1000000, 1000, 1, 1};
  const int is_finer = column->kind == NUMPACT_TABLE_TIME32 ||
                       column->kind == NUMPACT_TABLE_TIME64 ||
                       (column->kind == NUMPACT_TABLE_TIMESTAMP && has_zone(column));
  *per_unit = column->kind == NUMPACT_TABLE_DATE64 ? 86400000 : 1;
  *units = is_finer ? micros[column->unit] : 1;
}

static int reserve(bounds* made) {
  if (made->count < made->capacity) return 1;
  const size_t capacity = 2 * made->capacity + 8;
  numpact_table_condition* conditions = realloc(made->conditions, capacity * sizeof *conditions);
  if (conditions != NULL) made->conditions = conditions;
  numpact_table_value* values = realloc(made->values, capacity * sizeof *values);
  if (values != NULL) made->values = values;
  if (conditions == NULL || values == NULL) return 0;
  made->capacity = capacity;
  return 1;
}

/* A whole number in the unit of the column, rounded outwards. 0: it overflows. */
static int to_stored(const numpact_table_column* column, int is_low, int64_t value, int64_t* made) {
  int64_t per_unit = 1;
  int64_t units = 1;
  units_of(column, &per_unit, &units);
  if (per_unit > 1 && (value > INT64_MAX / per_unit - 1 || value < INT64_MIN / per_unit + 1)) {
    return 0;
  }
  int64_t number = value * per_unit;
  if (!is_low) number += per_unit - 1;
  const int64_t rest = number % units;
  number /= units;
  if (is_low && rest < 0) number--;
  if (!is_low && rest > 0) number++;
  *made = number;
  return 1;
}

/* Adds one side of a bound; DuckDB compares the rows again. 0: out of memory. */
static int add_side(bounds* made, const open_table* table, size_t column, int is_low,
                    constant from) {
  numpact_table_value value = {.struct_size = sizeof value, .u64 = from.u, .f64 = from.f};
  if (!from.is_known || (from.kind == FLOATING && from.f != from.f)) return 1;
  value.kind = from.kind == FLOATING   ? NUMPACT_TABLE_VALUE_F64
               : from.kind == UNSIGNED ? NUMPACT_TABLE_VALUE_U64
                                       : NUMPACT_TABLE_VALUE_I64;
  if (from.kind == SIGNED && !to_stored(&table->columns[column], is_low, from.i, &value.i64)) {
    return 1;
  }
  if (!reserve(made)) return 0;
  made->values[made->count] = value;
  made->conditions[made->count++] = (numpact_table_condition){
      .struct_size = sizeof *made->conditions,
      .column = column,
      .op = is_low ? NUMPACT_TABLE_GREATER_EQUAL : NUMPACT_TABLE_LESS_EQUAL,
      .value_count = 1};
  return 1;
}

static DUCKDB_V2_EXPRESSION_TYPE type_of(duckdb_v2_expression_handle expression) {
  DUCKDB_V2_EXPRESSION_TYPE type = DUCKDB_V2_EXPRESSION_TYPE_INVALID;
  duckdb_v2_expression_get_type(expression, &type, NULL);
  return type;
}

static duckdb_v2_expression_handle child_of(duckdb_v2_expression_handle expression, idx_t index) {
  duckdb_v2_expression_handle child = NULL;
  idx_t count = 0;
  if (duckdb_v2_expression_get_child_count(expression, &count, NULL) != DUCKDB_V2_ERROR_NONE ||
      index >= count) {
    return NULL;
  }
  duckdb_v2_expression_get_child(expression, index, &child, NULL);
  return child;
}

/* Returns the index of the column that an expression is, in `column`; 0: it is none that can be
 * bounded. */
static int is_column(duckdb_v2_expression_handle expression, const open_table* table,
                     duckdb_v2_table_function_filter_pushdown_info_handle info, idx_t* column) {
  idx_t index = 0;
  return expression != NULL && type_of(expression) == DUCKDB_V2_EXPRESSION_TYPE_BOUND_COLUMN_REF &&
         duckdb_v2_expression_column_ref_get_index(expression, &index, NULL) ==
             DUCKDB_V2_ERROR_NONE &&
         duckdb_v2_table_function_filter_pushdown_get_column_index(info, index, column, NULL) ==
             DUCKDB_V2_ERROR_NONE &&
         *column < table->column_count && table->columns[*column].kind != NUMPACT_TABLE_OTHER &&
         !is_text_column(&table->columns[*column]);
}

static DUCKDB_V2_EXPRESSION_TYPE flipped(DUCKDB_V2_EXPRESSION_TYPE type) {
  switch (type) {
    case DUCKDB_V2_EXPRESSION_TYPE_COMPARE_LESSTHAN:
      return DUCKDB_V2_EXPRESSION_TYPE_COMPARE_GREATERTHAN;
    case DUCKDB_V2_EXPRESSION_TYPE_COMPARE_LESSTHANOREQUALTO:
      return DUCKDB_V2_EXPRESSION_TYPE_COMPARE_GREATERTHANOREQUALTO;
    case DUCKDB_V2_EXPRESSION_TYPE_COMPARE_GREATERTHAN:
      return DUCKDB_V2_EXPRESSION_TYPE_COMPARE_LESSTHAN;
    case DUCKDB_V2_EXPRESSION_TYPE_COMPARE_GREATERTHANOREQUALTO:
      return DUCKDB_V2_EXPRESSION_TYPE_COMPARE_LESSTHANOREQUALTO;
    default:
      return type;
  }
}

/* Comparisons with the lower and upper end, and those that are both, as masks. */
enum { HAS_LOW = 1, HAS_HIGH = 2 };

static int sides_of(DUCKDB_V2_EXPRESSION_TYPE type) {
  switch (type) {
    case DUCKDB_V2_EXPRESSION_TYPE_COMPARE_EQUAL:
      return HAS_LOW | HAS_HIGH;
    case DUCKDB_V2_EXPRESSION_TYPE_COMPARE_GREATERTHAN:
    case DUCKDB_V2_EXPRESSION_TYPE_COMPARE_GREATERTHANOREQUALTO:
      return HAS_LOW;
    case DUCKDB_V2_EXPRESSION_TYPE_COMPARE_LESSTHAN:
    case DUCKDB_V2_EXPRESSION_TYPE_COMPARE_LESSTHANOREQUALTO:
      return HAS_HIGH;
    default:
      return 0;
  }
}

static int add_comparison(bounds* made, const open_table* table,
                          duckdb_v2_table_function_filter_pushdown_info_handle info,
                          duckdb_v2_expression_handle filter, DUCKDB_V2_EXPRESSION_TYPE type) {
  duckdb_v2_expression_handle left = child_of(filter, 0);
  duckdb_v2_expression_handle right = child_of(filter, 1);
  idx_t column = 0;
  if (!is_column(left, table, info, &column)) {
    duckdb_v2_expression_handle other = left;
    left = right;
    right = other;
    type = flipped(type);
    if (!is_column(left, table, info, &column)) return 1;
  }
  if (right == NULL || type_of(right) != DUCKDB_V2_EXPRESSION_TYPE_VALUE_CONSTANT) return 1;
  const constant value = read_constant(right, &table->columns[column]);
  return (!(sides_of(type) & HAS_LOW) || add_side(made, table, column, 1, value)) &&
         (!(sides_of(type) & HAS_HIGH) || add_side(made, table, column, 0, value));
}

static int add_between(bounds* made, const open_table* table,
                       duckdb_v2_table_function_filter_pushdown_info_handle info,
                       duckdb_v2_expression_handle filter) {
  idx_t column = 0;
  if (!is_column(child_of(filter, 0), table, info, &column)) return 1;
  for (idx_t side = 1; side <= 2; side++) {
    duckdb_v2_expression_handle end = child_of(filter, side);
    if (end == NULL || type_of(end) != DUCKDB_V2_EXPRESSION_TYPE_VALUE_CONSTANT) continue;
    const constant value = read_constant(end, &table->columns[column]);
    if (!add_side(made, table, column, side == 1, value)) return 0;
  }
  return 1;
}

/* Levels of an expression that are searched; deeper parts are left to DuckDB. */
enum { MAX_DEPTH = 32 };

static int add_filter(bounds* made, const open_table* table,
                      duckdb_v2_table_function_filter_pushdown_info_handle info,
                      duckdb_v2_expression_handle filter, int depth) {
  const DUCKDB_V2_EXPRESSION_TYPE type = type_of(filter);
  if (type == DUCKDB_V2_EXPRESSION_TYPE_COMPARE_BETWEEN) {
    return add_between(made, table, info, filter);
  }
  if (sides_of(type) != 0) return add_comparison(made, table, info, filter, type);
  if (type != DUCKDB_V2_EXPRESSION_TYPE_CONJUNCTION_AND || depth >= MAX_DEPTH) return 1;
  for (idx_t i = 0;; i++) {
    duckdb_v2_expression_handle child = child_of(filter, i);
    if (child == NULL) return 1;
    if (!add_filter(made, table, info, child, depth + 1)) return 0;
  }
}

int bounds_add_filter(bounds* made, const open_table* table,
                      duckdb_v2_table_function_filter_pushdown_info_handle info,
                      duckdb_v2_expression_handle filter) {
  return add_filter(made, table, info, filter, 0);
}
