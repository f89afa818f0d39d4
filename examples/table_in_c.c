/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table by a filter. Arguments: the path of a folder of columns and a filter. Without any
 * the program makes a table in memory. */
#include <numpact/numpact.h>
#include <numpact/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 10000, FILE_CAPACITY = 1 << 18 };

static char why[500];

static int fail(const char* what, const numpact_error* error) {
  fprintf(stderr, "%s: %s\n", what, why[0] != '\0' ? why : error->text);
  return 1;
}

/* ---- a table in memory ---- */

typedef struct file {
  const char* name;
  unsigned char* bytes;
  size_t size;
} file;

static const char manifest[] =
    "{\"format\": \"numpact-table\", \"version\": 2, \"skipped\": [], \"columns\": ["
    "{\"name\": \"time\", \"file\": \"time.pco\", \"logical_type\": \"timestamp\", \"unit\": \"s\","
    " \"number_type\": \"i64\", \"count\": 10000},"
    "{\"name\": \"speed\", \"file\": \"speed.pco\", \"logical_type\": \"number\","
    " \"number_type\": \"f64\", \"count\": 10000}]}";

static const file* find_file(const file* files, const char* name) {
  while (files->name != NULL && strcmp(files->name, name) != 0) ++files;
  return files->name != NULL ? files : NULL;
}

static int size_of_file(void* opaque, const char* name, uint64_t* size) {
  const file* found = find_file((const file*)opaque, name);
  if (found == NULL) return -1;
  *size = found->size;
  return 0;
}

static int read_file(void* opaque, const char* name, uint64_t offset, void* out, size_t capacity,
                     size_t* size) {
  const file* found = find_file((const file*)opaque, name);
  if (found == NULL || offset > found->size) return -1;
  *size = found->size - (size_t)offset < capacity ? found->size - (size_t)offset : capacity;
  memcpy(out, found->bytes + offset, *size);
  return 0;
}

/* Compresses a column; `file` has the memory. */
static int write_column(numpact_type type, const void* numbers, file* to, numpact_error* error) {
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.trailer = NUMPACT_TRAILER_INDEX; /* by which chunks are left out */
  options.max_page_count = 1000;
  return numpact_compress(NULL, type, numbers, ROWS, &options, to->bytes, FILE_CAPACITY, &to->size,
                          error) == NUMPACT_OK;
}

static int make_files(file* files, numpact_error* error) {
  static int64_t times[ROWS];
  static double speeds[ROWS];
  for (int i = 0; i < ROWS; i++) {
    times[i] = 1700000000 + 60 * i;
    speeds[i] = i % 100;
  }
  for (int i = 0; i < 3; i++) {
    files[i].bytes = (unsigned char*)malloc(FILE_CAPACITY);
    if (files[i].bytes == NULL) return 0;
  }
  files[0].name = "manifest.json";
  files[0].size = sizeof manifest - 1;
  memcpy(files[0].bytes, manifest, sizeof manifest);
  files[1].name = "time.pco";
  files[2].name = "speed.pco";
  return write_column(NUMPACT_I64, times, &files[1], error) &&
         write_column(NUMPACT_F64, speeds, &files[2], error);
}

/* ---- reading ---- */

/* Counts the rows that match, and those of them that are null in the first column. */
static int scan(const numpact_table* table, const char* where, uint64_t* rows, uint64_t* nulls,
                numpact_error* error) {
  const size_t columns[] = {0};
  numpact_table_query query;
  numpact_table_query_init(&query);
  query.columns = columns;
  query.column_count = 1;
  query.where = where;
  query.where_size = strlen(where);
  numpact_table_scan* scan = NULL;
  numpact_table_cursor* cursor = NULL;
  if (numpact_table_scan_create(table, &query, &scan, why, sizeof why, error) != NUMPACT_OK ||
      numpact_table_cursor_create(scan, &cursor, error) != NUMPACT_OK) {
    numpact_table_scan_destroy(scan);
    return 0;
  }
  numpact_table_batch batch;
  batch.struct_size = sizeof batch;
  int ok = 0;
  for (;;) {
    const void* numbers = NULL; /* batch.rows numbers of the column's type */
    const uint8_t* valid = NULL;
    if (numpact_table_cursor_next(cursor, &batch, why, sizeof why, error) != NUMPACT_OK) break;
    ok = batch.window_rows == 0; /* the end */
    if (ok || numpact_table_cursor_values(cursor, 0, &numbers, &valid, error) != NUMPACT_OK) break;
    *rows += batch.rows;
    for (uint64_t i = 0; valid != NULL && i < batch.rows; i++) *nulls += valid[i] == 0;
  }
  numpact_table_cursor_destroy(cursor);
  numpact_table_scan_destroy(scan);
  return ok;
}

int main(int count, char** arguments) {
  static file files[4];
  numpact_error error;
  numpact_error_init(&error);
  numpact_table* table = NULL;
  if (count == 3) {
    if (numpact_table_open(NULL, arguments[1], &table, why, sizeof why, &error) != NUMPACT_OK)
      return fail("open", &error);
  } else {
    if (!make_files(files, &error)) return fail("compress", &error);
    numpact_table_files source;
    memset(&source, 0, sizeof source);
    source.struct_size = sizeof source;
    source.opaque = files;
    source.size = size_of_file;
    source.read = read_file;
    if (numpact_table_open_files(NULL, &source, &table, why, sizeof why, &error) != NUMPACT_OK)
      return fail("open", &error);
  }
  const numpact_table_manifest* columns = numpact_table_get_manifest(table);
  for (size_t i = 0; i < numpact_table_manifest_column_count(columns); i++) {
    numpact_table_column column;
    column.struct_size = sizeof column;
    if (numpact_table_manifest_column(columns, i, &column, &error) != NUMPACT_OK)
      return fail("column", &error);
    printf("%s: %llu rows\n", column.name, (unsigned long long)column.rows);
  }
  uint64_t rows = 0;
  uint64_t nulls = 0;
  const char* where = count == 3 ? arguments[2] : "time < '2023-11-15' and speed in (1, 99)";
  if (!scan(table, where, &rows, &nulls, &error)) return fail("scan", &error);
  printf("%llu rows match, %llu of them null\n", (unsigned long long)rows,
         (unsigned long long)nulls);
  numpact_table_destroy(table);
  for (int i = 0; i < 3; i++) free(files[i].bytes);
  return count == 3 || rows == 3 ? 0 : 1;
}
