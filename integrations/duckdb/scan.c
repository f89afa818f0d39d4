/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include <stdlib.h>
#include <string.h>

/* Rows of a part at least: about a row group of DuckDB (122,880 rows), which a thread reads at once
 * in its own tables. */
enum { PART_ROWS = 1 << 17 };

/* Rows of a table. */
struct scan_part {
  size_t table;
  uint64_t first;
  uint64_t end;
};

void bounds_free(bounds* made) {
  free(made->conditions);
  free(made->values);
}

/* ---- parts ---- */

void scan_end(pco_scan* scan) {
  for (size_t i = 0; scan->scans != NULL && i < scan->from->count; i++) {
    numpact_table_scan_destroy(scan->scans[i]);
  }
  free(scan->scans);
  free(scan->columns);
  free(scan->parts);
}

/* Asks DuckDB for the files of a column. A file was asked for when it was bound. */
static int access_column(const open_table* table, size_t column, access_check* check,
                         failure* why) {
  const numpact_table_column* of = &table->columns[column];
  if (of->kind == NUMPACT_TABLE_OTHER || !table->is_folder) return 1;
  const numpact_table_manifest* manifest = numpact_table_get_manifest(table->table);
  for (size_t i = 0; i < of->part_count; i++) {
    numpact_table_part part;
    part.struct_size = sizeof part;
    if (numpact_table_manifest_part(manifest, column, i, &part, NULL) != NUMPACT_OK) return 0;
    if (!access_file(check, table->path, part.file, why)) return 0;
    if (part.null_file != NULL && !access_file(check, table->path, part.null_file, why)) return 0;
  }
  return of->text_file == NULL || access_file(check, table->path, of->text_file, why);
}

static int add_parts(pco_scan* made, size_t table, failure* why) {
  const numpact_table_scan* scan = made->scans[table];
  const size_t count = numpact_table_scan_range_count(scan);
  if (count == 0) return 1;
  scan_part* parts = realloc(made->parts, (made->part_count + count) * sizeof *parts);
  if (parts == NULL) return fail(why, "out of memory");
  made->parts = parts;
  for (size_t i = 0; i < count; i++) {
    scan_part* part = &parts[made->part_count++];
    part->table = table;
    numpact_table_scan_range(scan, i, &part->first, &part->end, NULL);
  }
  return 1;
}

/* Opens the columns of a table that are read or bounded, and cuts what is left of its rows. */
static int plan_table(pco_scan* made, size_t index, bounds* filters, access_check* check,
                      failure* why) {
  const open_table* table = made->from->tables[index];
  numpact_table_query query;
  numpact_table_query_init(&query);
  query.columns = made->columns;
  query.column_count = made->column_count;
  query.conditions = filters->conditions;
  query.condition_count = filters->count;
  query.nan_may_match = 1; /* DuckDB takes NaN for the greatest number */
  query.min_part_rows = PART_ROWS;
  for (size_t i = 0; i < made->column_count; i++) {
    if (!access_column(table, made->columns[i], check, why)) return 0;
  }
  for (size_t i = 0; i < filters->count; i++) {
    filters->conditions[i].values = &filters->values[i];
    if (!access_column(table, filters->conditions[i].column, check, why)) return 0;
  }
  made->scans[index] = scan_table(table, &query, why);
  return made->scans[index] != NULL && add_parts(made, index, why);
}

int scan_begin(pco_scan* made, const sources* from, bounds* filters, access_check* check,
               failure* why) {
  made->from = from;
  for (size_t i = 0; i < made->column_count; i++) {
    if (made->columns[i] >= from->column_count) return fail(why, "read_pco has no such column");
  }
  made->scans = calloc(from->count + 1, sizeof *made->scans);
  if (made->scans == NULL) return fail(why, "out of memory");
  for (size_t i = 0; i < from->count; i++) {
    if (!plan_table(made, i, filters, check, why)) return 0;
  }
  return 1;
}

double scan_progress(const pco_scan* scan) {
  const size_t next = __atomic_load_n(&scan->next, __ATOMIC_RELAXED);
  return scan->part_count == 0 ? 1 : (double)next / (double)scan->part_count;
}

/* ---- reading ---- */

void cursor_begin(scan_cursor* made) {
  memset(made, 0, sizeof *made);
  made->part = SIZE_MAX;
}

void cursor_end(scan_cursor* cursor) {
  numpact_table_cursor_destroy(cursor->cursor);
  free(cursor->numbers);
  free(cursor->valid);
}

static int reserve(scan_cursor* cursor, size_t rows, failure* why) {
  if (rows <= cursor->capacity) return 1;
  free(cursor->numbers);
  free(cursor->valid);
  cursor->capacity = 0;
  cursor->numbers = malloc(rows * sizeof *cursor->numbers);
  cursor->valid = malloc(rows);
  if (cursor->numbers == NULL || cursor->valid == NULL) return fail(why, "out of memory");
  cursor->capacity = rows;
  return 1;
}

int cursor_next(pco_scan* scan, scan_cursor* cursor, size_t capacity, size_t* count, failure* why) {
  *count = 0;
  if (!reserve(cursor, capacity, why)) return 0;
  if (cursor->part == SIZE_MAX || cursor->row >= scan->parts[cursor->part].end) {
    const size_t next = __atomic_fetch_add(&scan->next, 1, __ATOMIC_RELAXED);
    if (next >= scan->part_count) return 1;
    const scan_part* taken = &scan->parts[next];
    cursor->part = next;
    cursor->row = taken->first;
    if (cursor->cursor == NULL || cursor->table != taken->table) {
      numpact_table_cursor_destroy(cursor->cursor);
      cursor->table = taken->table;
      cursor->cursor = read_scan(scan->scans[taken->table], why);
      if (cursor->cursor == NULL) return 0;
    }
  }
  const uint64_t left = scan->parts[cursor->part].end - cursor->row;
  *count = left < capacity ? (size_t)left : capacity;
  return 1;
}

static const numpact_table_column* column_of(const pco_scan* scan, const scan_cursor* cursor,
                                             size_t vector) {
  const scan_part* from = &scan->parts[cursor->part];
  return &scan->from->tables[from->table]->columns[scan->columns[vector]];
}

int cursor_has_texts(const pco_scan* scan, const scan_cursor* cursor, size_t vector) {
  return is_text_column(column_of(scan, cursor, vector));
}

int cursor_has_bytes(const pco_scan* scan, const scan_cursor* cursor, size_t vector) {
  return is_bytes_column(column_of(scan, cursor, vector));
}

int cursor_texts(const pco_scan* scan, const scan_cursor* cursor, size_t vector,
                 numpact_table_texts* texts, failure* why) {
  const open_table* table = scan->from->tables[scan->parts[cursor->part].table];
  texts->struct_size = sizeof *texts;
  return numpact_table_get_texts(table->table, scan->columns[vector], texts, why->text,
                                 sizeof why->text, NULL) == NUMPACT_OK;
}

uint32_t cursor_place(const pco_scan* scan, const scan_cursor* cursor, size_t vector, size_t row) {
  return text_place(column_of(scan, cursor, vector)->type, cursor->numbers, row);
}

int cursor_read(const pco_scan* scan, scan_cursor* cursor, size_t vector, size_t count, void* data,
                failure* why) {
  const scan_part* from = &scan->parts[cursor->part];
  const size_t column = scan->columns[vector];
  const numpact_table_column* of = &scan->from->tables[from->table]->columns[column];
  const int is_direct = value_is_number(of);
  if (is_text_column(of)) {
    return read_rows(cursor->cursor, column, cursor->row, count, from->end, cursor->numbers,
                     cursor->valid, why);
  }
  return read_rows(cursor->cursor, column, cursor->row, count, from->end,
                   is_direct ? data : cursor->numbers, cursor->valid, why) &&
         (is_direct ? check_values(of, data, cursor->valid, count, why)
                    : convert_values(of, cursor->numbers, cursor->valid, count, data, why));
}

void cursor_advance(scan_cursor* cursor, size_t count) { cursor->row += count; }

size_t cursor_part(const scan_cursor* cursor) {
  return cursor->part == SIZE_MAX ? 0 : cursor->part;
}

int has_nulls(const uint8_t* valid, size_t count) { return memchr(valid, 0, count) != NULL; }

void write_validity(const uint8_t* valid, size_t count, uint64_t* bits) {
  for (size_t i = 0; i < count; i++) {
    const uint64_t bit = (uint64_t)1 << i % 64;
    bits[i / 64] = valid[i] ? bits[i / 64] | bit : bits[i / 64] & ~bit;
  }
}
