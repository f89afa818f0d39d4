/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a table, or replaces it, and appends rows. Argument: the path of its folder. */
#include <numpact/numpact.h>
#include <numpact/table_writer.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 1000 };

static char why[500];

/* Adds rows, and makes them the table; all or nothing. */
static int add_rows(numpact_table_writer* writer, int64_t first, numpact_error* error) {
  static int64_t times[ROWS];
  static double speeds[ROWS];
  static uint8_t valid[ROWS]; /* 0 for null rows */
  for (int i = 0; i < ROWS; i++) {
    times[i] = 1700000000 + 60 * (first + i);
    speeds[i] = i % 100;
    valid[i] = i % 7 != 0;
  }
  const int ok = numpact_table_writer_write(writer, 0, times, NULL, ROWS, why, sizeof why, error) ==
                     NUMPACT_OK &&
                 numpact_table_writer_write(writer, 1, speeds, valid, ROWS, why, sizeof why,
                                            error) == NUMPACT_OK &&
                 numpact_table_writer_commit(writer, why, sizeof why, error) == NUMPACT_OK;
  const numpact_table_manifest* table = numpact_table_writer_get_manifest(writer);
  if (ok) printf("%llu rows\n", (unsigned long long)numpact_table_manifest_rows(table));
  numpact_table_writer_destroy(writer); /* also removes what was not committed */
  return ok;
}

int main(int count, char** arguments) {
  const char* path = count > 1 ? arguments[1] : "measurements";
  numpact_error error;
  numpact_error_init(&error);

  numpact_table_column columns[2];
  memset(columns, 0, sizeof columns);
  columns[0].struct_size = columns[1].struct_size = sizeof columns[0];
  columns[0].name = "time";
  columns[0].name_size = 4;
  columns[0].kind = NUMPACT_TABLE_TIMESTAMP;
  columns[0].unit = NUMPACT_TABLE_SECOND;
  columns[0].type = NUMPACT_I64;
  columns[1].name = "speed";
  columns[1].name_size = 5;
  columns[1].kind = NUMPACT_TABLE_NUMBER;
  columns[1].type = NUMPACT_F64;
  columns[1].is_nullable = 1;

  numpact_table_writer* writer = NULL;
  const int may_replace = 1;
  if (numpact_table_writer_create(path, columns, 2, may_replace, NULL, &writer, why, sizeof why,
                                  &error) != NUMPACT_OK ||
      !add_rows(writer, 0, &error) ||
      numpact_table_writer_append(path, NULL, &writer, why, sizeof why, &error) != NUMPACT_OK ||
      !add_rows(writer, ROWS, &error)) {
    fprintf(stderr, "%s\n", why[0] != '\0' ? why : error.text);
    return 1;
  }
  return 0;
}
