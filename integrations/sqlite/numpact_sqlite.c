/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of Pco files in SQLite: CREATE VIRTUAL TABLE t USING pco('PATH'), and read_pco(PATH). */
#include <math.h>
#include <sqlite3ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "open_table.h"

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
  open_table* table; /* null: a function, whose cursors open tables */
  int is_utf8;       /* texts of the database are in the order of their bytes here */
} pco_vtab;

typedef struct batch {
  uint64_t first;
  size_t count; /* 0: nothing was read */
  uint8_t* numbers;
  numpact_table_texts texts; /* of a column of them */
  uint8_t valid[BATCH_ROWS];
} batch;

typedef struct pco_scan {
  sqlite3_vtab_cursor base;
  open_table* own; /* of a function */
  size_t column;   /* of a function */
  open_table* table;
  numpact_table_cursor* cursor;
  batch* batches; /* by column */
  numpact_table_scan* scan;
  size_t range;
  uint64_t row;
  uint64_t end; /* of the range; the row: there is no other range */
  char* path;   /* the arguments of a function */
  char* column_name;
} pco_scan;

static int set_error(sqlite3_vtab* vtab, const failure* why) {
  sqlite3_free(vtab->zErrMsg);
  vtab->zErrMsg = sqlite3_mprintf("%s", why->text);
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

static const char* declared_type(const numpact_table_column* column) {
  if (column->kind == NUMPACT_TABLE_OTHER) return "";
  if (is_text_column(column)) return is_bytes_column(column) ? "BLOB" : "TEXT";
  const int is_real = is_float_type(column->type) || column->kind == NUMPACT_TABLE_DECIMAL;
  return is_real ? "REAL" : "INTEGER";
}

/* Names that repeat, without case, get a number: SQLite needs them to differ. */
static int name_repeats(const open_table* table, size_t column, const char* name) {
  for (size_t i = 0; i < table->column_count; i++) {
    if (i != column && sqlite3_stricmp(table->names[i], name) == 0) {
      if (i < column || name != table->names[column]) return 1;
    }
  }
  return 0;
}

static void append_column(sqlite3_str* text, const open_table* table, size_t column) {
  const char* name = table->names[column];
  const char* type = declared_type(&table->columns[column]);
  const char* separator = column == 0 ? "" : ", ";
  if (!name_repeats(table, column, name)) {
    sqlite3_str_appendf(text, "%s\"%w\" %s", separator, name, type);
    return;
  }
  for (unsigned copy = 2;; copy++) {
    char* numbered = sqlite3_mprintf("%s_%u", name, copy);
    const int repeats = numbered != NULL && name_repeats(table, column, numbered);
    if (!repeats) {
      sqlite3_str_appendf(text, "%s\"%w\" %s", separator, numbered == NULL ? "" : numbered, type);
    }
    sqlite3_free(numbered);
    if (!repeats) return;
  }
}

static int declare(sqlite3* db, const open_table* table) {
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

/* Opens a table. SQLite has no other channel for warnings than its log. */
static open_table* open_at(const char* path, failure* why) {
  open_table* table = open_table_at(path, why);
  failure line;
  if (table != NULL && has_warning(table, &line)) sqlite3_log(SQLITE_WARNING, "%s", line.text);
  return table;
}

static int is_utf8_database(sqlite3* db) {
  sqlite3_stmt* statement = NULL;
  int is = 0;
  if (sqlite3_prepare_v2(db, "PRAGMA encoding", -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    const char* encoding = (const char*)sqlite3_column_text(statement, 0);
    is = encoding != NULL && strcmp(encoding, "UTF-8") == 0;
  }
  sqlite3_finalize(statement);
  return is;
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
  vtab->is_utf8 = is_utf8_database(db);
  failure why;
  int result = SQLITE_OK;
  vtab->table = open_at(path, &why);
  sqlite3_free(path);
  if (vtab->table == NULL) {
    *error = sqlite3_mprintf("%s", why.text);
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
  close_table(vtab->table);
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
  close_table(vtab->table);
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

/* Texts are in the order of their bytes in UTF-8. Another collation has another order, and so has
 * BINARY in a database of UTF-16. */
static int compares_bytes(sqlite3_index_info* info, int term, const pco_vtab* vtab, int column) {
  if (!is_text_column(&vtab->table->columns[column])) return 1;
  return strcmp(sqlite3_vtab_collation(info, term), "BINARY") == 0 &&
         (vtab->is_utf8 || info->aConstraint[term].op == SQLITE_INDEX_CONSTRAINT_EQ);
}

/* Whether stored numbers are in the order of SQLite's values. Decimals are rounded to these. */
static int has_order(const numpact_table_column* column) {
  return column->kind != NUMPACT_TABLE_OTHER && column->kind != NUMPACT_TABLE_DECIMAL;
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
    if (column >= 0 && !has_order(&vtab->table->columns[column])) continue;
    if (column >= 0 && !compares_bytes(info, i, vtab, column)) continue;
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
  numpact_table_cursor_destroy(scan->cursor);
  for (size_t i = 0; scan->batches != NULL && i < scan->table->column_count; i++) {
    free(scan->batches[i].numbers);
  }
  free(scan->batches);
  numpact_table_scan_destroy(scan->scan);
  close_table(scan->own);
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

/* Goes to the range that scan->range says. */
static void enter_range(pco_scan* scan) {
  scan->row = scan->end = 0;
  numpact_table_scan_range(scan->scan, scan->range, &scan->row, &scan->end, NULL);
}

/* Begins with the rows of a query. */
static int begin(pco_scan* scan, open_table* table, const numpact_table_query* query,
                 failure* why) {
  scan->table = table;
  scan->batches = calloc(table->column_count, sizeof *scan->batches);
  if (scan->batches == NULL) return fail(why, "out of memory");
  scan->scan = scan_table(table, query, why);
  if (scan->scan != NULL) scan->cursor = read_scan(scan->scan, why);
  if (scan->cursor == NULL) return 0;
  enter_range(scan);
  return 1;
}

/* A term on the rowid, which is one more than the row. */
static void bound_rowid(numpact_table_query* query, char op, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  sqlite3_int64 low = 0;
  sqlite3_int64 high = 0;
  if (type == SQLITE_INTEGER) {
    low = high = sqlite3_value_int64(value);
  } else if (type == SQLITE_FLOAT) {
    const double limit = 9223372036854774784.0; /* the last below 2^63 */
    const double number = fmax(-limit, fmin(limit, sqlite3_value_double(value)));
    low = (sqlite3_int64)floor(number);
    high = (sqlite3_int64)ceil(number);
  } else {
    return;
  }
  if (op != '<' && low > 1 && (uint64_t)low - 1 > query->first_row) {
    query->first_row = (uint64_t)low - 1;
  }
  const uint64_t end = high < 1 ? 0 : (uint64_t)high;
  if (op != '>' && end < query->end_row) query->end_row = end;
}

/* A number that is not greater (is_low) or not less than a constant, as SQLite compares it with a
 * column. Beyond 2^53 a double may stand for integers that it is only near to. */
static void set_value(numpact_table_value* made, numpact_type type, sqlite3_value* value,
                      int is_low) {
  const double exact = 9007199254740992.0;
  made->struct_size = sizeof *made;
  made->kind = NUMPACT_TABLE_VALUE_F64;
  made->f64 = sqlite3_value_double(value);
  if (sqlite3_value_type(value) == SQLITE_INTEGER &&
      (!is_float_type(type) || fabs(made->f64) < exact)) {
    made->kind = NUMPACT_TABLE_VALUE_I64;
    made->i64 = sqlite3_value_int64(value);
  } else if (fabs(made->f64) >= exact) {
    made->f64 = nextafter(made->f64, is_low ? -INFINITY : INFINITY);
  }
}

typedef struct terms {
  numpact_table_condition conditions[2 * MAX_PLAN_TERMS];
  numpact_table_value values[2 * MAX_PLAN_TERMS];
} terms;

/* A term on a column of texts, for chunks as bound_column() has it. */
static void bound_text(terms* made, numpact_table_query* query, const numpact_table_column* of,
                       size_t column, char op, sqlite3_value* value) {
  const int type = is_bytes_column(of) ? SQLITE_BLOB : SQLITE_TEXT;
  if (sqlite3_value_type(value) != type) return;
  const size_t at = query->condition_count++;
  numpact_table_value* text = &made->values[at];
  text->struct_size = sizeof *text;
  text->kind = type == SQLITE_BLOB ? NUMPACT_TABLE_VALUE_BYTES : NUMPACT_TABLE_VALUE_TEXT;
  text->text =
      type == SQLITE_BLOB ? sqlite3_value_blob(value) : (const char*)sqlite3_value_text(value);
  text->text_size = (size_t)sqlite3_value_bytes(value);
  numpact_table_condition* condition = &made->conditions[at];
  condition->struct_size = sizeof *condition;
  condition->column = column;
  condition->op = op == '='   ? NUMPACT_TABLE_EQUAL
                  : op == '<' ? NUMPACT_TABLE_LESS_EQUAL
                              : NUMPACT_TABLE_GREATER_EQUAL;
  condition->value_count = 1;
  condition->values = text;
}

/* A term on a column: chunks without a number within it are left out. */
static void bound_column(terms* made, numpact_table_query* query, const open_table* table,
                         size_t column, char op, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) query->end_row = 0; /* no comparison with null is true */
  if (is_text_column(&table->columns[column])) {
    bound_text(made, query, &table->columns[column], column, op, value);
    return;
  }
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
  for (int is_low = 0; is_low < 2; is_low++) {
    if ((op == '<' && is_low) || (op == '>' && !is_low)) continue;
    const size_t at = query->condition_count++;
    set_value(&made->values[at], table->columns[column].type, value, is_low);
    made->conditions[at].struct_size = sizeof made->conditions[at];
    made->conditions[at].column = column;
    made->conditions[at].op = is_low ? NUMPACT_TABLE_GREATER_EQUAL : NUMPACT_TABLE_LESS_EQUAL;
    made->conditions[at].value_count = 1;
    made->conditions[at].values = &made->values[at];
  }
}

static int filter_table(sqlite3_vtab_cursor* base, int plan, const char* text, int count,
                        sqlite3_value** values) {
  (void)plan;
  pco_scan* scan = (pco_scan*)base;
  pco_vtab* vtab = (pco_vtab*)base->pVtab;
  end_scan(scan);
  failure why;
  numpact_table_query query;
  numpact_table_query_init(&query);
  query.end_row = vtab->table->rows;
  terms* made = calloc(1, sizeof *made);
  if (made == NULL) return SQLITE_NOMEM;
  query.conditions = made->conditions;
  for (int i = 0; i < count && text != NULL; i++) {
    const char op = *text;
    char* end = NULL;
    const long column = strtol(text + 1, &end, 10);
    text = end;
    if (column < 0) {
      bound_rowid(&query, op, values[i]);
    } else {
      bound_column(made, &query, vtab->table, (size_t)column, op, values[i]);
    }
  }
  if (query.first_row > query.end_row) query.first_row = query.end_row;
  const int ok = begin(scan, vtab->table, &query, &why);
  free(made);
  return ok ? SQLITE_OK : set_error(base->pVtab, &why);
}

static int pick_column(pco_scan* scan, failure* why) {
  if (scan->column_name == NULL) {
    if (scan->own->column_count == 1) return 1;
    return fail(why, "%s has %llu columns: name one, read_pco(PATH, COLUMN)", scan->path,
                (unsigned long long)scan->own->column_count);
  }
  for (size_t i = 0; i < scan->own->column_count; i++) {
    if (strcmp(scan->own->names[i], scan->column_name) == 0) {
      scan->column = i;
      return 1;
    }
  }
  return fail(why, "%s has no column \"%s\"", scan->path, scan->column_name);
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
  failure why;
  numpact_table_query query;
  numpact_table_query_init(&query);
  scan->own = open_at(scan->path, &why);
  if (scan->own == NULL || !begin(scan, scan->own, &query, &why) || !pick_column(scan, &why)) {
    return set_error(base->pVtab, &why);
  }
  return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor* base) {
  pco_scan* scan = (pco_scan*)base;
  if (++scan->row < scan->end) return SQLITE_OK;
  scan->range++;
  enter_range(scan);
  return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor* base) {
  const pco_scan* scan = (const pco_scan*)base;
  return scan->row >= scan->end;
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
    sqlite3_result_double(context, (double)numpact_half_to_float(bits));
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

/* The nearest double, which has 15 digits of any decimal. */
static void result_decimal(sqlite3_context* context, const numpact_table_column* column,
                           const uint8_t* at) {
  char text[40]; /* of 20 characters and an exponent */
  int64_t number;
  memcpy(&number, at, sizeof number);
  snprintf(text, sizeof text, "%llde-%d", (long long)number, (int)column->scale);
  sqlite3_result_double(context, strtod(text, NULL));
}

static void result_text(sqlite3_context* context, const numpact_table_column* column,
                        const numpact_table_texts* texts, uint32_t place) {
  const char* text = texts->bytes + texts->offsets[place];
  const uint64_t size = texts->offsets[place + 1] - texts->offsets[place];
  if (is_bytes_column(column)) {
    sqlite3_result_blob64(context, text, size, SQLITE_TRANSIENT);
  } else {
    sqlite3_result_text64(context, text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
  }
}

static int read_batch(pco_scan* scan, size_t column, failure* why) {
  batch* into = &scan->batches[column];
  const numpact_type type = scan->table->columns[column].type;
  /* Another column has no type; the reader has the words for it. */
  if (into->numbers == NULL) into->numbers = malloc(BATCH_ROWS * (numpact_type_size(type) + 1));
  if (into->numbers == NULL) return fail(why, "out of memory");
  if (is_text_column(&scan->table->columns[column]) && into->texts.bytes == NULL) {
    into->texts.struct_size = sizeof into->texts;
    if (numpact_table_get_texts(scan->table->table, column, &into->texts, why->text,
                                sizeof why->text, NULL) != NUMPACT_OK) {
      return 0;
    }
  }
  const uint64_t left = scan->end - scan->row;
  const size_t count = left < BATCH_ROWS ? (size_t)left : BATCH_ROWS;
  into->count = 0;
  if (!read_rows(scan->cursor, column, scan->row, count, scan->end, into->numbers, into->valid,
                 why)) {
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
      sqlite3_result_text(context, scan->own->names[scan->column], -1, SQLITE_TRANSIENT);
    }
    if (index != FUNCTION_VALUE) return SQLITE_OK;
    column = scan->column;
  }
  const batch* from = &scan->batches[column];
  if (scan->row < from->first || scan->row - from->first >= from->count) {
    failure why;
    if (!read_batch(scan, column, &why)) return set_error(base->pVtab, &why);
  }
  const size_t at = (size_t)(scan->row - from->first);
  if (!from->valid[at]) return SQLITE_OK; /* null */
  const numpact_type type = scan->table->columns[column].type;
  if (is_text_column(&scan->table->columns[column])) {
    result_text(context, &scan->table->columns[column], &from->texts,
                text_place(type, from->numbers, at));
    return SQLITE_OK;
  }
  const uint8_t* number = from->numbers + at * numpact_type_size(type);
  if (scan->table->columns[column].kind == NUMPACT_TABLE_DECIMAL) {
    result_decimal(context, &scan->table->columns[column], number);
  } else {
    result_number(context, type, number);
  }
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
