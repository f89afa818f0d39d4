/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "scan.h"

/* The column of files that a pattern matches, if their names differ. */
static const char value_name[] = "value";

static int is_folder(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int add_table(sources* made, const char* path, access_check* check, failure* why) {
  const int in_folder = is_folder(path);
  if (!access_file(check, path, in_folder ? "manifest.json" : NULL, why)) return 0;
  open_table** tables = realloc(made->tables, (made->count + 1) * sizeof *tables);
  if (tables == NULL) return fail(why, "%s: out of memory", path);
  made->tables = tables;
  open_table* table = open_table_at(path, why);
  if (table == NULL) return 0;
  table->is_folder = in_folder;
  tables[made->count++] = table;
  return 1;
}

static int exists(const char* path) {
  struct stat status;
  return stat(path, &status) == 0;
}

static int open_all(sources* made, const char* pattern, access_check* check, failure* why) {
  /* A path may have the letters of patterns. */
  if (strpbrk(pattern, "*?[") == NULL || exists(pattern)) {
    return add_table(made, pattern, check, why);
  }
  if (!access_pattern(check, pattern, why)) return 0;
  glob_t found;
  const int result = glob(pattern, GLOB_ERR, NULL, &found);
  if (result != 0) {
    return fail(why, "%s: %s", pattern,
                result == GLOB_NOMATCH ? "no file or folder matches" : "cannot be searched");
  }
  int ok = 1;
  for (size_t i = 0; i < found.gl_pathc && ok; i++) {
    ok = add_table(made, found.gl_pathv[i], check, why);
  }
  globfree(&found);
  return ok;
}

static int same_columns(const open_table* first, const open_table* other, failure* why) {
  if (first->column_count != other->column_count) {
    return fail(why, "%s has %llu columns, %s has %llu", first->path,
                (unsigned long long)first->column_count, other->path,
                (unsigned long long)other->column_count);
  }
  for (size_t i = 0; i < first->column_count; i++) {
    const numpact_table_column* a = &first->columns[i];
    const numpact_table_column* b = &other->columns[i];
    const int is_named = !first->is_folder || strcmp(first->names[i], other->names[i]) == 0;
    /* How many texts there are decides the type of numbers that stand for them. */
    const int is_typed =
        is_text_column(a) ? is_bytes_column(a) == is_bytes_column(b) : a->type == b->type;
    if (first->is_folder != other->is_folder || !is_named || a->kind != b->kind ||
        a->unit != b->unit || a->precision != b->precision || a->scale != b->scale || !is_typed || has_zone(a) != has_zone(b)) {
      return fail(why, "%s: column \"%s\" differs in name or type from \"%s\" of %s", other->path,
                  other->names[i], first->names[i], first->path);
    }
  }
  return 1;
}

/* Whether a name is one of the first `count`; DuckDB ignores case. */
static int is_taken(const sources* made, size_t count, const char* name) {
  for (size_t i = 0; i < count; i++) {
    if (strcasecmp(made->names[i], name) == 0) return 1;
  }
  return 0;
}

/* The name of a column; repeated ones get _1, _2, ... as those of other files do in DuckDB. */
static char* unique_name(const sources* made, size_t column, const char* name) {
  const size_t size = strlen(name) + 24; /* an underscore, 20 digits, and the end */
  char* text = malloc(size);
  if (text == NULL) return NULL;
  snprintf(text, size, "%s", name);
  for (size_t copy = 1; is_taken(made, column, text); copy++) {
    snprintf(text, size, "%s_%llu", name, (unsigned long long)copy);
  }
  return text;
}

static int name_columns(sources* made, failure* why) {
  const open_table* first = made->tables[0];
  made->names = calloc(first->column_count + 1, sizeof *made->names);
  if (made->names == NULL) return fail(why, "%s: out of memory", first->path);
  made->column_count = first->column_count;
  for (size_t i = 0; i < first->column_count; i++) {
    const char* name = first->names[i];
    for (size_t k = 1; k < made->count && !first->is_folder; k++) {
      if (strcmp(name, made->tables[k]->names[0]) != 0) name = value_name;
    }
    made->names[i] = unique_name(made, i, name);
    if (made->names[i] == NULL) return fail(why, "%s: out of memory", first->path);
  }
  return 1;
}

int sources_open(sources* made, const char* pattern, access_check* check, failure* why) {
  memset(made, 0, sizeof *made);
  int ok = open_all(made, pattern, check, why);
  for (size_t i = 1; i < made->count && ok; i++) {
    ok = same_columns(made->tables[0], made->tables[i], why);
  }
  if (ok && name_columns(made, why)) return 1;
  sources_close(made);
  return 0;
}

void sources_close(sources* made) {
  for (size_t i = 0; i < made->count; i++) close_table(made->tables[i]);
  for (size_t i = 0; made->names != NULL && i < made->column_count; i++) free(made->names[i]);
  free(made->tables);
  free(made->names);
  memset(made, 0, sizeof *made);
}

uint64_t sources_rows(const sources* from) {
  uint64_t rows = 0;
  for (size_t i = 0; i < from->count; i++) rows += from->tables[i]->rows;
  return rows;
}
