/* SPDX-License-Identifier: Apache-2.0 */
/* read_pco(PATH). */
#include "read_pco.h"

#include <stdlib.h>
#include <string.h>

typedef struct bind_data {
  sources from;
  bounds filters;
} bind_data;

/* ---- binding ---- */

static void free_bind_data(void* data) {
  bind_data* bound = data;
  sources_close(&bound->from);
  bounds_free(&bound->filters);
  free(bound);
}

static void bind(duckdb_v2_function_bind_info_handle arguments,
                 duckdb_v2_table_function_bind_info_handle result, duckdb_v2_context_handle context,
                 error_slot err) {
  duckdb_v2_factory_handle factory = NULL;
  if (duckdb_v2_context_get_factory(context, &factory, err) != DUCKDB_V2_ERROR_NONE) return;
  bind_data* bound = calloc(1, sizeof *bound);
  if (bound == NULL) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, "out of memory");
    return;
  }
  duckdb_v2_opaque owned = {bound, free_bind_data, NULL};
  if (!open_argument(&bound->from, arguments, context, err) ||
      duckdb_v2_function_bind_set_bind_data(arguments, &owned, err) != DUCKDB_V2_ERROR_NONE) {
    free_bind_data(bound);
    return;
  }
  const open_table* first = bound->from.tables[0];
  if (first->column_count == 0) {
    set_error(err, DUCKDB_V2_ERROR_INPUT_INVALID, "the table has no columns, which DuckDB needs");
    return;
  }
  for (size_t i = 0; i < bound->from.column_count; i++) {
    char made[TYPE_NAME_SIZE];
    const numpact_table_column* column = &first->columns[i];
    const int is_other = column->kind == NUMPACT_TABLE_OTHER; /* which no query can read */
    const char* type = is_other ? "VARCHAR" : value_type_name(column, made);
    if (!add_column(result, factory, bound->from.names[i], type, err)) return;
  }
  duckdb_v2_table_function_bind_set_cardinality(result, sources_rows(&bound->from), true, err);
}

/* Remembers what the filters say; none is accepted, DuckDB applies them all to the rows. The last
 * call counts: each has all filters, and one that were forgotten would only leave out less. */
static void push_filters(duckdb_v2_table_function_filter_pushdown_info_handle info,
                         duckdb_v2_context_handle context, error_slot err) {
  (void)context;
  void* data = NULL;
  idx_t count = 0;
  if (duckdb_v2_table_function_filter_pushdown_get_bind_data(info, &data, err) !=
          DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_table_function_filter_pushdown_get_filter_count(info, &count, err) !=
          DUCKDB_V2_ERROR_NONE) {
    return;
  }
  bind_data* bound = data;
  bound->filters.count = 0;
  for (idx_t i = 0; i < count; i++) {
    duckdb_v2_expression_handle filter = NULL;
    if (duckdb_v2_table_function_filter_pushdown_get_filter(info, i, &filter, err) !=
        DUCKDB_V2_ERROR_NONE) {
      return;
    }
    if (!bounds_add_filter(&bound->filters, bound->from.tables[0], info, filter)) {
      set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, "out of memory");
      return;
    }
  }
}

/* ---- reading ---- */

static void free_scan(void* data) {
  scan_end(data);
  free(data);
}

static int read_columns(pco_scan* scan, duckdb_v2_table_function_init_global_info_handle info,
                        error_slot err) {
  idx_t count = 0;
  if (duckdb_v2_table_function_init_global_get_column_count(info, &count, err) !=
      DUCKDB_V2_ERROR_NONE) {
    return 0;
  }
  scan->columns = calloc(count == 0 ? 1 : count, sizeof *scan->columns);
  if (scan->columns == NULL || count == 0) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, "out of memory");
    return 0;
  }
  scan->column_count = count;
  for (idx_t i = 0; i < count; i++) {
    idx_t column = 0;
    if (duckdb_v2_table_function_init_global_get_column_index(info, i, &column, err) !=
        DUCKDB_V2_ERROR_NONE) {
      return 0;
    }
    scan->columns[i] = column;
  }
  return 1;
}

static int plan(pco_scan* scan, bind_data* bound,
                duckdb_v2_table_function_init_global_info_handle info,
                duckdb_v2_context_handle context, error_slot err) {
  access_check check;
  failure why;
  scan->from = &bound->from;
  if (!read_columns(scan, info, err) || !access_begin(&check, context, err)) return 0;
  if (scan_begin(scan, &bound->from, &bound->filters, &check, &why)) return 1;
  set_error(err, check.code, why.text);
  return 0;
}

static void init_global(duckdb_v2_table_function_init_global_info_handle info,
                        duckdb_v2_context_handle context, error_slot err) {
  void* data = NULL;
  if (duckdb_v2_table_function_init_global_get_bind_data(info, &data, err) !=
      DUCKDB_V2_ERROR_NONE) {
    return;
  }
  pco_scan* scan = calloc(1, sizeof *scan);
  if (scan == NULL) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, "out of memory");
    return;
  }
  duckdb_v2_opaque owned = {scan, free_scan, NULL};
  const idx_t threads = plan(scan, data, info, context, err) ? scan->part_count : 0;
  if (duckdb_v2_table_function_init_global_set_global_state(info, &owned, NULL) !=
      DUCKDB_V2_ERROR_NONE) {
    free_scan(scan);
    return;
  }
  duckdb_v2_table_function_init_global_set_max_threads(info, threads == 0 ? 1 : threads, NULL);
}

static void free_cursor(void* data) {
  cursor_end(data);
  free(data);
}

static void init_local(duckdb_v2_table_function_init_local_info_handle info,
                       duckdb_v2_context_handle context, error_slot err) {
  (void)context;
  scan_cursor* cursor = malloc(sizeof *cursor);
  if (cursor == NULL) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, "out of memory");
    return;
  }
  cursor_begin(cursor);
  duckdb_v2_opaque owned = {cursor, free_cursor, NULL};
  if (duckdb_v2_table_function_init_local_set_local_state(info, &owned, err) !=
      DUCKDB_V2_ERROR_NONE) {
    free_cursor(cursor);
  }
}

static int write_text(duckdb_v2_vector_handle vector, duckdb_v2_factory_handle factory, idx_t row,
                      duckdb_v2_str text, int is_bytes, error_slot err) {
  duckdb_v2_value_handle value = NULL;
  const DUCKDB_V2_ERROR made = is_bytes
                                   ? duckdb_v2_value_create_blob(factory, &text, &value, err)
                                   : duckdb_v2_value_create_varchar(factory, &text, &value, err);
  if (made != DUCKDB_V2_ERROR_NONE) return 0;
  const int ok = duckdb_v2_vector_set_value(vector, row, value, err) == DUCKDB_V2_ERROR_NONE;
  duckdb_v2_value_destroy(&value);
  return ok;
}

static int write_texts(const pco_scan* scan, const scan_cursor* cursor, size_t index, size_t count,
                       duckdb_v2_vector_handle vector, duckdb_v2_factory_handle factory,
                       error_slot err) {
  numpact_table_texts texts;
  failure why;
  if (!cursor_texts(scan, cursor, index, &texts, &why)) {
    set_error(err, DUCKDB_V2_ERROR_IO_GENERAL, why.text);
    return 0;
  }
  const int is_bytes = cursor_has_bytes(scan, cursor, index);
  if (duckdb_v2_vector_set_size(vector, count, err) != DUCKDB_V2_ERROR_NONE) return 0;
  for (size_t row = 0; row < count; row++) {
    if (!cursor->valid[row]) continue;
    const uint32_t place = cursor_place(scan, cursor, index, row);
    const uint64_t begin = texts.offsets[place];
    const duckdb_v2_str text = {texts.bytes + begin, (size_t)(texts.offsets[place + 1] - begin)};
    if (!write_text(vector, factory, row, text, is_bytes, err)) return 0;
  }
  return 1;
}

static int read_vector(const pco_scan* scan, scan_cursor* cursor, size_t index, size_t count,
                       duckdb_v2_vector_handle vector, duckdb_v2_factory_handle factory,
                       error_slot err) {
  void* data = NULL;
  uint64_t* bits = NULL;
  failure why;
  if (duckdb_v2_vector_get_data_mutable(vector, &data, err) != DUCKDB_V2_ERROR_NONE) return 0;
  if (!cursor_read(scan, cursor, index, count, data, &why)) {
    set_error(err, DUCKDB_V2_ERROR_IO_GENERAL, why.text);
    return 0;
  }
  if (cursor_has_texts(scan, cursor, index) &&
      !write_texts(scan, cursor, index, count, vector, factory, err)) {
    return 0;
  }
  if (!has_nulls(cursor->valid, count)) return 1;
  if (duckdb_v2_vector_flat_get_validity_mutable(vector, &bits, err) != DUCKDB_V2_ERROR_NONE) {
    return 0;
  }
  write_validity(cursor->valid, count, bits);
  return 1;
}

static void execute(duckdb_v2_table_function_exec_info_handle info,
                    duckdb_v2_context_handle context, error_slot err) {
  void* scan = NULL;
  void* cursor = NULL;
  duckdb_v2_factory_handle factory = NULL;
  duckdb_v2_data_chunk_handle chunk = NULL;
  duckdb_v2_vector_handle vector = NULL;
  idx_t capacity = 0;
  size_t count = 0;
  failure why;
  if (duckdb_v2_table_function_exec_get_global_state(info, &scan, err) != DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_table_function_exec_get_local_state(info, &cursor, err) != DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_context_get_factory(context, &factory, err) != DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_table_function_exec_get_output_chunk(info, &chunk, err) != DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_data_chunk_get_capacity(chunk, &capacity, err) != DUCKDB_V2_ERROR_NONE) {
    return;
  }
  if (!cursor_next(scan, cursor, capacity, &count, &why)) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, why.text);
    return;
  }
  const size_t vectors = count == 0 ? 1 : ((const pco_scan*)scan)->column_count;
  for (size_t i = 0; i < vectors; i++) {
    if (duckdb_v2_data_chunk_get_vector(chunk, i, &vector, err) != DUCKDB_V2_ERROR_NONE ||
        (count > 0 && !read_vector(scan, cursor, i, count, vector, factory, err)) ||
        duckdb_v2_vector_set_size(vector, count, err) != DUCKDB_V2_ERROR_NONE) {
      return;
    }
  }
  cursor_advance(cursor, count);
}

static void tell_part(duckdb_v2_table_function_partition_data_info_handle info,
                      duckdb_v2_context_handle context, error_slot err) {
  (void)context;
  void* cursor = NULL;
  if (duckdb_v2_table_function_partition_data_get_local_state(info, &cursor, err) !=
      DUCKDB_V2_ERROR_NONE) {
    return;
  }
  duckdb_v2_table_function_partition_data_set_batch_index(info, cursor_part(cursor), err);
}

static void tell_progress(duckdb_v2_table_function_progress_info_handle info,
                          duckdb_v2_context_handle context, error_slot err) {
  (void)context;
  void* scan = NULL;
  if (duckdb_v2_table_function_progress_get_global_state(info, &scan, err) !=
          DUCKDB_V2_ERROR_NONE ||
      scan == NULL) {
    return;
  }
  duckdb_v2_table_function_progress_set_progress(info, scan_progress(scan), err);
}

void set_read_pco_callbacks(duckdb_v2_table_function_handle function) {
  duckdb_v2_table_function_set_bind_callback(function, bind, NULL);
  duckdb_v2_table_function_set_filter_pushdown_callback(function, push_filters, NULL);
  duckdb_v2_table_function_set_projection_pushdown(function, true, NULL);
  duckdb_v2_table_function_set_init_global_callback(function, init_global, NULL);
  duckdb_v2_table_function_set_init_local_callback(function, init_local, NULL);
  duckdb_v2_table_function_set_exec_callback(function, execute, NULL);
  duckdb_v2_table_function_set_partition_data_callback(function, tell_part, NULL);
  duckdb_v2_table_function_set_progress_callback(function, tell_progress, NULL);
}
