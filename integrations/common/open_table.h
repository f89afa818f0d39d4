/* SPDX-License-Identifier: Apache-2.0 */
/* A table of numpact for the plug-ins of databases: what numpact/table.h opens, with the columns at
 * hand and names that SQL can have. */
#ifndef NUMPACT_INTEGRATIONS_OPEN_TABLE_H
#define NUMPACT_INTEGRATIONS_OPEN_TABLE_H

#include <numpact/numpact.h>
#include <numpact/table.h>
#include <stddef.h>
#include <stdint.h>

/* A message: a path or column, and the reason. Longer ones are cut. */
typedef struct failure {
  char text[512];
} failure;

/* Writes a message as printf does; returns 0. */
int fail(failure* why, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

typedef struct open_table {
  numpact_table* table;
  char* path;
  int is_folder; /* for whoever opens it to set */
  uint64_t rows;
  size_t column_count;
  numpact_table_column* columns;
  char** names; /* a zero byte is shown as the picture of one */
} open_table;

/* Opens a folder or a Pco file. Null: failed, also if rows of columns do not belong together. */
open_table* open_table_at(const char* path, failure* why);
/* Whether bytes lie behind the end of a single file, which are not read; writes a line about it. */
int has_warning(const open_table* table, failure* line);
/* Null is allowed. */
void close_table(open_table* table);

/* Binds a query. Null: failed. */
numpact_table_scan* scan_table(const open_table* table, const numpact_table_query* query,
                               failure* why);
/* Null: out of memory. */
numpact_table_cursor* read_scan(const numpact_table_scan* scan, failure* why);
/* Whether a column has texts that numbers stand for, and whether these may be any bytes. */
int is_text_column(const numpact_table_column* column);
int is_bytes_column(const numpact_table_column* column);
/* The place among texts that a number says. */
uint32_t text_place(numpact_type type, const void* numbers, size_t index);
/* Reads rows of a column; a chunk is decoded up to row `ahead`. 0: failed. */
int read_rows(numpact_table_cursor* cursor, size_t column, uint64_t row, size_t count,
              uint64_t ahead, void* numbers, uint8_t* valid, failure* why);

int is_float_type(numpact_type type);
int is_signed_type(numpact_type type);

#endif
