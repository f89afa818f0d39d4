/* SPDX-License-Identifier: Apache-2.0 */
#include "pco_manifest.h"

#include <numpact/table.h>
#include <stdlib.h>
#include <string.h>

static char* copy_of(const char* text) {
  if (text == NULL) return NULL;
  const size_t size = strlen(text) + 1;
  char* copy = malloc(size);
  if (copy != NULL) memcpy(copy, text, size);
  return copy;
}

/* A name as a string of C and of SQL, which have no zero bytes: each becomes the picture of one. */
static char* name_of(const numpact_table_column* from) {
  static const char picture[] = "\xe2\x90\x80";
  const size_t extra = sizeof picture - 2;
  size_t size = from->name_size + 1;
  for (size_t i = 0; i < from->name_size; i++) size += from->name[i] == '\0' ? extra : 0;
  char* name = malloc(size);
  char* out = name;
  for (size_t i = 0; i < from->name_size && name != NULL; i++) {
    if (from->name[i] == '\0') {
      memcpy(out, picture, sizeof picture - 1);
      out += sizeof picture - 1;
    } else {
      *out++ = from->name[i];
    }
  }
  if (name != NULL) *out = '\0';
  return name;
}

static int take_column(const numpact_table_column* from, pco_column* column) {
  column->name = name_of(from);
  column->file = copy_of(from->file);
  column->null_file = copy_of(from->null_file);
  column->type_text = copy_of(from->type_text);
  column->kind = (pco_kind)from->kind;
  column->unit = (pco_unit)from->unit;
  column->has_timezone = *from->timezone != '\0';
  column->type = from->type;
  column->numbers = from->kind == NUMPACT_TABLE_OTHER ? from->rows : from->numbers;
  column->nulls = from->kind == NUMPACT_TABLE_OTHER ? 0 : from->nulls;
  return column->name != NULL && column->file != NULL &&
         (column->null_file != NULL) == (from->null_file != NULL) &&
         (column->type_text != NULL) == (from->type_text != NULL);
}

static int take(pco_table* table, const char* path, const numpact_table_manifest* manifest,
                pco_failure* failure) {
  table->rows = numpact_table_manifest_rows(manifest);
  if (table->rows == NUMPACT_UNKNOWN) {
    return pco_fail(failure,
                    "%s: nulls were left out when the table was written (nulls_dropped), so the "
                    "rows of its columns do not belong together: read its files one by one",
                    path);
  }
  const size_t count = numpact_table_manifest_column_count(manifest);
  table->columns = calloc(count + 1, sizeof *table->columns);
  if (table->columns == NULL) return pco_fail(failure, "%s: out of memory", path);
  table->column_count = count;
  for (size_t i = 0; i < count; i++) {
    numpact_table_column column;
    column.struct_size = sizeof column;
    if (numpact_table_manifest_column(manifest, i, &column, NULL) != NUMPACT_OK ||
        !take_column(&column, &table->columns[i])) {
      return pco_fail(failure, "%s: out of memory", path);
    }
  }
  return 1;
}

int pco_manifest_parse(pco_table* table, const char* path, const void* text, size_t size,
                       pco_failure* failure) {
  numpact_error error;
  numpact_error_init(&error);
  numpact_table_manifest* manifest = NULL;
  char why[PCO_FAILURE_BYTES];
  why[0] = '\0';
  if (numpact_table_manifest_parse(text, size, &manifest, why, sizeof why, &error) != NUMPACT_OK) {
    return pco_fail(failure, "%s: %s", path, why[0] != '\0' ? why : error.text);
  }
  const int ok = take(table, path, manifest, failure);
  numpact_table_manifest_destroy(manifest);
  return ok;
}
