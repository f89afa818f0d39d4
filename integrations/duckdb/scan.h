/* SPDX-License-Identifier: Apache-2.0 */
/* What the extension does apart from the interface of DuckDB: its two builds, for the C API of one
 * version (read_pco.h) and for the stable one of many (stable.c), share it. Internal. */
#ifndef NUMPACT_DUCKDB_SCAN_H
#define NUMPACT_DUCKDB_SCAN_H

#include <stdbool.h>

#include "open_table.h"

/* ---- access: what DuckDB's settings allow to be opened; each build has its own ---- */

typedef struct access_check access_check;

/* Asks DuckDB to open a file, or a folder's file `name`. The reader refuses other
 * objects than regular files, without opening them. */
int access_file(access_check* check, const char* path, const char* name, failure* why);
/* Asks DuckDB to search a pattern. */
int access_pattern(access_check* check, const char* pattern, failure* why);

/* ---- sources: the tables that a path or pattern names ---- */

typedef struct sources {
  open_table** tables;
  size_t count;
  char** names; /* of the columns: those of the first table, made unique */
  size_t column_count;
} sources;

/* Opens a folder or file, or those that a pattern matches, in the order of their paths; all have
 * the columns of the first. */
int sources_open(sources* made, const char* pattern, access_check* check, failure* why);
void sources_close(sources* made);
uint64_t sources_rows(const sources* from);

/* ---- values ---- */

/* Types of DuckDB. */
typedef enum value_kind {
  VALUE_BOOLEAN,
  VALUE_TINYINT,
  VALUE_SMALLINT,
  VALUE_INTEGER,
  VALUE_BIGINT,
  VALUE_UTINYINT,
  VALUE_USMALLINT,
  VALUE_UINTEGER,
  VALUE_UBIGINT,
  VALUE_FLOAT,
  VALUE_DOUBLE,
  VALUE_DATE,
  VALUE_TIME,
  VALUE_TIME_NS,
  VALUE_TIMESTAMP_S,
  VALUE_TIMESTAMP_MS,
  VALUE_TIMESTAMP,
  VALUE_TIMESTAMP_NS,
  VALUE_TIMESTAMP_TZ,
  VALUE_TIMESTAMP_TZ_NS,
  VALUE_INTERVAL,
  VALUE_VARCHAR,
  VALUE_BLOB,
  VALUE_DECIMAL, /* has digits as well: value_type_name() */
  VALUE_KINDS
} value_kind;

/* Whether the build has VALUE_TIME_NS and VALUE_TIMESTAMP_TZ_NS. Without them such columns are of
 * microseconds, and a value that is no whole count of these is an error. */
extern const int has_nano_types;

enum { TYPE_NAME_SIZE = 24 }; /* of the longest name that is made, "DECIMAL(18,18)" */

/* The type of DuckDB that holds the values of a column, and its name, for which `made` has
 * TYPE_NAME_SIZE bytes. */
value_kind value_type(const numpact_table_column* column);
const char* value_type_name(const numpact_table_column* column, char* made);
int has_zone(const numpact_table_column* column);
/* Whether the numbers of a column are values of DuckDB, bit for bit. */
int value_is_number(const numpact_table_column* column);
/* Checks `count` numbers of such a column; those of null rows are ignored. 0: one is no value of
 * its type, or one that stands for infinity there. */
int check_values(const numpact_table_column* column, const void* numbers, const uint8_t* valid,
                 size_t count, failure* why);
/* Converts `count` numbers; those of null rows are ignored. 0: a value is out of range. */
int convert_values(const numpact_table_column* column, const void* numbers, const uint8_t* valid,
                   size_t count, void* out, failure* why);

/* ---- bounds of filters ---- */

/* Conditions that must hold, each with one value at its index. */
typedef struct bounds {
  numpact_table_condition* conditions;
  numpact_table_value* values;
  size_t count;
  size_t capacity;
} bounds;

void bounds_free(bounds* made);

/* ---- scan: threads take parts of the tables, ranges of rows, and read them in order ---- */

typedef struct scan_part scan_part;

typedef struct pco_scan {
  const sources* from;
  numpact_table_scan** scans; /* by table */
  size_t* columns;            /* of the table, by vectors of the output; owned */
  size_t column_count;
  scan_part* parts;
  size_t part_count;
  size_t next; /* atomic */
} pco_scan;

/* Opens what is read, and cuts the rows that may match into parts. `made` has the columns. */
int scan_begin(pco_scan* made, const sources* from, bounds* filters, access_check* check,
               failure* why);
void scan_end(pco_scan* scan);
/* Parts that are begun, of all: 0 to 1. */
double scan_progress(const pco_scan* scan);

/* The state of a thread. */
typedef struct scan_cursor {
  size_t part;
  uint64_t row; /* next of the part */
  numpact_table_cursor* cursor;
  size_t table; /* of the cursor */
  uint64_t* numbers;
  uint8_t* valid; /* of the values that were read last: 0 for null rows */
  size_t capacity;
} scan_cursor;

void cursor_begin(scan_cursor* made);
void cursor_end(scan_cursor* cursor);
/* The count of rows that are read next, at most `capacity`; 0: the end. */
int cursor_next(pco_scan* scan, scan_cursor* cursor, size_t capacity, size_t* count, failure* why);
/* Reads values of these rows for a vector of the output. Of a column of texts it leaves numbers in
 * the cursor, which cursor_texts() gives. */
int cursor_read(const pco_scan* scan, scan_cursor* cursor, size_t vector, size_t count, void* data,
                failure* why);
/* Whether the column of a vector has texts, of any bytes; then those that rows of the last
 * cursor_read() have. */
int cursor_has_texts(const pco_scan* scan, const scan_cursor* cursor, size_t vector);
int cursor_has_bytes(const pco_scan* scan, const scan_cursor* cursor, size_t vector);
int cursor_texts(const pco_scan* scan, const scan_cursor* cursor, size_t vector,
                 numpact_table_texts* texts, failure* why);
/* The place among them of the text of a row. */
uint32_t cursor_place(const pco_scan* scan, const scan_cursor* cursor, size_t vector, size_t row);
/* Goes on behind these rows. */
void cursor_advance(scan_cursor* cursor, size_t count);
/* The order of the rows is that of the parts. */
size_t cursor_part(const scan_cursor* cursor);

/* Clears the bits of null rows. */
void write_validity(const uint8_t* valid, size_t count, uint64_t* bits);
int has_nulls(const uint8_t* valid, size_t count);

#endif
