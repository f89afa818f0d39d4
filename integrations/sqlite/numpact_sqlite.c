/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of Pco files in SQLite: CREATE VIRTUAL TABLE t USING pco('PATH'), and read_pco(PATH). */
#include <sqlite3ext.h>
#include <stdlib.h>
#include <string.h>

#include "pco_table.h"

SQLITE_EXTENSION_INIT1

/* Rows of a column that are read at once: a few pages of memory for each column. */
enum { BATCH_ROWS = 1024 };
/* Maximum comparisons in a plan, to bound its text; SQLite evaluates all of them again. */
enum { MAX_PLAN_TERMS = 64 };
/* The share of rows that a plan expects behind a bound, as there are no statistics. */
static const double bound_share = 0.25;

/* ---- tables and cursors ---- */

/* The layout of a function's columns, whose schema must be fixed. */
enum { FUNCTION_VALUE = 0, FUNCTION_PATH = 1, FUNCTION_COLUMN = 2 };

typedef struct pco_vtab {
  sqlite3_vtab base;
  pco_table* table; /* null: a function, whose cursors open tables */
} pco_vtab;

typedef struct batch {
  uint64_t first;
  size_t count; /* 0: nothing was read */
  uint8_t* numbers;
  uint8_t valid[BATCH_ROWS];
} batch;

typedef struct pco_scan {
  sqlite3_vtab_cursor base;
  pco_table* own; /* of a function */
  size_t column;  /* of a function */
  pco_table* table;
  pco_cursor* cursor;
  batch* batches; /* by column */
  pco_ranges ranges;
  size_t range;
  uint64_t row;
  char* path; /* the arguments of a function */
  char* column_name;
} pco_scan;

static int set_error(sqlite3_vtab* vtab, const pco_failure* failure) {
  sqlite3_free(vtab->zErrMsg);
  vtab->zErrMsg = sqlite3_mprintf("%s", failure->text);
  return SQLITE_ERROR;
}

/* 'it''s' or "x" or x: the text of a module's argument. */
static char* unquoted(const char* argument) {
  const size_t size = strlen(argument);
  char* text = sqlite3_malloc64(size + 1);
  if (text == NULL) return NULL;
  const char quote = *argument;
  if (size < 2 || (quote != '\'' && quote != '"') || argument[size - 1] != quote) {
    memcpy(text, argument, size + 1);
    return text;
  }
  size_t length = 0;
  for (size_t i = 1; i + 1 < size; i++) {
    text[length++] = argument[i];
    if (argument[i] == quote && i + 2 < size) i++;
  }
  text[length] = '\0';
  return text;
}

static const char* declared_type(const pco_column* column) {
  if (column->kind == PCO_OTHER) return "";
  return pco_type_is_float(column->type) ? "REAL" : "INTEGER";
}

/* Names that repeat, without case, get a number: SQLite needs them to differ. */
static int name_repeats(const pco_table* table, size_t column, const char* name) {
  for (size_t i = 0; i < table->column_count; i++) {
    if (i != column && sqlite3_stricmp(table->columns[i].name, name) == 0) {
      if (i < column || name != table->columns[column].name) return 1;
    }
  }
  return 0;
}

static void append_column(sqlite3_str* text, const pco_table* table, size_t column) {
  const pco_column* of = &table->columns[column];
  const char* separator = column == 0 ? "" : ", ";
  if (!name_repeats(table, column, of->name)) {
    sqlite3_str_appendf(text, "%s\"%w\" %s", separator, of->name, declared_type(of));
    return;
  }
  for (unsigned copy = 2;; copy++) {
    char* name = sqlite3_mprintf("%s_%u", of->name, copy);
    const int repeats = name != NULL && name_repeats(table, column, name);
    if (!repeats) {
      sqlite3_str_appendf(text, "%s\"%w\" %s", separator, name == NULL ? "" : name,
                          declared_type(of));
    }
    sqlite3_free(name);
    if (!repeats) return;
  }
}

static int declare(sqlite3* db, const pco_table* table) {
  sqlite3_str* text = sqlite3_str_new(db);
  sqlite3_str_appendall(text, "CREATE TABLE x(");
  for (size_t i = 0; i < table->column_count; i++) append_column(text, table, i);
  sqlite3_str_appendall(text, ")");
  char* sql = sqlite3_str_finish(text);
  if (sql == NULL) return SQLITE_NOMEM;
  const int result = sqlite3_declare_vtab(db, sql);
  sqlite3_free(sql);
  return result;
}

static int connect_table(sqlite3* db, void* data, int count, const char* const* arguments,
                         sqlite3_vtab** made, char** error) {
  (void)data;
  if (count != 4) {
    *error = sqlite3_mprintf("USING pco('PATH'): one argument, a folder or a file");
    return SQLITE_ERROR;
  }
  /* A schema that came with an untrusted database must not open files. */
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  char* path = unquoted(arguments[3]);
  pco_vtab* vtab = sqlite3_malloc64(sizeof *vtab);
  if (path == NULL || vtab == NULL) {
    sqlite3_free(path);
    sqlite3_free(vtab);
    return SQLITE_NOMEM;
  }
  memset(vtab, 0, sizeof *vtab);
  pco_failure failure;
  int result = SQLITE_OK;
  vtab->table = pco_table_open(path, &failure);
  sqlite3_free(path);
  if (vtab->table == NULL) {
    *error = sqlite3_mprintf("%s", failure.text);
    result = SQLITE_ERROR;
  } else if (vtab->table->column_count == 0) {
    *error = sqlite3_mprintf("the table has no columns, which SQLite needs");
    result = SQLITE_ERROR;
  } else {
    result = declare(db, vtab->table);
    if (result != SQLITE_OK) *error = sqlite3_mprintf("%s", sqlite3_errmsg(db));
  }
  if (result == SQLITE_OK) {
    *made = &vtab->base;
    return SQLITE_OK;
  }
  pco_table_close(vtab->table);
  sqlite3_free(vtab);
  return result;
}

static int connect_function(sqlite3* db, void* data, int count, const char* const* arguments,
                            sqlite3_vtab** made, char** error) {
  (void)data, (void)count, (void)arguments, (void)error;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  const int result = sqlite3_declare_vtab(db, "CREATE TABLE x(value, path HIDDEN, column HIDDEN)");
  if (result != SQLITE_OK) return result;
  pco_vtab* vtab = sqlite3_malloc64(sizeof *vtab);
  if (vtab == NULL) return SQLITE_NOMEM;
  memset(vtab, 0, sizeof *vtab);
  *made = &vtab->base;
  return SQLITE_OK;
}

static int disconnect(sqlite3_vtab* base) {
  pco_vtab* vtab = (pco_vtab*)base;
  pco_table_close(vtab->table);
  sqlite3_free(vtab);
  return SQLITE_OK;
}

/* ---- planning ---- */

/* A term of a plan as idxStr has it: the column, -1 for the rowid, and the comparison. */
static int plan_letter(unsigned char op) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return '=';
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
      return '>';
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
      return '<';
    default:
      return 0;
  }
}

static void plan_order(sqlite3_index_info* info) {
  /* Rows come in the order of the rowid. */
  info->orderByConsumed =
      info->nOrderBy == 1 && info->aOrderBy[0].iColumn == -1 && !info->aOrderBy[0].desc;
}

static int plan_table(sqlite3_vtab* base, sqlite3_index_info* info) {
  const pco_vtab* vtab = (const pco_vtab*)base;
  double rows = (double)vtab->table->rows;
  int terms = 0;
  sqlite3_str* text = sqlite3_str_new(NULL);
  for (int i = 0; i < info->nConstraint && terms < MAX_PLAN_TERMS; i++) {
    const int letter = plan_letter(info->aConstraint[i].op);
    const int column = info->aConstraint[i].iColumn;
    if (!info->aConstraint[i].usable || letter == 0) continue;
    if (column >= 0 && vtab->table->columns[column].kind == PCO_OTHER) continue;
    /* The rows are compared again by SQLite: omit stays 0. */
    info->aConstraintUsage[i].argvIndex = ++terms;
    sqlite3_str_appendf(text, "%c%d", letter, column);
    rows = column < 0 && letter == '=' ? 1 : rows * bound_share;
    if (column < 0 && letter == '=') info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
  }
  info->idxStr = sqlite3_str_finish(text);
  info->needToFreeIdxStr = info->idxStr != NULL;
  info->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
  info->estimatedCost = rows < 1 ? 1 : rows;
  plan_order(info);
  return SQLITE_OK;
}

static int plan_function(sqlite3_vtab* base, sqlite3_index_info* info) {
  int arguments[2] = {-1, -1};
  for (int i = 0; i < info->nConstraint; i++) {
    const int column = info->aConstraint[i].iColumn;
    if (column != FUNCTION_PATH && column != FUNCTION_COLUMN) continue;
    if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
    arguments[column - FUNCTION_PATH] = i;
  }
  if (arguments[0] < 0) {
    base->zErrMsg = sqlite3_mprintf("read_pco(PATH [, COLUMN]) needs the path of a file or folder");
    return SQLITE_ERROR;
  }
  for (int i = 0, next = 1; i < 2; i++) {
    if (arguments[i] < 0) continue;
    info->aConstraintUsage[arguments[i]].argvIndex = next++;
    info->aConstraintUsage[arguments[i]].omit = 1;
  }
  info->estimatedCost = 1e6;
  plan_order(info);
  return SQLITE_OK;
}

/* ---- scanning ---- */

static int open_scan(sqlite3_vtab* base, sqlite3_vtab_cursor** made) {
  (void)base;
  pco_scan* scan = sqlite3_malloc64(sizeof *scan);
  if (scan == NULL) return SQLITE_NOMEM;
  memset(scan, 0, sizeof *scan);
  *made = &scan->base;
  return SQLITE_OK;
}

static void end_scan(pco_scan* scan) {
  pco_cursor_destroy(scan->cursor);
  for (size_t i = 0; scan->batches != NULL && i < scan->table->column_count; i++) {
    free(scan->batches[i].numbers);
  }
  free(scan->batches);
  pco_ranges_free(&scan->ranges);
  pco_table_close(scan->own);
  sqlite3_free(scan->path);
  sqlite3_free(scan->column_name);
  const sqlite3_vtab_cursor base = scan->base;
  memset(scan, 0, sizeof *scan);
  scan->base = base;
}

static int close_scan(sqlite3_vtab_cursor* base) {
  end_scan((pco_scan*)base);
  sqlite3_free(base);
  return SQLITE_OK;
}

/* Begins with all rows of a table. */
static int begin(pco_scan* scan, pco_table* table, pco_failure* failure) {
  scan->table = table;
  scan->batches = calloc(table->column_count, sizeof *scan->batches);
  scan->cursor = pco_cursor_create(table, failure);
  if (scan->cursor == NULL) return 0;
  if (scan->batches == NULL || !pco_ranges_add(&scan->ranges, 0, table->rows)) {
    return pco_fail(failure, "out of memory");
  }
  return 1;
}

/* Sets the sides of a bound that a comparison with a number gives. */
static void set_bound(pco_bound* bound, numpact_type type, char op, sqlite3_value* value) {
  for (int is_low = 0; is_low < 2; is_low++) {
    if ((op == '<' && is_low) || (op == '>' && !is_low)) continue;
    if (sqlite3_value_type(value) == SQLITE_INTEGER) {
      pco_bound_set_i64(bound, type, is_low, sqlite3_value_int64(value));
    } else {
      pco_bound_set_f64(bound, type, is_low, sqlite3_value_double(value));
    }
  }
}

/* A term on the rowid, which is one more than the row. */
static int bound_rowid(pco_scan* scan, char op, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return 1;
  pco_bound bound;
  memset(&bound, 0, sizeof bound);
  set_bound(&bound, NUMPACT_I64, op, value);
  uint64_t first = 0;
  uint64_t end = UINT64_MAX;
  if (bound.has_low && bound.low.i > 1) first = (uint64_t)bound.low.i - 1;
  if (bound.has_high) end = bound.high.i < 1 ? 0 : (uint64_t)bound.high.i;
  return pco_ranges_keep(&scan->ranges, first, end);
}

/* A term on a column: chunks without a number in the bound are left out. */
static int bound_column(pco_scan* scan, pco_table* table, size_t column, char op,
                        sqlite3_value* value, pco_failure* failure) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) {
    scan->ranges.count = 0; /* no comparison with null is true */
    return 1;
  }
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return 1;
  if (!pco_table_load(table, column, failure)) return 0;
  pco_bound bound;
  memset(&bound, 0, sizeof bound);
  bound.column = column;
  set_bound(&bound, table->columns[column].type, op, value);
  return pco_table_prune(table, &bound, &scan->ranges, failure);
}

static void start(pco_scan* scan) {
  scan->range = 0;
  if (scan->ranges.count > 0) scan->row = scan->ranges.items[0].first;
}

static int filter_table(sqlite3_vtab_cursor* base, int plan, const char* text, int count,
                        sqlite3_value** values) {
  (void)plan;
  pco_scan* scan = (pco_scan*)base;
  pco_vtab* vtab = (pco_vtab*)base->pVtab;
  end_scan(scan);
  pco_failure failure;
  if (!begin(scan, vtab->table, &failure)) return set_error(base->pVtab, &failure);
  for (int i = 0; i < count && text != NULL; i++) {
    const char op = *text;
    char* end = NULL;
    const long column = strtol(text + 1, &end, 10);
    text = end;
    if (column < 0) {
      if (!bound_rowid(scan, op, values[i])) return SQLITE_NOMEM;
    } else if (!bound_column(scan, vtab->table, (size_t)column, op, values[i], &failure)) {
      return set_error(base->pVtab, &failure);
    }
  }
  start(scan);
  return SQLITE_OK;
}

static int pick_column(pco_scan* scan, pco_failure* failure) {
  if (scan->column_name == NULL) {
    if (scan->own->column_count == 1) return 1;
    return pco_fail(failure, "%s has %llu columns: name one, read_pco(PATH, COLUMN)", scan->path,
                    (unsigned long long)scan->own->column_count);
  }
  for (size_t i = 0; i < scan->own->column_count; i++) {
    if (strcmp(scan->own->columns[i].name, scan->column_name) == 0) {
      scan->column = i;
      return 1;
    }
  }
  return pco_fail(failure, "%s has no column \"%s\"", scan->path, scan->column_name);
}

static int filter_function(sqlite3_vtab_cursor* base, int plan, const char* text, int count,
                           sqlite3_value** values) {
  (void)plan, (void)text;
  pco_scan* scan = (pco_scan*)base;
  end_scan(scan);
  const char* path = count > 0 ? (const char*)sqlite3_value_text(values[0]) : NULL;
  const char* name = count > 1 ? (const char*)sqlite3_value_text(values[1]) : NULL;
  if (path == NULL || (count > 1 && name == NULL)) return SQLITE_OK; /* null: no rows */
  scan->path = sqlite3_mprintf("%s", path);
  scan->column_name = name == NULL ? NULL : sqlite3_mprintf("%s", name);
  if (scan->path == NULL || (name != NULL && scan->column_name == NULL)) return SQLITE_NOMEM;
  pco_failure failure;
  scan->own = pco_table_open(scan->path, &failure);
  if (scan->own == NULL || !begin(scan, scan->own, &failure) || !pick_column(scan, &failure)) {
    return set_error(base->pVtab, &failure);
  }
  start(scan);
  return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor* base) {
  pco_scan* scan = (pco_scan*)base;
  if (++scan->row < scan->ranges.items[scan->range].end) return SQLITE_OK;
  if (++scan->range < scan->ranges.count) scan->row = scan->ranges.items[scan->range].first;
  return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor* base) {
  const pco_scan* scan = (const pco_scan*)base;
  return scan->range >= scan->ranges.count;
}

static int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
  *id = (sqlite3_int64)((const pco_scan*)base)->row + 1;
  return SQLITE_OK;
}

/* ---- values ---- */

static void result_float(sqlite3_context* context, numpact_type type, const uint8_t* at) {
  if (type == NUMPACT_F64) {
    double value;
    memcpy(&value, at, sizeof value);
    sqlite3_result_double(context, value);
  } else if (type == NUMPACT_F32) {
    float value;
    memcpy(&value, at, sizeof value);
    sqlite3_result_double(context, (double)value);
  } else {
    uint16_t bits;
    memcpy(&bits, at, sizeof bits);
    sqlite3_result_double(context, (double)pco_half_to_float(bits));
  }
}

#define RESULT_INTEGER(context, at, type_name)              \
  do {                                                      \
    type_name number;                                       \
    memcpy(&number, at, sizeof number);                     \
    sqlite3_result_int64(context, (sqlite3_int64)(number)); \
  } while (0)

static void result_number(sqlite3_context* context, numpact_type type, const uint8_t* at) {
  switch (type) {
    case NUMPACT_U8:
      RESULT_INTEGER(context, at, uint8_t);
      break;
    case NUMPACT_I8:
      RESULT_INTEGER(context, at, int8_t);
      break;
    case NUMPACT_U16:
      RESULT_INTEGER(context, at, uint16_t);
      break;
    case NUMPACT_I16:
      RESULT_INTEGER(context, at, int16_t);
      break;
    case NUMPACT_U32:
      RESULT_INTEGER(context, at, uint32_t);
      break;
    case NUMPACT_I32:
      RESULT_INTEGER(context, at, int32_t);
      break;
    case NUMPACT_I64:
      RESULT_INTEGER(context, at, int64_t);
      break;
    case NUMPACT_U64: {
      uint64_t number;
      memcpy(&number, at, sizeof number);
      /* As SQLite reads literals beyond its integers. */
      if (number > INT64_MAX) {
        sqlite3_result_double(context, (double)number);
      } else {
        sqlite3_result_int64(context, (sqlite3_int64)number);
      }
      break;
    }
    default:
      result_float(context, type, at);
  }
}

static int read_batch(pco_scan* scan, size_t column, pco_failure* failure) {
  batch* into = &scan->batches[column];
  if (!pco_table_load(scan->table, column, failure)) return 0;
  const size_t size = numpact_type_size(scan->table->columns[column].type);
  if (into->numbers == NULL) into->numbers = malloc(BATCH_ROWS * size);
  if (into->numbers == NULL) return pco_fail(failure, "out of memory");
  const uint64_t end = scan->ranges.items[scan->range].end;
  const uint64_t left = end - scan->row;
  const size_t count = left < BATCH_ROWS ? (size_t)left : BATCH_ROWS;
  into->count = 0;
  if (!pco_cursor_read(scan->cursor, column, scan->row, count, end, into->numbers, into->valid,
                       failure)) {
    return 0;
  }
  into->first = scan->row;
  into->count = count;
  return 1;
}

static int column_value(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  pco_scan* scan = (pco_scan*)base;
  size_t column = (size_t)index;
  if (scan->own != NULL) {
    if (index == FUNCTION_PATH) sqlite3_result_text(context, scan->path, -1, SQLITE_TRANSIENT);
    if (index == FUNCTION_COLUMN) {
      sqlite3_result_text(context, scan->own->columns[scan->column].name, -1, SQLITE_TRANSIENT);
    }
    if (index != FUNCTION_VALUE) return SQLITE_OK;
    column = scan->column;
  }
  const batch* from = &scan->batches[column];
  if (scan->row < from->first || scan->row - from->first >= from->count) {
    pco_failure failure;
    if (!read_batch(scan, column, &failure)) return set_error(base->pVtab, &failure);
  }
  const size_t at = (size_t)(scan->row - from->first);
  if (!from->valid[at]) return SQLITE_OK; /* null */
  const numpact_type type = scan->table->columns[column].type;
  result_number(context, type, from->numbers + at * numpact_type_size(type));
  return SQLITE_OK;
}

/* ---- modules ---- */

static sqlite3_module table_module = {
    .iVersion = 0,
    .xCreate = connect_table,
    .xConnect = connect_table,
    .xBestIndex = plan_table,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open_scan,
    .xClose = close_scan,
    .xFilter = filter_table,
    .xNext = next_row,
    .xEof = at_end,
    .xColumn = column_value,
    .xRowid = row_id,
};

/* Without xCreate it is a function only. */
static sqlite3_module function_module = {
    .iVersion = 0,
    .xConnect = connect_function,
    .xBestIndex = plan_function,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open_scan,
    .xClose = close_scan,
    .xFilter = filter_function,
    .xNext = next_row,
    .xEof = at_end,
    .xColumn = column_value,
    .xRowid = row_id,
};

#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
    int sqlite3_numpact_init(sqlite3* db, char** error, const sqlite3_api_routines* api) {
  (void)error;
  SQLITE_EXTENSION_INIT2(api)
  const int result = sqlite3_create_module_v2(db, "pco", &table_module, NULL, NULL);
  if (result != SQLITE_OK) return result;
  return sqlite3_create_module_v2(db, "read_pco", &function_module, NULL, NULL);
}
