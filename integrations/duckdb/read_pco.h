/* SPDX-License-Identifier: Apache-2.0 */
/* The extension by the C API of one version of DuckDB; internal to this folder. */
#ifndef NUMPACT_DUCKDB_READ_PCO_H
#define NUMPACT_DUCKDB_READ_PCO_H

#define DUCKDB_EXTENSION_NAME numpact
/* DuckDB 2.0.0 has no stable function in this interface yet: the extension serves one version. */
#define DUCKDB_V2_API_ALLOW_UNSTABLE 1
#include <duckdb_extension_v2.h>

#include "scan.h"

DUCKDB_EXTENSION_EXTERN

typedef duckdb_v2_error_info_handle* error_slot;

/* Sets a message in an error slot. */
void set_error(error_slot err, DUCKDB_V2_ERROR code, const char* text);

/* ---- access ---- */

struct access_check {
  duckdb_v2_file_system_handle files;
  DUCKDB_V2_ERROR code; /* of the last refusal */
};

/* 0: the slot has an error. */
int access_begin(access_check* check, duckdb_v2_context_handle context, error_slot err);

/* ---- filters ---- */

/* Adds the conditions of a filter on single columns; unknown ones are ignored. 0: out of memory. */
int bounds_add_filter(bounds* made, const open_table* table,
                      duckdb_v2_table_function_filter_pushdown_info_handle info,
                      duckdb_v2_expression_handle filter);

/* ---- the functions ---- */

/* Opens the sources that the first argument names; 0: the slot has an error. */
int open_argument(sources* made, duckdb_v2_function_bind_info_handle arguments,
                  duckdb_v2_context_handle context, error_slot err);
/* Declares a result column; 0: the slot has an error. */
int add_column(duckdb_v2_table_function_bind_info_handle result, duckdb_v2_factory_handle factory,
               const char* name, const char* type, error_slot err);
DUCKDB_V2_LOGICAL_TYPE_ID duck_type(value_kind kind);

void set_read_pco_callbacks(duckdb_v2_table_function_handle function);
void set_pco_columns_callbacks(duckdb_v2_table_function_handle function);

#endif
