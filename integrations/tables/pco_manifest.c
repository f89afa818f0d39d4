/* SPDX-License-Identifier: Apache-2.0 */
#include "pco_manifest.h"

#include <stdlib.h>
#include <string.h>

#include "pco_json.h"

enum { WITH_OTHERS = 3 }; /* the version of manifests that have other columns */

static const char* const number_types[] = {NULL,  "u32", "u64", "i32", "i64", "f32",
                                           "f64", "u16", "i16", "f16", "u8",  "i8"};

/* The logical types: how they are stored, and which units they may have (a bit for each). */
typedef struct logical_type {
  const char* name;
  pco_kind kind;
  numpact_type stored; /* NUMPACT_NO_TYPE: any */
  unsigned units;
} logical_type;

#define UNITS_OF(first, last) (((2u << (last)) - 1) & ~((1u << (first)) - 1))

static const logical_type logical_types[] = {
    {"number", PCO_NUMBER, NUMPACT_NO_TYPE, 0},
    {"bool", PCO_BOOL, NUMPACT_U8, 0},
    {"date32", PCO_DATE32, NUMPACT_I32, 0},
    {"date64", PCO_DATE64, NUMPACT_I64, 0},
    {"time32", PCO_TIME32, NUMPACT_I32, UNITS_OF(PCO_S, PCO_MS)},
    {"time64", PCO_TIME64, NUMPACT_I64, UNITS_OF(PCO_US, PCO_NS)},
    {"timestamp", PCO_TIMESTAMP, NUMPACT_I64, UNITS_OF(PCO_S, PCO_NS)},
    {"duration", PCO_DURATION, NUMPACT_I64, UNITS_OF(PCO_S, PCO_NS)},
};

static const char* const units[] = {NULL, "s", "ms", "us", "ns"};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* A list of columns that grows with the text that describes them. */
typedef struct column_list {
  pco_column* items;
  uint64_t* positions; /* of others */
  size_t count;
  size_t capacity;
} column_list;

typedef struct reader {
  const char* path;
  pco_failure* failure;
} reader;

static int bad(const reader* in, const char* what) {
  return pco_fail(in->failure, "%s: %s", in->path, what);
}

static int bad_column(const reader* in, const char* name, const char* what) {
  return pco_fail(in->failure, "%s: column \"%s\": %s", in->path, name, what);
}

static void free_column(pco_column* column) {
  free(column->name);
  free(column->file);
  free(column->null_file);
  free(column->type_text);
}

static void free_list(column_list* list) {
  for (size_t i = 0; i < list->count; i++) free_column(&list->items[i]);
  free(list->items);
  free(list->positions);
}

/* A new column of zeros at the end; null: out of memory. */
static pco_column* append(column_list* list) {
  if (list->count == list->capacity) {
    const size_t capacity = 2 * list->capacity + 8;
    pco_column* items = realloc(list->items, capacity * sizeof *items);
    if (items == NULL) return NULL;
    list->items = items;
    uint64_t* positions = realloc(list->positions, capacity * sizeof *positions);
    if (positions == NULL) return NULL;
    list->positions = positions;
    list->capacity = capacity;
  }
  pco_column* column = &list->items[list->count];
  memset(column, 0, sizeof *column);
  list->positions[list->count++] = 0;
  return column;
}

/* Returns the index of the text that a member of an object equals; -1: none of them. */
static int one_of(pco_json object, const char* key, const char* const* texts, size_t count) {
  char* text = pco_json_text(pco_json_find(object, key));
  int found = -1;
  for (size_t i = 0; text != NULL && i < count && found < 0; i++) {
    if (texts[i] != NULL && strcmp(text, texts[i]) == 0) found = (int)i;
  }
  free(text);
  return found;
}

/* The name of a file that cannot lead out of the folder. */
static char* file_name(const reader* in, pco_json object) {
  char* name = pco_json_text(pco_json_find(object, "file"));
  if (name == NULL) {
    bad(in, "an entry has no file name");
    return NULL;
  }
  if (*name == '\0' || strcmp(name, ".") == 0 || strstr(name, "..") != NULL ||
      strpbrk(name, "/\\:") != NULL) {
    pco_fail(in->failure, "%s: file name \"%s\" leads out of the folder", in->path, name);
    free(name);
    return NULL;
  }
  return name;
}

static int is_text_or_hex(pco_json value) {
  if (pco_json_is_string(value)) return 1;
  char* digits = pco_json_text(pco_json_find(value, "hex"));
  const int is_hex = digits != NULL && strlen(digits) % 2 == 0 &&
                     strspn(digits, "0123456789abcdefABCDEF") == strlen(digits);
  free(digits);
  return is_hex;
}

static int check_metadata(pco_json object) {
  const pco_json list = pco_json_find(object, "metadata");
  if (list.at == NULL) return 1;
  if (!pco_json_is_array(list)) return 0;
  for (pco_json pair = pco_json_first(list); pair.at != NULL; pair = pco_json_next(pair)) {
    const pco_json key = pco_json_first(pair);
    const pco_json value = pco_json_next(key);
    if (!is_text_or_hex(key) || !is_text_or_hex(value) || pco_json_next(value).at != NULL) return 0;
  }
  return 1;
}

static int read_nulls(const reader* in, pco_json entry, pco_column* column) {
  const pco_json nulls = pco_json_find(entry, "nulls");
  if (nulls.at == NULL) return 1;
  if (!pco_json_is_object(nulls)) return bad_column(in, column->name, "its nulls are no object");
  column->null_file = file_name(in, nulls);
  if (column->null_file == NULL) return 0;
  if (!pco_json_count(pco_json_find(nulls, "count"), &column->nulls) || column->nulls == 0) {
    return bad_column(in, column->name, "its count of nulls is not a count of at least 1");
  }
  return 1;
}

static int read_type(const reader* in, pco_json entry, pco_column* column) {
  const int type = one_of(entry, "number_type", number_types, COUNT_OF(number_types));
  if (type < 0) return bad_column(in, column->name, "its number type is unknown");
  const char* names[COUNT_OF(logical_types)];
  for (size_t i = 0; i < COUNT_OF(logical_types); i++) names[i] = logical_types[i].name;
  const int logical = one_of(entry, "logical_type", names, COUNT_OF(names));
  if (logical < 0) return bad_column(in, column->name, "its logical type is unknown");
  const logical_type* known = &logical_types[logical];
  if (known->stored != NUMPACT_NO_TYPE && known->stored != type) {
    return bad_column(in, column->name, "its logical type is not stored as its number type");
  }
  column->type = (numpact_type)type;
  column->kind = known->kind;
  if (known->units == 0) return 1;
  const int unit = one_of(entry, "unit", units, COUNT_OF(units));
  if (unit < 0 || (known->units >> unit & 1) == 0) {
    return bad_column(in, column->name, "it has no unit of its logical type");
  }
  column->unit = (pco_unit)unit;
  if (column->kind == PCO_TIMESTAMP) {
    const pco_json zone = pco_json_find(entry, "timezone");
    if (zone.at != NULL && !pco_json_is_string(zone)) {
      return bad_column(in, column->name, "its time zone is not text");
    }
    column->has_timezone = zone.at != NULL && zone.at[1] != '"';
  }
  return 1;
}

static int read_column(const reader* in, pco_json entry, pco_column* column) {
  column->name = pco_json_text(pco_json_find(entry, "name"));
  if (column->name == NULL) return bad(in, "a column has no name");
  column->file = file_name(in, entry);
  if (column->file == NULL) return 0;
  if (!pco_json_count(pco_json_find(entry, "count"), &column->numbers)) {
    return bad_column(in, column->name, "its count is not a count");
  }
  const pco_json nullable = pco_json_find(entry, "nullable");
  if (nullable.at != NULL && *nullable.at != 't' && *nullable.at != 'f') {
    return bad_column(in, column->name, "nullable is neither true nor false");
  }
  if (!check_metadata(entry)) return bad_column(in, column->name, "its metadata is not pairs");
  return read_type(in, entry, column) && read_nulls(in, entry, column);
}

static int read_other(const reader* in, pco_json entry, pco_column* column, uint64_t* position) {
  column->kind = PCO_OTHER;
  column->name = pco_json_text(pco_json_find(entry, "name"));
  if (column->name == NULL) return bad(in, "a column has no name");
  column->file = file_name(in, entry);
  if (column->file == NULL) return 0;
  column->type_text = pco_json_text(pco_json_find(entry, "type"));
  if (column->type_text == NULL) return bad_column(in, column->name, "its type is not text");
  if (!pco_json_count(pco_json_find(entry, "rows"), &column->numbers) ||
      !pco_json_count(pco_json_find(entry, "position"), position)) {
    return bad_column(in, column->name, "its rows or position are not counts");
  }
  return 1;
}

static int read_entries(const reader* in, pco_json list, int is_other, column_list* columns) {
  if (!pco_json_is_array(list)) return bad(in, "has no list of columns");
  for (pco_json entry = pco_json_first(list); entry.at != NULL; entry = pco_json_next(entry)) {
    pco_column* column = append(columns);
    if (column == NULL) return bad(in, "out of memory");
    const int ok = is_other ? read_other(in, entry, column, &columns->positions[columns->count - 1])
                            : read_column(in, entry, column);
    if (!ok) return 0;
  }
  return 1;
}

static int check_skipped(const reader* in, pco_json root) {
  const pco_json list = pco_json_find(root, "skipped");
  if (!pco_json_is_array(list)) return bad(in, "has no list of skipped columns");
  for (pco_json entry = pco_json_first(list); entry.at != NULL; entry = pco_json_next(entry)) {
    if (!pco_json_is_string(pco_json_find(entry, "name")) ||
        !pco_json_is_string(pco_json_find(entry, "type"))) {
      return bad(in, "a skipped column has no name or type");
    }
  }
  return 1;
}

/* Moves the columns and the others into the table, in the order of the table. */
static int merge(const reader* in, column_list* columns, column_list* others, pco_table* table) {
  const size_t total = columns->count + others->count;
  for (size_t i = 0; i < others->count; i++) {
    if (others->positions[i] >= total ||
        (i > 0 && others->positions[i] <= others->positions[i - 1])) {
      return bad_column(in, others->items[i].name, "it cannot be at its position");
    }
  }
  table->columns = calloc(total == 0 ? 1 : total, sizeof *table->columns);
  if (table->columns == NULL) return bad(in, "out of memory");
  size_t column = 0;
  size_t other = 0;
  for (size_t i = 0; i < total; i++) {
    const int is_other = other < others->count && others->positions[other] == i;
    table->columns[i] = is_other ? others->items[other++] : columns->items[column++];
  }
  table->column_count = total;
  columns->count = 0;
  others->count = 0;
  return 1;
}

static int check_rows(const reader* in, pco_table* table) {
  if (table->column_count == 0) return bad(in, "has no columns");
  for (size_t i = 0; i < table->column_count; i++) {
    const pco_column* column = &table->columns[i];
    const uint64_t rows = column->numbers + column->nulls;
    if (i == 0) table->rows = rows;
    if (rows != table->rows) {
      return bad_column(in, column->name,
                        "it has another number of rows than the columns before it: nulls were "
                        "left out when the table was written");
    }
  }
  return 1;
}

static int read_lists(const reader* in, pco_json root, column_list* columns, column_list* others,
                      pco_table* table) {
  char* format = pco_json_text(pco_json_find(root, "format"));
  const int is_manifest = format != NULL && strcmp(format, "numpact-table") == 0;
  free(format);
  if (!is_manifest) return bad(in, "is not a manifest of numpact");
  uint64_t version = 0;
  if (!pco_json_count(pco_json_find(root, "version"), &version)) return bad(in, "has no version");
  if (version == 0 || version > WITH_OTHERS) {
    return pco_fail(in->failure, "%s: version %llu of tables is not supported", in->path,
                    (unsigned long long)version);
  }
  if (!read_entries(in, pco_json_find(root, "columns"), 0, columns)) return 0;
  const pco_json list = pco_json_find(root, "others");
  if (version == WITH_OTHERS && list.at != NULL && !read_entries(in, list, 1, others)) return 0;
  if (!check_metadata(root)) return bad(in, "its metadata is not pairs");
  return check_skipped(in, root) && merge(in, columns, others, table) && check_rows(in, table);
}

int pco_manifest_parse(pco_table* table, const char* path, const char* text, size_t size,
                       pco_failure* failure) {
  const reader in = {path, failure};
  pco_json root;
  if (!pco_json_check(text, size, &root) || !pco_json_is_object(root)) {
    return bad(&in, "is no JSON object, or exceeds the limits of a manifest");
  }
  column_list columns = {NULL, NULL, 0, 0};
  column_list others = {NULL, NULL, 0, 0};
  const int ok = read_lists(&in, root, &columns, &others, table);
  free_list(&columns);
  free_list(&others);
  return ok;
}
