/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "pco_table.h"

#include <errno.h>
#include <fcntl.h>
#include <numpact/table.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pco_data.h"
#include "pco_files.h"
#include "pco_manifest.h"

#define PCO_MANIFEST "manifest.json"

enum {
  MAX_RUNS = 1 << 25,     /* runs of nulls of a column: 16 bytes each, 512 MiB */
  MAX_MAPPED_FILES = 256, /* of a table, when it is opened: a process may have 65,530 maps */
  MAX_ATTEMPTS = 100      /* to open a folder that is replaced meanwhile */
};

int pco_fail(pco_failure* failure, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(failure->text, sizeof failure->text, format, arguments);
  va_end(arguments);
  return 0;
}

int pco_fail_with(pco_failure* failure, const char* path, const char* name,
                  const numpact_error* error) {
  const char* separator = name == NULL ? "" : "/";
  const char* shown = name == NULL ? "" : name;
  if (error->offset == NUMPACT_UNKNOWN) {
    return pco_fail(failure, "%s%s%s: %s (%s)", path, separator, shown, error->text,
                    numpact_status_name(error->status));
  }
  return pco_fail(failure, "%s%s%s: %s (%s, at byte %llu)", path, separator, shown, error->text,
                  numpact_status_name(error->status), (unsigned long long)error->offset);
}

/* ---- loading ---- */

static void free_data(pco_data* data) {
  if (data == NULL) return;
  numpact_reader_destroy(data->reader);
  numpact_trailer_destroy(data->trailer);
  free(data->runs);
  free(data);
}

static int open_data(const char* path, const char* name, pco_data* data, pco_failure* failure) {
  numpact_error error;
  numpact_error_init(&error);
  if (numpact_reader_create(NULL, data->file.bytes, data->file.size, &data->reader, &error) !=
      NUMPACT_OK) {
    return pco_fail_with(failure, path, name, &error);
  }
  /* Without a sound trailer nothing is left out. */
  if (numpact_trailer_read(data->file.bytes, data->file.size, &data->trailer, &error) !=
      NUMPACT_OK) {
    data->trailer = NULL;
  }
  if (data->trailer != NULL &&
      (numpact_trailer_count(data->trailer) != numpact_reader_count(data->reader) ||
       numpact_trailer_type(data->trailer) != numpact_reader_type(data->reader))) {
    numpact_trailer_destroy(data->trailer);
    data->trailer = NULL;
  }
  return 1;
}

/* Turns the lengths of runs, which were checked, into their ends. */
static void sum_runs(const uint64_t* lengths, pco_data* data) {
  uint64_t row = 0;
  uint64_t number = 0;
  for (size_t i = 0; i < data->run_count; i++) {
    row += lengths[i];
    if (i % 2 == 0) number += lengths[i];
    data->runs[i].row = row;
    data->runs[i].number = number;
  }
}

static int read_runs(const pco_table* table, const pco_column* column, const pco_mapping* map,
                     pco_data* data, pco_failure* failure) {
  numpact_error error;
  numpact_error_init(&error);
  uint64_t count = 0;
  if (numpact_count(NULL, map->bytes, map->size, &count, &error) != NUMPACT_OK) {
    return pco_fail_with(failure, table->path, column->null_file, &error);
  }
  const uint64_t max = numpact_table_max_runs(column->numbers, column->nulls);
  if (count > max || count > MAX_RUNS) {
    return pco_fail(failure, "%s/%s: holds %llu runs of nulls, which %s", table->path,
                    column->null_file, (unsigned long long)count,
                    count > max ? "cannot be" : "exceeds the limit");
  }
  data->run_count = (size_t)count;
  uint64_t* lengths = malloc((data->run_count + 1) * sizeof *lengths);
  data->runs = malloc((data->run_count + 1) * sizeof *data->runs);
  int ok = 0;
  if (lengths == NULL || data->runs == NULL) {
    pco_fail(failure, "%s/%s: out of memory", table->path, column->null_file);
  } else if (numpact_decompress_exact(NULL, map->bytes, map->size, NUMPACT_U64, lengths,
                                      data->run_count, &error) != NUMPACT_OK ||
             numpact_table_check_runs(lengths, data->run_count, column->numbers, column->nulls,
                                      &error) != NUMPACT_OK) {
    pco_fail_with(failure, table->path, column->null_file, &error);
  } else {
    sum_runs(lengths, data);
    ok = 1;
  }
  free(lengths);
  return ok;
}

static int load(const pco_table* table, const pco_column* column, pco_files* files, pco_data* data,
                pco_failure* failure) {
  if (!pco_file_bytes(table->folder, table->path, column->file, &files->numbers, failure)) return 0;
  data->file = files->numbers.map;
  if (!open_data(table->path, column->file, data, failure)) return 0;
  const numpact_type type = numpact_reader_type(data->reader);
  const int is_empty = type == NUMPACT_NO_TYPE && column->numbers == 0;
  if ((type != column->type && !is_empty) ||
      numpact_reader_count(data->reader) != column->numbers) {
    return pco_fail(failure, "%s/%s: has another type or count than the manifest says", table->path,
                    column->file);
  }
  if (column->nulls == 0) return 1;
  if (!pco_file_bytes(table->folder, table->path, column->null_file, &files->nulls, failure)) {
    return 0;
  }
  data->null_bytes = files->nulls.map.size;
  return read_runs(table, column, &files->nulls.map, data, failure);
}

int pco_table_load(pco_table* table, size_t column, pco_failure* failure) {
  if (table->data[column] != NULL) return 1;
  const pco_column* requested = &table->columns[column];
  if (requested->kind == PCO_OTHER) {
    return pco_fail(failure,
                    "%s: column \"%s\" is of type %s, in %s: only columns of numbers can be read. "
                    "Leave it out of the query",
                    table->path, requested->name, requested->type_text, requested->file);
  }
  pco_data* data = calloc(1, sizeof *data);
  if (data == NULL) return pco_fail(failure, "%s: out of memory", table->path);
  if (!load(table, requested, &table->files[column], data, failure)) {
    free_data(data);
    return 0;
  }
  table->data[column] = data;
  return 1;
}

/* ---- opening ---- */

/* The name of a file without its folders and ".pco". */
static char* stem_of(const char* path) {
  const char* slash = strrchr(path, '/');
  const char* name = slash == NULL ? path : slash + 1;
  size_t size = strlen(name);
  if (size > 4 && strcmp(name + size - 4, ".pco") == 0) size -= 4;
  char* stem = malloc(size + 1);
  if (stem == NULL) return NULL;
  memcpy(stem, name, size);
  stem[size] = '\0';
  return stem;
}

static int allocate_files(pco_table* table, pco_failure* failure) {
  table->data = calloc(table->column_count + 1, sizeof *table->data);
  table->files = calloc(table->column_count + 1, sizeof *table->files);
  return (table->data != NULL && table->files != NULL) ||
         pco_fail(failure, "%s: out of memory", table->path);
}

static int open_file(pco_table* table, pco_failure* failure) {
  table->is_file = 1;
  table->columns = calloc(1, sizeof *table->columns);
  if (table->columns == NULL) return pco_fail(failure, "%s: out of memory", table->path);
  table->column_count = 1;
  pco_column* column = &table->columns[0];
  column->name = stem_of(table->path);
  if (column->name == NULL) return pco_fail(failure, "%s: out of memory", table->path);
  if (!allocate_files(table, failure)) return 0;
  pco_data* data = calloc(1, sizeof *data);
  if (data == NULL) return pco_fail(failure, "%s: out of memory", table->path);
  table->data[0] = data;
  if (!pco_file_map_path(table->path, &table->files[0].numbers.map, failure)) return 0;
  data->file = table->files[0].numbers.map;
  if (!open_data(table->path, NULL, data, failure)) return 0;
  column->type = numpact_reader_type(data->reader);
  if (column->type == NUMPACT_NO_TYPE) {
    return pco_fail(failure, "%s: is empty and states no type", table->path);
  }
  column->numbers = numpact_reader_count(data->reader);
  table->rows = column->numbers;
  return 1;
}

static int read_manifest(pco_table* table, pco_failure* failure) {
  pco_file file;
  pco_file_find(table->folder, PCO_MANIFEST, 1, &file);
  if (!pco_file_bytes(table->folder, table->path, PCO_MANIFEST, &file, failure)) return 0;
  char shown[PCO_FAILURE_BYTES];
  snprintf(shown, sizeof shown, "%s/%s", table->path, PCO_MANIFEST);
  const int ok = pco_manifest_parse(table, shown, file.map.bytes, file.map.size, failure);
  pco_unmap(&file.map);
  return ok;
}

/* Finds the files of all columns of numbers. What fails is reported when the column is loaded.
 * Returns whether all were found. */
static int find_files(pco_table* table) {
  size_t count = 0;
  for (size_t i = 0; i < table->column_count; i++) {
    if (table->columns[i].kind == PCO_OTHER) continue;
    count += table->columns[i].null_file == NULL ? 1 : 2;
  }
  const int may_map = count <= MAX_MAPPED_FILES;
  int ok = 1;
  for (size_t i = 0; i < table->column_count; i++) {
    const pco_column* column = &table->columns[i];
    pco_files* files = &table->files[i];
    if (column->kind == PCO_OTHER) continue;
    pco_file_find(table->folder, column->file, may_map, &files->numbers);
    if (column->null_file != NULL) {
      pco_file_find(table->folder, column->null_file, may_map, &files->nulls);
    }
    ok = ok && files->numbers.state != PCO_FAILED && files->nulls.state != PCO_FAILED;
  }
  return ok;
}

/* Whether the path still leads to the open folder. */
static int is_current(const pco_table* table) {
  struct stat named;
  struct stat opened;
  if (stat(table->path, &named) != 0 || fstat(table->folder, &opened) != 0) return 1;
  return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* `is_replaced`: the folder was replaced meanwhile, which removes files of the old one. */
static int open_folder(pco_table* table, int* is_replaced, pco_failure* failure) {
  *is_replaced = 0;
  table->folder = open(table->path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (table->folder < 0) return pco_fail(failure, "%s: %s", table->path, strerror(errno));
  int ok = read_manifest(table, failure) && allocate_files(table, failure);
  const int is_whole = ok && find_files(table);
  *is_replaced = !is_whole && !is_current(table);
  return ok;
}

static pco_table* open_once(const char* path, int* is_replaced, pco_failure* failure) {
  *is_replaced = 0;
  struct stat status;
  if (stat(path, &status) != 0) {
    pco_fail(failure, "%s: %s", path, strerror(errno));
    return NULL;
  }
  pco_table* table = calloc(1, sizeof *table);
  if (table != NULL) {
    table->folder = -1;
    table->path = strdup(path);
  }
  if (table == NULL || table->path == NULL) {
    pco_fail(failure, "%s: out of memory", path);
    pco_table_close(table);
    return NULL;
  }
  const int ok = S_ISDIR(status.st_mode) ? open_folder(table, is_replaced, failure)
                                         : open_file(table, failure);
  if (ok) return table;
  pco_table_close(table);
  return NULL;
}

pco_table* pco_table_open(const char* path, pco_failure* failure) {
  for (int attempt = 1;; attempt++) {
    int is_replaced = 0;
    pco_table* table = open_once(path, &is_replaced, failure);
    if (!is_replaced || attempt == MAX_ATTEMPTS) return table;
    pco_table_close(table);
  }
}

void pco_table_close(pco_table* table) {
  if (table == NULL) return;
  for (size_t i = 0; i < table->column_count; i++) {
    if (table->data != NULL) free_data(table->data[i]);
    if (table->files != NULL) {
      pco_unmap(&table->files[i].numbers.map);
      pco_unmap(&table->files[i].nulls.map);
    }
    free(table->columns[i].name);
    free(table->columns[i].file);
    free(table->columns[i].null_file);
    free(table->columns[i].type_text);
  }
  if (table->folder >= 0) close(table->folder);
  free(table->files);
  free(table->data);
  free(table->columns);
  free(table->path);
  free(table);
}

uint64_t pco_table_bytes(const pco_table* table, size_t column) {
  const pco_data* data = table->data[column];
  return data->file.size + data->null_bytes;
}

size_t pco_table_chunks(const pco_table* table, size_t column) {
  return numpact_reader_chunk_count(table->data[column]->reader);
}

/* ---- rows and numbers ---- */

size_t pco_run_of_row(const pco_data* data, uint64_t row) {
  size_t low = 0;
  size_t high = data->run_count - 1;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (data->runs[middle].row > row) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

uint64_t pco_numbers_before(const pco_data* data, uint64_t row) {
  if (data->runs == NULL) return row;
  if (row >= data->runs[data->run_count - 1].row) return data->runs[data->run_count - 1].number;
  const size_t run = pco_run_of_row(data, row);
  const pco_run_end end = data->runs[run];
  return run % 2 == 0 ? end.number - (end.row - row) : end.number;
}

uint64_t pco_row_of_number(const pco_data* data, uint64_t number) {
  if (data->runs == NULL) return number;
  size_t low = 0;
  size_t high = data->run_count - 1;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (data->runs[middle].number > number) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return data->runs[low].row - (data->runs[low].number - number);
}

size_t pco_chunk_of(const pco_data* data, uint64_t number, uint64_t* first, uint64_t* end) {
  numpact_chunk_place place;
  place.struct_size = sizeof place;
  size_t low = 0;
  size_t high = numpact_reader_chunk_count(data->reader);
  /* Chunk `low` begins at or before the number, chunk `high` behind it. */
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    numpact_reader_chunk(data->reader, middle, &place, NULL);
    if (place.first > number) {
      high = middle;
    } else {
      low = middle;
    }
  }
  numpact_reader_chunk(data->reader, low, &place, NULL);
  *first = place.first;
  *end = place.first + place.count;
  return low;
}

int pco_has_restarts(const pco_data* data, size_t chunk) {
  numpact_chunk_summary summary;
  memset(&summary, 0, sizeof summary);
  summary.struct_size = sizeof summary;
  return data->trailer != NULL &&
         numpact_trailer_chunk(data->trailer, chunk, &summary, NULL) == NUMPACT_OK &&
         summary.restart_points > 0;
}
