/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a table as the C interface reads it. Arguments: the folder, and a command to run when the
 * table is open.
 *
 * ROWS
 * NAME:KIND[UNIT]:TYPE=VALUE,VALUE
 * error: TEXT */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <numpact/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const kinds[] = {"number", "bool",      "date32",   "date64", "time32",
                                    "time64", "timestamp", "duration", "other",  "text",  "decimal"};
static const char* const units[] = {"", "s", "ms", "us", "ns"};
static const char* const types[] = {"",    "u32", "u64", "i32", "i64", "f32",
                                    "f64", "u16", "i16", "f16", "u8",  "i8"};
static char why[500];

static void print_number(numpact_type type, const char* bytes) {
  const size_t size = numpact_type_size(type);
  const int is_signed =
      type == NUMPACT_I8 || type == NUMPACT_I16 || type == NUMPACT_I32 || type == NUMPACT_I64;
  if (type == NUMPACT_F32) {
    float value = 0;
    memcpy(&value, bytes, sizeof value);
    printf("%.9g", (double)value);
  } else if (type == NUMPACT_F64) {
    double value = 0;
    memcpy(&value, bytes, sizeof value);
    printf("%.17g", value);
  } else {
    int64_t value = is_signed && bytes[size - 1] < 0 ? -1 : 0;
    memcpy(&value, bytes, size); /* little-endian machines alone run this */
    printf("%" PRId64, value);
  }
}

static void print_text(const numpact_table_texts* texts, numpact_type type, const char* bytes) {
  uint32_t place = 0;
  memcpy(&place, bytes, numpact_type_size(type));
  const uint64_t begin = texts->offsets[place];
  fwrite(texts->bytes + begin, 1, (size_t)(texts->offsets[place + 1] - begin), stdout);
}

static int print_values(const numpact_table* table, numpact_table_cursor* cursor, size_t index,
                        const numpact_table_column* column) {
  const size_t count = (size_t)column->rows;
  char* numbers = malloc(8 * count + 8);
  uint8_t* valid = malloc(count + 1);
  const int is_text = column->kind == NUMPACT_TABLE_TEXT;
  numpact_table_texts texts;
  texts.struct_size = sizeof texts;
  const int ok = numbers != NULL && valid != NULL &&
                 (!is_text || numpact_table_get_texts(table, index, &texts, why, sizeof why,
                                                      NULL) == NUMPACT_OK) &&
                 numpact_table_cursor_read(cursor, index, 0, count, 0, numbers, valid, why,
                                           sizeof why, NULL) == NUMPACT_OK;
  for (size_t row = 0; row < count && ok; row++) {
    if (row > 0) printf(",");
    if (valid[row] && is_text) {
      print_text(&texts, column->type, numbers + row * numpact_type_size(column->type));
    } else if (valid[row]) {
      print_number(column->type, numbers + row * numpact_type_size(column->type));
    } else {
      printf("null");
    }
  }
  free(numbers);
  free(valid);
  return ok;
}

static void print_name(const numpact_table_column* column) {
  for (size_t i = 0; i < column->name_size; i++) {
    if (column->name[i] == '\0') {
      printf("\xe2\x90\x80");
    } else {
      putchar(column->name[i]);
    }
  }
}

static void print_columns(const numpact_table* table, numpact_table_cursor* cursor) {
  const numpact_table_manifest* manifest = numpact_table_get_manifest(table);
  printf("%" PRIu64 "\n", numpact_table_manifest_rows(manifest));
  for (size_t i = 0; i < numpact_table_manifest_column_count(manifest); i++) {
    numpact_table_column column;
    column.struct_size = sizeof column;
    if (numpact_table_manifest_column(manifest, i, &column, NULL) != NUMPACT_OK) return;
    print_name(&column);
    printf(":%s", kinds[column.kind]);
    if (column.unit != NUMPACT_TABLE_NO_UNIT) {
      printf("[%s%s]", units[column.unit], *column.timezone != '\0' ? ", zone" : "");
    }
    if (column.kind == NUMPACT_TABLE_OTHER) {
      printf(":%s=\n", column.type_text);
      continue;
    }
    printf(":%s=", types[column.type]);
    if (!print_values(table, cursor, i, &column)) printf("error: %s", why);
    printf("\n");
  }
}

int main(int count, char** arguments) {
  if (count < 2) return 2;
  numpact_table* table = NULL;
  numpact_table_scan* scan = NULL;
  numpact_table_cursor* cursor = NULL;
  numpact_table_query query;
  numpact_table_query_init(&query);
  if (numpact_table_open(NULL, arguments[1], &table, why, sizeof why, NULL) != NUMPACT_OK ||
      numpact_table_scan_create(table, &query, &scan, why, sizeof why, NULL) != NUMPACT_OK ||
      numpact_table_cursor_create(scan, &cursor, NULL) != NUMPACT_OK) {
    printf("error: %s\n", why);
  } else if (count > 2 && system(arguments[2]) != 0) {
    return 1;
  } else {
    print_columns(table, cursor);
  }
  numpact_table_cursor_destroy(cursor);
  numpact_table_scan_destroy(scan);
  numpact_table_destroy(table);
  return 0;
}
