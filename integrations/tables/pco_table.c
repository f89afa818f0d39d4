/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "pco_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pco_data.h"
#include "pco_manifest.h"

/* Limits of the memory of a column. */
enum {
  MAX_MANIFEST_BYTES = 64 << 20, /* docs/format/table-folder.md */
  MAX_RUNS = 1 << 25             /* runs of nulls: 16 bytes each, 512 MiB */
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

/* ---- files ---- */

static void unmap(pco_mapping* map) {
  if (map->bytes != NULL) munmap((void*)map->bytes, map->size);
  map->bytes = NULL;
}

static int map_descriptor(int descriptor, const char* shown, pco_mapping* map,
                          pco_failure* failure) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return pco_fail(failure, "%s: %s", shown, strerror(errno));
  if (!S_ISREG(status.st_mode)) return pco_fail(failure, "%s: is not a regular file", shown);
  map->bytes = NULL;
  map->size = (size_t)status.st_size;
  if (map->size == 0) return 1;
  void* bytes = mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (bytes == MAP_FAILED) return pco_fail(failure, "%s: %s", shown, strerror(errno));
  map->bytes = bytes;
  return 1;
}

/* Opens a file of a folder, or with AT_FDCWD a path. Links are followed only in paths: a folder may
 * be untrusted. A pipe does not block. */
static int map_file(int folder, const char* path, const char* name, pco_mapping* map,
                    pco_failure* failure) {
  char shown[PCO_FAILURE_BYTES];
  const int is_path = folder == AT_FDCWD;
  snprintf(shown, sizeof shown, "%s%s%s", path, is_path ? "" : "/", is_path ? "" : name);
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (is_path ? 0 : O_NOFOLLOW);
  const int descriptor = openat(folder, is_path ? path : name, flags);
  if (descriptor < 0) {
    const int is_link = errno == ELOOP && !is_path;
    return pco_fail(failure, "%s: %s", shown,
                    is_link ? "links are not followed in a folder" : strerror(errno));
  }
  const int ok = map_descriptor(descriptor, shown, map, failure);
  close(descriptor);
  return ok;
}

/* ---- opening ---- */

static void free_data(pco_data* data) {
  if (data == NULL) return;
  numpact_reader_destroy(data->reader);
  numpact_trailer_destroy(data->trailer);
  free(data->runs);
  unmap(&data->file);
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

/* Turns lengths into ends; 0: they cannot be. */
static int sum_runs(const uint64_t* lengths, pco_data* data, const pco_column* column) {
  uint64_t row = 0;
  uint64_t number = 0;
  const uint64_t rows = column->numbers + column->nulls;
  for (size_t i = 0; i < data->run_count; i++) {
    if (lengths[i] > rows - row || (i > 0 && lengths[i] == 0)) return 0;
    row += lengths[i];
    if (i % 2 == 0) number += lengths[i];
    data->runs[i].row = row;
    data->runs[i].number = number;
  }
  return row == rows && number == column->numbers;
}

static int read_runs(const pco_table* table, const pco_column* column, const pco_mapping* map,
                     pco_data* data, pco_failure* failure) {
  numpact_error error;
  numpact_error_init(&error);
  uint64_t count = 0;
  if (numpact_count(NULL, map->bytes, map->size, &count, &error) != NUMPACT_OK) {
    return pco_fail_with(failure, table->path, column->null_file, &error);
  }
  const uint64_t fewer = column->nulls < column->numbers ? column->nulls : column->numbers;
  if (count == 0 || count > 2 * fewer + 2 || count > MAX_RUNS) {
    return pco_fail(failure, "%s/%s: holds %llu runs of nulls, which %s", table->path,
                    column->null_file, (unsigned long long)count,
                    count > MAX_RUNS && count <= 2 * fewer + 2 ? "exceeds the limit" : "cannot be");
  }
  data->run_count = (size_t)count;
  uint64_t* lengths = malloc(data->run_count * sizeof *lengths);
  data->runs = malloc(data->run_count * sizeof *data->runs);
  int ok = 0;
  if (lengths == NULL || data->runs == NULL) {
    pco_fail(failure, "%s/%s: out of memory", table->path, column->null_file);
  } else if (numpact_decompress_exact(NULL, map->bytes, map->size, NUMPACT_U64, lengths,
                                      data->run_count, &error) != NUMPACT_OK) {
    pco_fail_with(failure, table->path, column->null_file, &error);
  } else if (!sum_runs(lengths, data, column)) {
    pco_fail(failure, "%s/%s: its runs contradict the manifest", table->path, column->null_file);
  } else {
    ok = 1;
  }
  free(lengths);
  return ok;
}

static int load(const pco_table* table, const pco_column* column, pco_data* data,
                pco_failure* failure) {
  if (!map_file(table->folder, table->path, column->file, &data->file, failure) ||
      !open_data(table->path, column->file, data, failure)) {
    return 0;
  }
  const numpact_type type = numpact_reader_type(data->reader);
  const int is_empty = type == NUMPACT_NO_TYPE && column->numbers == 0;
  if ((type != column->type && !is_empty) ||
      numpact_reader_count(data->reader) != column->numbers) {
    return pco_fail(failure, "%s/%s: has another type or count than the manifest says", table->path,
                    column->file);
  }
  if (column->nulls == 0) return 1;
  pco_mapping runs = {NULL, 0};
  if (!map_file(table->folder, table->path, column->null_file, &runs, failure)) return 0;
  data->null_bytes = runs.size;
  const int ok = read_runs(table, column, &runs, data, failure);
  unmap(&runs);
  return ok;
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
  if (!load(table, requested, data, failure)) {
    free_data(data);
    return 0;
  }
  table->data[column] = data;
  return 1;
}

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

static int open_file(pco_table* table, pco_failure* failure) {
  table->is_file = 1;
  table->columns = calloc(1, sizeof *table->columns);
  table->data = calloc(1, sizeof *table->data);
  pco_data* data = calloc(1, sizeof *data);
  if (table->columns == NULL || table->data == NULL || data == NULL) {
    free(data);
    return pco_fail(failure, "%s: out of memory", table->path);
  }
  table->data[0] = data;
  table->column_count = 1;
  pco_column* column = &table->columns[0];
  column->name = stem_of(table->path);
  if (column->name == NULL) return pco_fail(failure, "%s: out of memory", table->path);
  if (!map_file(AT_FDCWD, table->path, NULL, &data->file, failure) ||
      !open_data(table->path, NULL, data, failure)) {
    return 0;
  }
  column->type = numpact_reader_type(data->reader);
  if (column->type == NUMPACT_NO_TYPE) {
    return pco_fail(failure, "%s: is empty and states no type", table->path);
  }
  column->numbers = numpact_reader_count(data->reader);
  table->rows = column->numbers;
  return 1;
}

static int open_folder(pco_table* table, pco_failure* failure) {
  pco_mapping map = {NULL, 0};
  if (!map_file(table->folder, table->path, "manifest.json", &map, failure)) return 0;
  char shown[PCO_FAILURE_BYTES];
  snprintf(shown, sizeof shown, "%s/manifest.json", table->path);
  const int ok =
      map.size > MAX_MANIFEST_BYTES
          ? pco_fail(failure, "%s: is too long", shown)
          : pco_manifest_parse(table, shown, map.bytes == NULL ? "" : (const char*)map.bytes,
                               map.size, failure);
  unmap(&map);
  if (!ok) return 0;
  table->data = calloc(table->column_count, sizeof *table->data);
  return table->data != NULL || pco_fail(failure, "%s: out of memory", table->path);
}

pco_table* pco_table_open(const char* path, pco_failure* failure) {
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
  int ok = 0;
  if (!S_ISDIR(status.st_mode)) {
    ok = open_file(table, failure);
  } else {
    table->folder = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    ok = table->folder < 0 ? pco_fail(failure, "%s: %s", path, strerror(errno))
                           : open_folder(table, failure);
  }
  if (ok) return table;
  pco_table_close(table);
  return NULL;
}

void pco_table_close(pco_table* table) {
  if (table == NULL) return;
  for (size_t i = 0; i < table->column_count; i++) {
    if (table->data != NULL) free_data(table->data[i]);
    free(table->columns[i].name);
    free(table->columns[i].file);
    free(table->columns[i].null_file);
    free(table->columns[i].type_text);
  }
  if (table->folder >= 0) close(table->folder);
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
