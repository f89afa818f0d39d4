/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of Pco files for database plug-ins: a folder of columns (docs/format/table-folder.md), or
 * one file as a table of one column. Reads rows by ranges, and skips chunks by the ranges of
 * their numbers. Uses the C interface of numpact only.
 *
 * Threads may share a table whose columns are loaded, each with a cursor of its own. Functions
 * return 1, or 0 with a message in `failure`. */
#ifndef NUMPACT_INTEGRATIONS_PCO_TABLE_H
#define NUMPACT_INTEGRATIONS_PCO_TABLE_H

#include <numpact/numpact.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a message: a path or column, and the reason. Longer ones are cut. */
enum { PCO_FAILURE_BYTES = 512 };

typedef struct pco_failure {
  char text[PCO_FAILURE_BYTES];
} pco_failure;

/* Writes a message as printf does; returns 0. */
int pco_fail(pco_failure* failure, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

typedef enum pco_kind {
  PCO_NUMBER,
  PCO_BOOL,      /* u8, 0 and 1 */
  PCO_DATE32,    /* i32, days */
  PCO_DATE64,    /* i64, milliseconds */
  PCO_TIME32,    /* i32 since midnight */
  PCO_TIME64,    /* i64 since midnight */
  PCO_TIMESTAMP, /* i64 since 1970 */
  PCO_DURATION,  /* i64 */
  PCO_OTHER      /* in a file of Arrow, which is not read */
} pco_kind;

typedef enum pco_unit { PCO_NO_UNIT, PCO_S, PCO_MS, PCO_US, PCO_NS } pco_unit;

typedef struct pco_column {
  char* name;
  char* file;      /* in the folder */
  char* null_file; /* null: no row is null */
  char* type_text; /* PCO_OTHER: the type as Arrow prints it */
  pco_kind kind;
  pco_unit unit;
  int has_timezone;
  numpact_type type;
  uint64_t numbers;
  uint64_t nulls; /* rows = numbers + nulls; 0 for PCO_OTHER, whose nulls are not known */
} pco_column;

typedef struct pco_data pco_data;
typedef struct pco_files pco_files;

typedef struct pco_table {
  char* path;
  int is_file;
  int folder; /* descriptor of the folder, -1 for a file */
  uint64_t rows;
  size_t column_count;
  pco_column* columns;
  pco_data** data;  /* by column; null until it is loaded */
  pco_files* files; /* by column */
} pco_table;

/* Opens a folder by its manifest, or a file by its positions of chunks: from the trailer, or else
 * by walking the file, at about half the cost of decoding it. All files of a folder are mapped (of
 * more than 256 size and time are noted), so that they belong to one version of the table. Null:
 * failed, also if rows of columns do not belong together. */
pco_table* pco_table_open(const char* path, pco_failure* failure);
/* Null is allowed. */
void pco_table_close(pco_table* table);

/* Reads the heads of a column's files, and compares them with the manifest. Not while other threads
 * use the table. */
int pco_table_load(pco_table* table, size_t column, pco_failure* failure);

/* Bytes of the files of a loaded column. */
uint64_t pco_table_bytes(const pco_table* table, size_t column);
size_t pco_table_chunks(const pco_table* table, size_t column);

/* ---- rows that may match ---- */

typedef struct pco_range {
  uint64_t first;
  uint64_t end;
} pco_range;

/* Ranges of rows, ascending, apart and not empty. */
typedef struct pco_ranges {
  pco_range* items;
  size_t count;
  size_t capacity;
} pco_ranges;

/* 0: out of memory. */
int pco_ranges_add(pco_ranges* ranges, uint64_t first, uint64_t end);
/* Keeps the rows first to end - 1. 0: out of memory. */
int pco_ranges_keep(pco_ranges* ranges, uint64_t first, uint64_t end);
void pco_ranges_free(pco_ranges* ranges);

/* A value of a bound, as the numbers of the column are stored: signed, unsigned or float. */
typedef struct pco_bound {
  size_t column;
  int has_low;
  int has_high; /* both inclusive; the caller compares the rows again */
  int nan_matches;
  union {
    int64_t i;
    uint64_t u;
    double f;
  } low, high;
} pco_bound;

int pco_type_is_float(numpact_type type);
int pco_type_is_signed(numpact_type type);

/* Sets one side of a bound, rounded outwards to what the column's type can hold. */
void pco_bound_set_i64(pco_bound* bound, numpact_type type, int is_low, int64_t value);
void pco_bound_set_u64(pco_bound* bound, numpact_type type, int is_low, uint64_t value);
/* NaN sets nothing. */
void pco_bound_set_f64(pco_bound* bound, numpact_type type, int is_low, double value);

/* Keeps the rows of `ranges` whose chunk may hold a number within the bound. Null rows match no
 * bound. The column is loaded. */
int pco_table_prune(const pco_table* table, const pco_bound* bound, pco_ranges* ranges,
                    pco_failure* failure);

/* Cuts ranges into parts of at least `min_count` rows, which threads read: where chunks of a loaded
 * column end, or anywhere in chunks with restart points. */
int pco_table_cut(const pco_table* table, size_t column, uint64_t min_count, pco_ranges* ranges,
                  pco_failure* failure);

/* ---- reading ---- */

/* Scratch memory of one thread: for each column a window of decoded numbers. */
typedef struct pco_cursor pco_cursor;

pco_cursor* pco_cursor_create(const pco_table* table, pco_failure* failure);
void pco_cursor_destroy(pco_cursor* cursor);
/* Reads rows row to row + count - 1 of a loaded column: numbers of the column's type, 0 for null
 * rows. `valid` (count): 0 for null rows, else 1. A chunk is decoded up to row `ahead`, which the
 * caller will read next. */
int pco_cursor_read(pco_cursor* cursor, size_t column, uint64_t row, size_t count, uint64_t ahead,
                    void* numbers, uint8_t* valid, pco_failure* failure);

/* The value of 16 bits of binary16. */
float pco_half_to_float(uint16_t bits);

#endif
