/* SPDX-License-Identifier: Apache-2.0 */
/* pco_columns(PATH): what the tables hold, without decoding. */
#include <stdlib.h>
#include <string.h>

#include "read_pco.h"

enum { PATH_COLUMN, NAME_COLUMN, TYPE_COLUMN, ROWS_COLUMN, NULLS_COLUMN, COLUMN_COUNT };

static void free_sources(void* data) {
  sources_close(data);
  free(data);
}

static void bind(duckdb_v2_function_bind_info_handle arguments,
                 duckdb_v2_table_function_bind_info_handle result, duckdb_v2_context_handle context,
                 error_slot err) {
  static const char* const names[] = {"path", "name", "type", "rows", "nulls"};
  duckdb_v2_factory_handle factory = NULL;
  sources* from = calloc(1, sizeof *from);
  if (from == NULL) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, "out of memory");
    return;
  }
  duckdb_v2_opaque owned = {from, free_sources, NULL};
  if (!open_argument(from, arguments, context, err) ||
      duckdb_v2_function_bind_set_bind_data(arguments, &owned, err) != DUCKDB_V2_ERROR_NONE) {
    free_sources(from);
    return;
  }
  if (duckdb_v2_context_get_factory(context, &factory, err) != DUCKDB_V2_ERROR_NONE) return;
  for (int i = 0; i < COLUMN_COUNT; i++) {
    const char* type = i < ROWS_COLUMN ? "VARCHAR" : "UBIGINT";
    if (!add_column(result, factory, names[i], type, err)) return;
  }
}

static void init_global(duckdb_v2_table_function_init_global_info_handle info,
                        duckdb_v2_context_handle context, error_slot err) {
  (void)context;
  size_t* next = calloc(1, sizeof *next);
  duckdb_v2_opaque owned = {next, free, NULL};
  if (next == NULL) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, "out of memory");
  } else if (duckdb_v2_table_function_init_global_set_global_state(info, &owned, err) !=
             DUCKDB_V2_ERROR_NONE) {
    free(next);
  }
}

static int write_text(duckdb_v2_vector_handle vector, duckdb_v2_factory_handle factory, idx_t row,
                      const char* text, error_slot err) {
  const duckdb_v2_str view = {text, strlen(text)};
  duckdb_v2_value_handle value = NULL;
  if (duckdb_v2_value_create_varchar(factory, &view, &value, err) != DUCKDB_V2_ERROR_NONE) return 0;
  const int ok = duckdb_v2_vector_set_value(vector, row, value, err) == DUCKDB_V2_ERROR_NONE;
  duckdb_v2_value_destroy(&value);
  return ok;
}

static int write_null(duckdb_v2_vector_handle vector, idx_t row, error_slot err) {
  uint64_t* bits = NULL;
  if (duckdb_v2_vector_flat_get_validity_mutable(vector, &bits, err) != DUCKDB_V2_ERROR_NONE) {
    return 0;
  }
  bits[row / 64] &= ~((uint64_t)1 << row % 64);
  return 1;
}

static int write_value(duckdb_v2_vector_handle vector, duckdb_v2_factory_handle factory, idx_t row,
                       const sources* from, size_t index, int column, error_slot err) {
  const open_table* table = from->tables[index / from->column_count];
  const size_t of = index % from->column_count;
  const numpact_table_column* described = &table->columns[of];
  void* data = NULL;
  char type[TYPE_NAME_SIZE];
  switch (column) {
    case PATH_COLUMN:
      return write_text(vector, factory, row, table->path, err);
    case NAME_COLUMN:
      return write_text(vector, factory, row, from->names[of], err);
    case TYPE_COLUMN:
      return write_text(vector, factory, row, value_type_name(described, type), err);
    default:
      if (duckdb_v2_vector_get_data_mutable(vector, &data, err) != DUCKDB_V2_ERROR_NONE) return 0;
      ((uint64_t*)data)[row] = column == ROWS_COLUMN ? table->rows : described->nulls;
      /* The manifest has no count of the nulls of other columns. */
      return column == ROWS_COLUMN || described->kind != NUMPACT_TABLE_OTHER ||
             write_null(vector, row, err);
  }
}

static void execute(duckdb_v2_table_function_exec_info_handle info,
                    duckdb_v2_context_handle context, error_slot err) {
  void* data = NULL;
  void* state = NULL;
  duckdb_v2_factory_handle factory = NULL;
  duckdb_v2_data_chunk_handle chunk = NULL;
  duckdb_v2_vector_handle vector = NULL;
  idx_t capacity = 0;
  if (duckdb_v2_table_function_exec_get_bind_data(info, &data, err) != DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_table_function_exec_get_global_state(info, &state, err) != DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_context_get_factory(context, &factory, err) != DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_table_function_exec_get_output_chunk(info, &chunk, err) != DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_data_chunk_get_capacity(chunk, &capacity, err) != DUCKDB_V2_ERROR_NONE) {
    return;
  }
  const sources* from = data;
  size_t* next = state;
  const size_t left = from->count * from->column_count - *next;
  const idx_t count = left < capacity ? left : capacity;
  for (int column = 0; column < COLUMN_COUNT; column++) {
    if (duckdb_v2_data_chunk_get_vector(chunk, (idx_t)column, &vector, err) !=
            DUCKDB_V2_ERROR_NONE ||
        duckdb_v2_vector_set_size(vector, count, err) != DUCKDB_V2_ERROR_NONE) {
      return;
    }
    for (idx_t row = 0; row < count; row++) {
      if (!write_value(vector, factory, row, from, *next + row, column, err)) return;
    }
  }
  *next += count;
}

void set_pco_columns_callbacks(duckdb_v2_table_function_handle function) {
  duckdb_v2_table_function_set_bind_callback(function, bind, NULL);
  duckdb_v2_table_function_set_init_global_callback(function, init_global, NULL);
  duckdb_v2_table_function_set_exec_callback(function, execute, NULL);
}
