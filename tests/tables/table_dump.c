/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a table as the database plug-ins read it. Arguments: the folder, and a command to run when
 * the table is open.
 *
 * ROWS
 * NAME:KIND[UNIT]:TYPE=VALUE,VALUE
 * error: TEXT */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pco_table.h"

static const char* const kinds[] = {"number", "bool",      "date32",   "date64", "time32",
                                    "time64", "timestamp", "duration", "other"};
static const char* const units[] = {"", "s", "ms", "us", "ns"};
static const char* const types[] = {"",    "u32", "u64", "i32", "i64", "f32",
                                    "f64", "u16", "i16", "f16", "u8",  "i8"};

static void print_number(numpact_type type, const char* bytes) {
  const size_t size = numpact_type_size(type);
  if (type == NUMPACT_F32) {
    float value = 0;
    memcpy(&value, bytes, sizeof value);
    printf("%.9g", (double)value);
  } else if (type == NUMPACT_F64) {
    double value = 0;
    memcpy(&value, bytes, sizeof value);
    printf("%.17g", value);
  } else {
    int64_t value = pco_type_is_signed(type) && bytes[size - 1] < 0 ? -1 : 0;
    memcpy(&value, bytes, size); /* little-endian machines alone run this */
    printf("%" PRId64, value);
  }
}

static int print_values(pco_table* table, pco_cursor* cursor, size_t index, pco_failure* failure) {
  const size_t count = (size_t)table->rows;
  const pco_column* column = &table->columns[index];
  char* numbers = malloc(8 * count + 8);
  uint8_t* valid = malloc(count + 1);
  const int ok = numbers != NULL && valid != NULL && pco_table_load(table, index, failure) &&
                 pco_cursor_read(cursor, index, 0, count, count, numbers, valid, failure);
  for (size_t row = 0; row < count && ok; row++) {
    if (row > 0) printf(",");
    if (valid[row]) {
      print_number(column->type, numbers + row * numpact_type_size(column->type));
    } else {
      printf("null");
    }
  }
  free(numbers);
  free(valid);
  return ok;
}

int main(int count, char** arguments) {
  pco_failure failure;
  if (count < 2) return 2;
  pco_table* table = pco_table_open(arguments[1], &failure);
  pco_cursor* cursor = table == NULL ? NULL : pco_cursor_create(table, &failure);
  if (cursor == NULL) {
    printf("error: %s\n", failure.text);
    pco_table_close(table);
    return 0;
  }
  if (count > 2 && system(arguments[2]) != 0) return 1;
  printf("%" PRIu64 "\n", table->rows);
  for (size_t i = 0; i < table->column_count; i++) {
    const pco_column* column = &table->columns[i];
    printf("%s:%s", column->name, kinds[column->kind]);
    if (column->unit != PCO_NO_UNIT) {
      printf("[%s%s]", units[column->unit], column->has_timezone ? ", zone" : "");
    }
    printf(":%s=", column->kind == PCO_OTHER ? column->type_text : types[column->type]);
    if (column->kind == PCO_OTHER) {
      printf("\n");
      continue;
    }
    if (!print_values(table, cursor, i, &failure)) printf("error: %s", failure.text);
    printf("\n");
  }
  pco_cursor_destroy(cursor);
  pco_table_close(table);
  return 0;
}
