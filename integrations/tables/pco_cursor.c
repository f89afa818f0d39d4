/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "pco_data.h"

/* Numbers decoded at once in a chunk with restart points, where more would only take memory: eight
 * of the intervals that tables are written with. Other chunks are decoded from their start, so what
 * is needed of them is decoded at once. */
enum { WINDOW_NUMBERS = 1 << 17 };

/* Decoded numbers of a column. */
typedef struct window {
  uint8_t* numbers;
  size_t capacity; /* bytes */
  uint64_t first;
  uint64_t end;
} window;

struct pco_cursor {
  const pco_table* table;
  numpact_context* context;
  window* windows; /* by column */
};

pco_cursor* pco_cursor_create(const pco_table* table, pco_failure* failure) {
  pco_cursor* cursor = calloc(1, sizeof *cursor);
  if (cursor != NULL) {
    cursor->table = table;
    cursor->windows = calloc(table->column_count + 1, sizeof *cursor->windows);
  }
  if (cursor == NULL || cursor->windows == NULL ||
      numpact_context_create(NULL, &cursor->context, NULL) != NUMPACT_OK) {
    pco_fail(failure, "%s: out of memory", table->path);
    pco_cursor_destroy(cursor);
    return NULL;
  }
  return cursor;
}

void pco_cursor_destroy(pco_cursor* cursor) {
  if (cursor == NULL) return;
  for (size_t i = 0; cursor->windows != NULL && i < cursor->table->column_count; i++) {
    free(cursor->windows[i].numbers);
  }
  free(cursor->windows);
  numpact_context_destroy(cursor->context);
  free(cursor);
}

/* Decodes the numbers from `number` on: to the end of its chunk, of the window or of `end`. */
static int fill(pco_cursor* cursor, size_t column, uint64_t number, uint64_t end,
                pco_failure* failure) {
  const pco_table* table = cursor->table;
  const pco_data* data = table->data[column];
  window* into = &cursor->windows[column];
  uint64_t chunk_first = 0;
  uint64_t chunk_end = 0;
  const size_t chunk = pco_chunk_of(data, number, &chunk_first, &chunk_end);
  if (end > chunk_end) end = chunk_end;
  if (end - number > WINDOW_NUMBERS && pco_has_restarts(data, chunk)) end = number + WINDOW_NUMBERS;
  const numpact_type type = table->columns[column].type;
  const size_t count = (size_t)(end - number);
  const size_t bytes = count * numpact_type_size(type);
  into->first = into->end = 0;
  if (bytes > into->capacity) {
    free(into->numbers);
    into->capacity = 0;
    into->numbers = malloc(bytes);
    if (into->numbers == NULL) return pco_fail(failure, "%s: out of memory", table->path);
    into->capacity = bytes;
  }
  numpact_error error;
  numpact_error_init(&error);
  if (numpact_reader_read(data->reader, cursor->context, number, type, into->numbers, count,
                          &error) != NUMPACT_OK) {
    return pco_fail_with(failure, table->path, table->is_file ? NULL : table->columns[column].file,
                         &error);
  }
  into->first = number;
  into->end = end;
  return 1;
}

/* Copies `count` numbers from `number` on; `ahead` is the number that bounds decoding. */
static int copy_numbers(pco_cursor* cursor, size_t column, uint64_t number, uint64_t count,
                        uint64_t ahead, uint8_t* out, pco_failure* failure) {
  window* from = &cursor->windows[column];
  const size_t size = numpact_type_size(cursor->table->columns[column].type);
  if (ahead < number + count) ahead = number + count;
  while (count > 0) {
    if (number < from->first || number >= from->end) {
      if (!fill(cursor, column, number, ahead, failure)) return 0;
    }
    const uint64_t there = from->end - number;
    const size_t part = (size_t)(there < count ? there : count);
    memcpy(out, from->numbers + (size_t)(number - from->first) * size, part * size);
    out += part * size;
    number += part;
    count -= part;
  }
  return 1;
}

int pco_cursor_read(pco_cursor* cursor, size_t column, uint64_t row, size_t count, uint64_t ahead,
                    void* numbers, uint8_t* valid, pco_failure* failure) {
  const pco_data* data = cursor->table->data[column];
  uint8_t* out = numbers;
  const size_t size = numpact_type_size(cursor->table->columns[column].type);
  const uint64_t last = pco_numbers_before(data, ahead);
  if (data->runs == NULL) {
    memset(valid, 1, count);
    return copy_numbers(cursor, column, row, count, last, out, failure);
  }
  uint64_t number = pco_numbers_before(data, row);
  size_t run = count == 0 ? 0 : pco_run_of_row(data, row);
  while (count > 0) {
    const uint64_t left = data->runs[run].row - row;
    const size_t part = (size_t)(left < count ? left : count);
    const int is_null = run % 2 == 1;
    memset(valid, !is_null, part);
    if (is_null) {
      memset(out, 0, part * size);
    } else {
      if (!copy_numbers(cursor, column, number, part, last, out, failure)) return 0;
      number += part;
    }
    out += part * size;
    valid += part;
    row += part;
    count -= part;
    run++;
  }
  return 1;
}
