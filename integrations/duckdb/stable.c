/* SPDX-License-Identifier: Apache-2.0 */
/* The extension by DuckDB's stable C API, which versions from 1.2 on have. It has neither filters
 * nor what DuckDB's settings allow: README.md, "Two builds". */
#include <stdlib.h>
#include <string.h>

#include "scan.h"

#define DUCKDB_EXTENSION_NAME numpact
#define DUCKDB_EXTENSION_API_VERSION_MAJOR 1
#define DUCKDB_EXTENSION_API_VERSION_MINOR 2
#define DUCKDB_EXTENSION_API_VERSION_PATCH 0
#include <duckdb_extension.h>

DUCKDB_EXTENSION_EXTERN

enum { PATH_COLUMN, NAME_COLUMN, TYPE_COLUMN, ROWS_COLUMN, NULLS_COLUMN, COLUMN_COUNT };

const int has_nano_types = 0;

int access_file(access_check* check, const char* path, const char* name, failure* why) {
  (void)check, (void)path, (void)name, (void)why;
  return 1;
}

int access_pattern(access_check* check, const char* pattern, failure* why) {
  (void)check, (void)pattern, (void)why;
  return 1;
}

static duckdb_type type_of(value_kind kind) {
  static const duckdb_type types[VALUE_KINDS] = {
      [VALUE_BOOLEAN] = DUCKDB_TYPE_BOOLEAN,
      [VALUE_TINYINT] = DUCKDB_TYPE_TINYINT,
      [VALUE_SMALLINT] = DUCKDB_TYPE_SMALLINT,
      [VALUE_INTEGER] = DUCKDB_TYPE_INTEGER,
      [VALUE_BIGINT] = DUCKDB_TYPE_BIGINT,
      [VALUE_UTINYINT] = DUCKDB_TYPE_UTINYINT,
      [VALUE_USMALLINT] = DUCKDB_TYPE_USMALLINT,
      [VALUE_UINTEGER] = DUCKDB_TYPE_UINTEGER,
      [VALUE_UBIGINT] = DUCKDB_TYPE_UBIGINT,
      [VALUE_FLOAT] = DUCKDB_TYPE_FLOAT,
      [VALUE_DOUBLE] = DUCKDB_TYPE_DOUBLE,
      [VALUE_DATE] = DUCKDB_TYPE_DATE,
      [VALUE_TIME] = DUCKDB_TYPE_TIME,
      [VALUE_TIMESTAMP_S] = DUCKDB_TYPE_TIMESTAMP_S,
      [VALUE_TIMESTAMP_MS] = DUCKDB_TYPE_TIMESTAMP_MS,
      [VALUE_TIMESTAMP] = DUCKDB_TYPE_TIMESTAMP,
      [VALUE_TIMESTAMP_NS] = DUCKDB_TYPE_TIMESTAMP_NS,
      [VALUE_TIMESTAMP_TZ] = DUCKDB_TYPE_TIMESTAMP_TZ,
      [VALUE_INTERVAL] = DUCKDB_TYPE_INTERVAL,
      [VALUE_VARCHAR] = DUCKDB_TYPE_VARCHAR,
      [VALUE_BLOB] = DUCKDB_TYPE_BLOB,
  };
  return types[kind];
}

static void add_type(duckdb_bind_info info, const char* name, duckdb_logical_type type) {
  duckdb_bind_add_result_column(info, name, type);
  duckdb_destroy_logical_type(&type);
}

static void add_column(duckdb_bind_info info, const char* name,
                       const numpact_table_column* column) {
  const value_kind kind = value_type(column);
  add_type(info, name,
           kind == VALUE_DECIMAL
               ? duckdb_create_decimal_type((uint8_t)column->precision, (uint8_t)column->scale)
               : duckdb_create_logical_type(type_of(kind)));
}

static void free_sources(void* data) {
  sources_close(data);
  free(data);
}

/* Opens what the first argument names. Null: DuckDB has the error. */
static sources* bind_sources(duckdb_bind_info info) {
  failure why;
  duckdb_value value = duckdb_bind_get_parameter(info, 0);
  char* path = value == NULL || duckdb_is_null_value(value) ? NULL : duckdb_get_varchar(value);
  duckdb_destroy_value(&value);
  sources* made = calloc(1, sizeof *made);
  int ok = 0;
  if (made == NULL) {
    fail(&why, "out of memory");
  } else if (path == NULL) {
    fail(&why, "the path of a Pco file or folder is not text");
  } else {
    ok = sources_open(made, path, NULL, &why);
  }
  duckdb_free(path);
  if (ok) {
    duckdb_bind_set_bind_data(info, made, free_sources);
    return made;
  }
  duckdb_bind_set_error(info, why.text);
  free(made);
  return NULL;
}

/* ---- read_pco ---- */

static void bind_rows(duckdb_bind_info info) {
  const sources* from = bind_sources(info);
  if (from == NULL) return;
  if (from->column_count == 0) {
    duckdb_bind_set_error(info, "the table has no columns, which DuckDB needs");
    return;
  }
  for (size_t i = 0; i < from->column_count; i++) {
    add_column(info, from->names[i], &from->tables[0]->columns[i]);
  }
  duckdb_bind_set_cardinality(info, sources_rows(from), true);
}

static void free_scan(void* data) {
  scan_end(data);
  free(data);
}

static void free_cursor(void* data) {
  cursor_end(data);
  free(data);
}

static void init_rows(duckdb_init_info info) {
  bounds none = {NULL, NULL, 0, 0};
  failure why;
  const idx_t count = duckdb_init_get_column_count(info);
  pco_scan* scan = calloc(1, sizeof *scan);
  if (scan != NULL) scan->columns = calloc(count + 1, sizeof *scan->columns);
  if (scan == NULL || scan->columns == NULL) {
    free(scan);
    duckdb_init_set_error(info, "out of memory");
    return;
  }
  scan->column_count = count;
  for (idx_t i = 0; i < count; i++) scan->columns[i] = duckdb_init_get_column_index(info, i);
  scan->from = duckdb_init_get_bind_data(info);
  if (!scan_begin(scan, scan->from, &none, NULL, &why)) duckdb_init_set_error(info, why.text);
  duckdb_init_set_init_data(info, scan, free_scan);
  duckdb_init_set_max_threads(info, scan->part_count == 0 ? 1 : scan->part_count);
}

static void init_thread(duckdb_init_info info) {
  scan_cursor* cursor = malloc(sizeof *cursor);
  if (cursor == NULL) {
    duckdb_init_set_error(info, "out of memory");
    return;
  }
  cursor_begin(cursor);
  duckdb_init_set_init_data(info, cursor, free_cursor);
}

static int write_texts(duckdb_vector vector, const pco_scan* scan, const scan_cursor* cursor,
                       size_t index, size_t count, failure* why) {
  numpact_table_texts texts;
  if (!cursor_texts(scan, cursor, index, &texts, why)) return 0;
  for (size_t row = 0; row < count; row++) {
    if (!cursor->valid[row]) continue;
    const uint32_t place = cursor_place(scan, cursor, index, row);
    const uint64_t begin = texts.offsets[place];
    duckdb_vector_assign_string_element_len(vector, row, texts.bytes + begin,
                                            texts.offsets[place + 1] - begin);
  }
  return 1;
}

static void read_vectors(duckdb_function_info info, duckdb_data_chunk chunk) {
  pco_scan* scan = duckdb_function_get_init_data(info);
  scan_cursor* cursor = duckdb_function_get_local_init_data(info);
  failure why;
  size_t count = 0;
  int ok = cursor_next(scan, cursor, duckdb_vector_size(), &count, &why);
  for (size_t i = 0; i < scan->column_count && ok && count > 0; i++) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, i);
    ok = cursor_read(scan, cursor, i, count, duckdb_vector_get_data(vector), &why);
    if (ok && cursor_has_texts(scan, cursor, i)) {
      ok = write_texts(vector, scan, cursor, i, count, &why);
    }
    if (!ok || !has_nulls(cursor->valid, count)) continue;
    duckdb_vector_ensure_validity_writable(vector);
    write_validity(cursor->valid, count, duckdb_vector_get_validity(vector));
  }
  if (!ok) {
    duckdb_function_set_error(info, why.text);
    count = 0;
  }
  cursor_advance(cursor, count);
  duckdb_data_chunk_set_size(chunk, count);
}

/* ---- pco_columns ---- */

static void bind_columns(duckdb_bind_info info) {
  static const char* const names[] = {"path", "name", "type", "rows", "nulls"};
  if (bind_sources(info) == NULL) return;
  for (int i = 0; i < COLUMN_COUNT; i++) {
    const duckdb_type type = i < ROWS_COLUMN ? DUCKDB_TYPE_VARCHAR : DUCKDB_TYPE_UBIGINT;
    add_type(info, names[i], duckdb_create_logical_type(type));
  }
}

static void init_columns(duckdb_init_info info) {
  size_t* next = calloc(1, sizeof *next);
  if (next == NULL) {
    duckdb_init_set_error(info, "out of memory");
    return;
  }
  duckdb_init_set_init_data(info, next, free);
  duckdb_init_set_max_threads(info, 1);
}

static void write_counts(duckdb_data_chunk chunk, idx_t row, const open_table* table,
                         const numpact_table_column* column) {
  duckdb_vector nulls = duckdb_data_chunk_get_vector(chunk, NULLS_COLUMN);
  ((uint64_t*)duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, ROWS_COLUMN)))[row] =
      table->rows;
  ((uint64_t*)duckdb_vector_get_data(nulls))[row] = column->nulls;
  if (column->kind != NUMPACT_TABLE_OTHER) return;
  /* The manifest has no count of the nulls of other columns. */
  duckdb_vector_ensure_validity_writable(nulls);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(nulls), row);
}

static void list_columns(duckdb_function_info info, duckdb_data_chunk chunk) {
  const sources* from = duckdb_function_get_bind_data(info);
  size_t* next = duckdb_function_get_init_data(info);
  const size_t left = from->count * from->column_count - *next;
  const idx_t count = left < duckdb_vector_size() ? left : duckdb_vector_size();
  for (idx_t row = 0; row < count; row++) {
    const open_table* table = from->tables[(*next + row) / from->column_count];
    const size_t of = (*next + row) % from->column_count;
    char type[TYPE_NAME_SIZE];
    const char* const texts[] = {table->path, from->names[of],
                                 value_type_name(&table->columns[of], type)};
    for (idx_t i = 0; i < ROWS_COLUMN; i++) {
      duckdb_vector_assign_string_element(duckdb_data_chunk_get_vector(chunk, i), row, texts[i]);
    }
    write_counts(chunk, row, table, &table->columns[of]);
  }
  *next += count;
  duckdb_data_chunk_set_size(chunk, count);
}

/* ---- registration ---- */

static bool register_function(duckdb_connection connection, const char* name,
                              duckdb_table_function_bind_t bind, duckdb_table_function_init_t init,
                              duckdb_table_function_init_t init_local,
                              duckdb_table_function_t function) {
  duckdb_table_function made = duckdb_create_table_function();
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  duckdb_table_function_set_name(made, name);
  duckdb_table_function_add_parameter(made, text);
  duckdb_table_function_set_bind(made, bind);
  duckdb_table_function_set_init(made, init);
  if (init_local != NULL) {
    duckdb_table_function_set_local_init(made, init_local);
    duckdb_table_function_supports_projection_pushdown(made, true);
  }
  duckdb_table_function_set_function(made, function);
  const bool ok = duckdb_register_table_function(connection, made) == DuckDBSuccess;
  duckdb_destroy_logical_type(&text);
  duckdb_destroy_table_function(&made);
  return ok;
}

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            struct duckdb_extension_access* access) {
  if (register_function(connection, "read_pco", bind_rows, init_rows, init_thread, read_vectors) &&
      register_function(connection, "pco_columns", bind_columns, init_columns, NULL,
                        list_columns)) {
    return true;
  }
  access->set_error(info, "numpact: read_pco and pco_columns cannot be registered");
  return false;
}
