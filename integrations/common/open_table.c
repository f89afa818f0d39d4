/* SPDX-License-Identifier: Apache-2.0 */
#include "open_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fail(failure* why, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why->text, sizeof why->text, format, arguments);
  va_end(arguments);
  return 0;
}

/* The name as a string of C and of SQL, which have no zero bytes. */
static char* name_of(const numpact_table_column* column) {
  static const char picture[] = "\xe2\x90\x80";
  const size_t bytes = sizeof picture - 1;
  char* name = malloc(bytes * column->name_size + 1);
  char* out = name;
  for (size_t i = 0; name != NULL && i < column->name_size; i++) {
    const int is_zero = column->name[i] == '\0';
    memcpy(out, is_zero ? picture : &column->name[i], is_zero ? bytes : 1);
    out += is_zero ? bytes : 1;
  }
  if (name != NULL) *out = '\0';
  return name;
}

static int list_columns(open_table* made, failure* why) {
  const numpact_table_manifest* manifest = numpact_table_get_manifest(made->table);
  const size_t count = numpact_table_manifest_column_count(manifest);
  made->rows = numpact_table_manifest_rows(manifest);
  if (made->rows == NUMPACT_UNKNOWN) {
    return fail(why,
                "%s: nulls were left out when the table was written (nulls_dropped), so the rows "
                "of its columns do not belong together: read its files one by one",
                made->path);
  }
  made->columns = calloc(count + 1, sizeof *made->columns);
  made->names = calloc(count + 1, sizeof *made->names);
  int ok = made->columns != NULL && made->names != NULL;
  for (size_t i = 0; i < count && ok; i++, made->column_count++) {
    made->columns[i].struct_size = sizeof made->columns[i];
    numpact_table_manifest_column(manifest, i, &made->columns[i], NULL);
    made->names[i] = name_of(&made->columns[i]);
    ok = made->names[i] != NULL;
  }
  return ok || fail(why, "%s: out of memory", made->path);
}

open_table* open_table_at(const char* path, failure* why) {
  open_table* made = calloc(1, sizeof *made);
  const size_t size = strlen(path) + 1;
  if (made != NULL) made->path = malloc(size);
  if (made == NULL || made->path == NULL) {
    fail(why, "%s: out of memory", path);
  } else {
    memcpy(made->path, path, size);
    if (numpact_table_open(NULL, path, &made->table, why->text, sizeof why->text, NULL) ==
            NUMPACT_OK &&
        list_columns(made, why)) {
      return made;
    }
  }
  close_table(made);
  return NULL;
}

int has_warning(const open_table* table, failure* line) {
  numpact_file_end end;
  end.struct_size = sizeof end;
  if (numpact_table_file_end(table->table, &end, NULL) != NUMPACT_OK || end.warning == NULL) {
    return 0;
  }
  const uint64_t at = end.foreign_offset == NUMPACT_UNKNOWN ? end.file_size : end.foreign_offset;
  fail(line, "%s: at byte %llu: %s", table->path, (unsigned long long)at, end.warning);
  return 1;
}

void close_table(open_table* table) {
  if (table == NULL) return;
  for (size_t i = 0; table->names != NULL && i < table->column_count; i++) free(table->names[i]);
  free(table->names);
  free(table->columns);
  numpact_table_destroy(table->table);
  free(table->path);
  free(table);
}

numpact_table_scan* scan_table(const open_table* table, const numpact_table_query* query,
                               failure* why) {
  numpact_table_scan* scan = NULL;
  numpact_table_scan_create(table->table, query, &scan, why->text, sizeof why->text, NULL);
  return scan;
}

numpact_table_cursor* read_scan(const numpact_table_scan* scan, failure* why) {
  numpact_table_cursor* cursor = NULL;
  if (numpact_table_cursor_create(scan, &cursor, NULL) != NUMPACT_OK) fail(why, "out of memory");
  return cursor;
}

int read_rows(numpact_table_cursor* cursor, size_t column, uint64_t row, size_t count,
              uint64_t ahead, void* numbers, uint8_t* valid, failure* why) {
  return numpact_table_cursor_read(cursor, column, row, count, ahead, numbers, valid, why->text,
                                   sizeof why->text, NULL) == NUMPACT_OK;
}

int is_float_type(numpact_type type) {
  return type == NUMPACT_F16 || type == NUMPACT_F32 || type == NUMPACT_F64;
}

int is_signed_type(numpact_type type) {
  return type == NUMPACT_I8 || type == NUMPACT_I16 || type == NUMPACT_I32 || type == NUMPACT_I64;
}

int is_text_column(const numpact_table_column* column) {
  return column->kind == NUMPACT_TABLE_TEXT;
}

int is_bytes_column(const numpact_table_column* column) {
  return is_text_column(column) && strstr(column->type_text, "binary") != NULL;
}

uint32_t text_place(numpact_type type, const void* numbers, size_t index) {
  uint32_t place = 0;
  const size_t size = numpact_type_size(type);
  const char* from = (const char*)numbers + index * size;
  if (size == 1) return *(const uint8_t*)from;
  if (size == 4) {
    memcpy(&place, from, sizeof place);
    return place;
  }
  uint16_t small;
  memcpy(&small, from, sizeof small);
  return small;
}
