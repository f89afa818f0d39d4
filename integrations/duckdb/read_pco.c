/* SPDX-License-Identifier: Apache-2.0 */
/* read_pco(PATH): threads take parts of the tables, ranges of rows, and read them in order. */
#include "read_pco.h"

#include <stdlib.h>
#include <string.h>

/* Rows of a part at least: about a row group of DuckDB (122,880 rows), which a thread reads at once
 * in its own tables. */
enum { PART_ROWS = 1 << 17 };

typedef struct bind_data {
  sources from;
  bounds filters;
} bind_data;

/* Rows of a table. */
typedef struct part {
  size_t table;
  uint64_t first;
  uint64_t end;
} part;

typedef struct global_state {
  bind_data* bound;
  numpact_table_scan** scans; /* by table */
  size_t* columns;            /* of the table, by vectors of the output */
  size_t column_count;
  part* parts;
  size_t part_count;
  size_t next; /* atomic */
} global_state;

typedef struct local_state {
  size_t part;
  uint64_t row; /* next of the part */
  numpact_table_cursor* cursor;
  size_t table; /* of the cursor */
  uint64_t* numbers;
  uint8_t* valid;
  idx_t capacity; /* rows of both */
} local_state;

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
    if (!add_column(result, factory, bound->from.names[i], value_type(&first->columns[i]), err)) {
      return;
    }
  }
  uint64_t rows = 0;
  for (size_t i = 0; i < bound->from.count; i++) rows += bound->from.tables[i]->rows;
  duckdb_v2_table_function_bind_set_cardinality(result, rows, true, err);
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

/* ---- parts ---- */

static void free_global(void* data) {
  global_state* state = data;
  for (size_t i = 0; state->scans != NULL && i < state->bound->from.count; i++) {
    numpact_table_scan_destroy(state->scans[i]);
  }
  free(state->scans);
  free(state->columns);
  free(state->parts);
  free(state);
}

/* Asks DuckDB for the files of a column. A file was asked for when it was bound. */
static int access_column(const open_table* table, size_t column, access_check* check,
                         failure* why) {
  const numpact_table_column* of = &table->columns[column];
  if (of->kind == NUMPACT_TABLE_OTHER || !table->is_folder) return 1;
  return access_file(check, table->path, of->file, why) &&
         (of->null_file == NULL || access_file(check, table->path, of->null_file, why));
}

static int add_parts(global_state* state, size_t table, failure* why) {
  const numpact_table_scan* scan = state->scans[table];
  const size_t count = numpact_table_scan_range_count(scan);
  if (count == 0) return 1;
  part* parts = realloc(state->parts, (state->part_count + count) * sizeof *parts);
  if (parts == NULL) return fail(why, "out of memory");
  state->parts = parts;
  for (size_t i = 0; i < count; i++) {
    part* made = &parts[state->part_count++];
    made->table = table;
    numpact_table_scan_range(scan, i, &made->first, &made->end, NULL);
  }
  return 1;
}

/* Opens the columns of a table that are read or bounded, and cuts what is left of its rows. */
static int plan_table(global_state* state, size_t index, access_check* check, failure* why) {
  const open_table* table = state->bound->from.tables[index];
  bounds* filters = &state->bound->filters;
  numpact_table_query query;
  numpact_table_query_init(&query);
  query.columns = state->columns;
  query.column_count = state->column_count;
  query.conditions = filters->conditions;
  query.condition_count = filters->count;
  query.nan_may_match = 1; /* DuckDB takes NaN for the greatest number */
  query.min_part_rows = PART_ROWS;
  for (size_t i = 0; i < state->column_count; i++) {
    if (!access_column(table, state->columns[i], check, why)) return 0;
  }
  for (size_t i = 0; i < filters->count; i++) {
    filters->conditions[i].values = &filters->values[i];
    if (!access_column(table, filters->conditions[i].column, check, why)) return 0;
  }
  state->scans[index] = scan_table(table, &query, why);
  return state->scans[index] != NULL && add_parts(state, index, why);
}

static int read_columns(global_state* state, duckdb_v2_table_function_init_global_info_handle info,
                        error_slot err) {
  idx_t count = 0;
  if (duckdb_v2_table_function_init_global_get_column_count(info, &count, err) !=
      DUCKDB_V2_ERROR_NONE) {
    return 0;
  }
  state->columns = calloc(count == 0 ? 1 : count, sizeof *state->columns);
  if (state->columns == NULL || count == 0) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, "out of memory");
    return 0;
  }
  state->column_count = count;
  for (idx_t i = 0; i < count; i++) {
    idx_t column = 0;
    if (duckdb_v2_table_function_init_global_get_column_index(info, i, &column, err) !=
        DUCKDB_V2_ERROR_NONE) {
      return 0;
    }
    if (column >= state->bound->from.column_count) {
      set_error(err, DUCKDB_V2_ERROR_INPUT_INVALID, "read_pco has no such column");
      return 0;
    }
    state->columns[i] = column;
  }
  return 1;
}

static int plan(global_state* state, duckdb_v2_table_function_init_global_info_handle info,
                duckdb_v2_context_handle context, error_slot err) {
  access_check check;
  if (!read_columns(state, info, err) || !access_begin(&check, context, err)) return 0;
  state->scans = calloc(state->bound->from.count + 1, sizeof *state->scans);
  if (state->scans == NULL) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, "out of memory");
    return 0;
  }
  for (size_t i = 0; i < state->bound->from.count; i++) {
    failure why;
    if (!plan_table(state, i, &check, &why)) {
      set_error(err, check.code, why.text);
      return 0;
    }
  }
  return 1;
}

static void init_global(duckdb_v2_table_function_init_global_info_handle info,
                        duckdb_v2_context_handle context, error_slot err) {
  void* data = NULL;
  if (duckdb_v2_table_function_init_global_get_bind_data(info, &data, err) !=
      DUCKDB_V2_ERROR_NONE) {
    return;
  }
  global_state* state = calloc(1, sizeof *state);
  if (state == NULL) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, "out of memory");
    return;
  }
  state->bound = data;
  duckdb_v2_opaque owned = {state, free_global, NULL};
  const idx_t threads = plan(state, info, context, err) ? state->part_count : 0;
  if (duckdb_v2_table_function_init_global_set_global_state(info, &owned, NULL) !=
      DUCKDB_V2_ERROR_NONE) {
    free_global(state);
    return;
  }
  duckdb_v2_table_function_init_global_set_max_threads(info, threads == 0 ? 1 : threads, NULL);
}

/* ---- reading ---- */

static void free_local(void* data) {
  local_state* state = data;
  numpact_table_cursor_destroy(state->cursor);
  free(state->numbers);
  free(state->valid);
  free(state);
}

static void init_local(duckdb_v2_table_function_init_local_info_handle info,
                       duckdb_v2_context_handle context, error_slot err) {
  (void)context;
  local_state* state = calloc(1, sizeof *state);
  if (state == NULL) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, "out of memory");
    return;
  }
  state->part = SIZE_MAX;
  duckdb_v2_opaque owned = {state, free_local, NULL};
  if (duckdb_v2_table_function_init_local_set_local_state(info, &owned, err) !=
      DUCKDB_V2_ERROR_NONE) {
    free_local(state);
  }
}

/* Takes the next part if the last one is read; sets *is_done if there is none. */
static int take_part(global_state* global, local_state* local, int* is_done, failure* why) {
  *is_done = 0;
  if (local->part != SIZE_MAX && local->row < global->parts[local->part].end) return 1;
  const size_t next = __atomic_fetch_add(&global->next, 1, __ATOMIC_RELAXED);
  if (next >= global->part_count) {
    *is_done = 1;
    return 1;
  }
  const part* taken = &global->parts[next];
  local->part = next;
  local->row = taken->first;
  if (local->cursor != NULL && local->table == taken->table) return 1;
  numpact_table_cursor_destroy(local->cursor);
  local->table = taken->table;
  local->cursor = read_scan(global->scans[taken->table], why);
  return local->cursor != NULL;
}

static int reserve(local_state* local, idx_t rows, failure* why) {
  if (rows <= local->capacity) return 1;
  free(local->numbers);
  free(local->valid);
  local->capacity = 0;
  local->numbers = malloc(rows * sizeof *local->numbers);
  local->valid = malloc(rows);
  if (local->numbers == NULL || local->valid == NULL) return fail(why, "out of memory");
  local->capacity = rows;
  return 1;
}

/* Clears the bits of null rows. */
static int write_validity(duckdb_v2_vector_handle vector, const uint8_t* valid, idx_t count,
                          error_slot err) {
  if (memchr(valid, 0, count) == NULL) return 1;
  uint64_t* bits = NULL;
  if (duckdb_v2_vector_flat_get_validity_mutable(vector, &bits, err) != DUCKDB_V2_ERROR_NONE) {
    return 0;
  }
  for (idx_t i = 0; i < count; i++) {
    const uint64_t bit = (uint64_t)1 << i % 64;
    bits[i / 64] = valid[i] ? bits[i / 64] | bit : bits[i / 64] & ~bit;
  }
  return 1;
}

static int read_vector(const global_state* global, local_state* local, size_t column, idx_t count,
                       duckdb_v2_vector_handle vector, error_slot err) {
  const part* from = &global->parts[local->part];
  const numpact_table_column* of = &global->bound->from.tables[from->table]->columns[column];
  void* data = NULL;
  failure why;
  if (duckdb_v2_vector_get_data_mutable(vector, &data, err) != DUCKDB_V2_ERROR_NONE) return 0;
  const int is_direct = value_is_number(of);
  const int ok = read_rows(local->cursor, column, local->row, count, from->end,
                           is_direct ? data : local->numbers, local->valid, &why) &&
                 (is_direct ? check_values(of, data, local->valid, count, &why)
                            : convert_values(of, local->numbers, local->valid, count, data, &why));
  if (!ok) {
    set_error(err, DUCKDB_V2_ERROR_IO_GENERAL, why.text);
    return 0;
  }
  return write_validity(vector, local->valid, count, err);
}

static void read_chunk(const global_state* global, local_state* local,
                       duckdb_v2_data_chunk_handle chunk, idx_t capacity, error_slot err) {
  const uint64_t left = global->parts[local->part].end - local->row;
  const idx_t count = left < capacity ? left : capacity;
  duckdb_v2_vector_handle vector = NULL;
  for (size_t i = 0; i < global->column_count; i++) {
    if (duckdb_v2_data_chunk_get_vector(chunk, i, &vector, err) != DUCKDB_V2_ERROR_NONE ||
        !read_vector(global, local, global->columns[i], count, vector, err)) {
      return;
    }
    if (duckdb_v2_vector_set_size(vector, count, err) != DUCKDB_V2_ERROR_NONE) return;
  }
  local->row += count;
}

static void execute(duckdb_v2_table_function_exec_info_handle info,
                    duckdb_v2_context_handle context, error_slot err) {
  (void)context;
  void* global = NULL;
  void* local = NULL;
  duckdb_v2_data_chunk_handle chunk = NULL;
  duckdb_v2_vector_handle vector = NULL;
  idx_t capacity = 0;
  int is_done = 0;
  failure why;
  if (duckdb_v2_table_function_exec_get_global_state(info, &global, err) != DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_table_function_exec_get_local_state(info, &local, err) != DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_table_function_exec_get_output_chunk(info, &chunk, err) != DUCKDB_V2_ERROR_NONE ||
      duckdb_v2_data_chunk_get_capacity(chunk, &capacity, err) != DUCKDB_V2_ERROR_NONE) {
    return;
  }
  if (!take_part(global, local, &is_done, &why) || !reserve(local, capacity, &why)) {
    set_error(err, DUCKDB_V2_ERROR_RESOURCE_OUT_OF_MEMORY, why.text);
    return;
  }
  if (!is_done) {
    read_chunk(global, local, chunk, capacity, err);
  } else if (duckdb_v2_data_chunk_get_vector(chunk, 0, &vector, err) == DUCKDB_V2_ERROR_NONE) {
    duckdb_v2_vector_set_size(vector, 0, err);
  }
}

/* The order of the rows is that of the parts. */
static void tell_part(duckdb_v2_table_function_partition_data_info_handle info,
                      duckdb_v2_context_handle context, error_slot err) {
  (void)context;
  void* data = NULL;
  if (duckdb_v2_table_function_partition_data_get_local_state(info, &data, err) !=
      DUCKDB_V2_ERROR_NONE) {
    return;
  }
  const local_state* local = data;
  const idx_t index = local->part == SIZE_MAX ? 0 : local->part;
  duckdb_v2_table_function_partition_data_set_batch_index(info, index, err);
}

static void tell_progress(duckdb_v2_table_function_progress_info_handle info,
                          duckdb_v2_context_handle context, error_slot err) {
  (void)context;
  void* data = NULL;
  if (duckdb_v2_table_function_progress_get_global_state(info, &data, err) !=
          DUCKDB_V2_ERROR_NONE ||
      data == NULL) {
    return;
  }
  global_state* state = data;
  const size_t next = __atomic_load_n(&state->next, __ATOMIC_RELAXED);
  const double share = state->part_count == 0 ? 1 : (double)next / (double)state->part_count;
  duckdb_v2_table_function_progress_set_progress(info, share, err);
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
