/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the table function read_pco; internal to this folder. */
#ifndef NUMPACT_DUCKDB_READ_PCO_H
#define NUMPACT_DUCKDB_READ_PCO_H

#define DUCKDB_EXTENSION_NAME numpact
/* DuckDB 2.0.0 has no stable function in this interface yet: the extension serves one version. */
#define DUCKDB_V2_API_ALLOW_UNSTABLE 1
#include <duckdb_extension_v2.h>

#include "open_table.h"

DUCKDB_EXTENSION_EXTERN

typedef duckdb_v2_error_info_handle* error_slot;

/* Sets a message in an error slot. */
void set_error(error_slot err, DUCKDB_V2_ERROR code, const char* text);

/* ---- access: what DuckDB's settings allow to be opened ---- */

typedef struct access_check {
  duckdb_v2_file_system_handle files;
  DUCKDB_V2_ERROR code; /* of the last refusal */
} access_check;

/* 0: the slot has an error. */
int access_begin(access_check* check, duckdb_v2_context_handle context, error_slot err);
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

/* ---- values ---- */

/* The type of DuckDB that holds the values of a column, and its name. */
DUCKDB_V2_LOGICAL_TYPE_ID value_type(const numpact_table_column* column);
const char* value_type_name(const numpact_table_column* column);
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

/* Adds the conditions of a filter on single columns; unknown ones are ignored. 0: out of memory. */
int bounds_add_filter(bounds* made, const open_table* table,
                      duckdb_v2_table_function_filter_pushdown_info_handle info,
                      duckdb_v2_expression_handle filter);
void bounds_free(bounds* made);

/* ---- the functions ---- */

/* Opens the sources that the first argument names; 0: the slot has an error. */
int open_argument(sources* made, duckdb_v2_function_bind_info_handle arguments,
                  duckdb_v2_context_handle context, error_slot err);
/* Declares a result column; 0: the slot has an error. */
int add_column(duckdb_v2_table_function_bind_info_handle result, duckdb_v2_factory_handle factory,
               const char* name, DUCKDB_V2_LOGICAL_TYPE_ID type, error_slot err);

void set_read_pco_callbacks(duckdb_v2_table_function_handle function);
void set_pco_columns_callbacks(duckdb_v2_table_function_handle function);

#endif
