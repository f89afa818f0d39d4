/* SPDX-License-Identifier: Apache-2.0 */
/* The extension: registers read_pco and pco_columns. */
#include <stdlib.h>
#include <string.h>

#include "read_pco.h"

void set_error(error_slot err, DUCKDB_V2_ERROR code, const char* text) {
  const duckdb_v2_str view = {text, strlen(text)};
  duckdb_v2_error_info_set_code(*err, code);
  duckdb_v2_error_info_set_text(*err, &view);
}

/* The text of the first argument, for `free`. */
static char* path_argument(duckdb_v2_function_bind_info_handle arguments, error_slot err) {
  duckdb_v2_value_handle value = NULL;
  duckdb_v2_str text = {NULL, 0};
  if (duckdb_v2_function_bind_get_arg_value(arguments, 0, &value, err) != DUCKDB_V2_ERROR_NONE) {
    return NULL;
  }
  char* path = NULL;
  if (duckdb_v2_value_get_varchar(value, &text, NULL) == DUCKDB_V2_ERROR_NONE &&
      (text.len == 0 || memchr(text.ptr, '\0', text.len) == NULL)) {
    path = malloc(text.len + 1);
    if (path != NULL) {
      memcpy(path, text.ptr == NULL ? "" : text.ptr, text.len);
      path[text.len] = '\0';
    }
  }
  if (path == NULL) {
    set_error(err, DUCKDB_V2_ERROR_INPUT_INVALID, "the path of a Pco file or folder is not text");
  }
  duckdb_v2_value_destroy(&value);
  return path;
}

/* DuckDB's C API has no other channel for warnings than its log. */
static void log_warnings(const sources* from, duckdb_v2_context_handle context) {
  static const duckdb_v2_str type = {"numpact", 7};
  failure line;
  for (size_t i = 0; i < from->count; i++) {
    if (!has_warning(from->tables[i], &line)) continue;
    const duckdb_v2_str text = {line.text, strlen(line.text)};
    duckdb_v2_context_log(context, DUCKDB_V2_LOG_LEVEL_WARNING, &type, &text, NULL);
  }
}

int open_argument(sources* made, duckdb_v2_function_bind_info_handle arguments,
                  duckdb_v2_context_handle context, error_slot err) {
  access_check check;
  failure why;
  char* path = path_argument(arguments, err);
  if (path == NULL || !access_begin(&check, context, err)) {
    free(path);
    return 0;
  }
  const int ok = sources_open(made, path, &check, &why);
  if (ok) {
    log_warnings(made, context);
  } else {
    set_error(err, check.code, why.text);
  }
  free(path);
  return ok;
}

const int has_nano_types = 1;

DUCKDB_V2_LOGICAL_TYPE_ID duck_type(value_kind kind) {
  static const DUCKDB_V2_LOGICAL_TYPE_ID types[VALUE_KINDS] = {
      [VALUE_BOOLEAN] = DUCKDB_V2_LOGICAL_TYPE_ID_BOOLEAN,
      [VALUE_TINYINT] = DUCKDB_V2_LOGICAL_TYPE_ID_TINYINT,
      [VALUE_SMALLINT] = DUCKDB_V2_LOGICAL_TYPE_ID_SMALLINT,
      [VALUE_INTEGER] = DUCKDB_V2_LOGICAL_TYPE_ID_INTEGER,
      [VALUE_BIGINT] = DUCKDB_V2_LOGICAL_TYPE_ID_BIGINT,
      [VALUE_UTINYINT] = DUCKDB_V2_LOGICAL_TYPE_ID_UTINYINT,
      [VALUE_USMALLINT] = DUCKDB_V2_LOGICAL_TYPE_ID_USMALLINT,
      [VALUE_UINTEGER] = DUCKDB_V2_LOGICAL_TYPE_ID_UINTEGER,
      [VALUE_UBIGINT] = DUCKDB_V2_LOGICAL_TYPE_ID_UBIGINT,
      [VALUE_FLOAT] = DUCKDB_V2_LOGICAL_TYPE_ID_FLOAT,
      [VALUE_DOUBLE] = DUCKDB_V2_LOGICAL_TYPE_ID_DOUBLE,
      [VALUE_DATE] = DUCKDB_V2_LOGICAL_TYPE_ID_DATE,
      [VALUE_TIME] = DUCKDB_V2_LOGICAL_TYPE_ID_TIME,
      [VALUE_TIME_NS] = DUCKDB_V2_LOGICAL_TYPE_ID_TIME_NS,
      [VALUE_TIMESTAMP_S] = DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_SEC,
      [VALUE_TIMESTAMP_MS] = DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_MS,
      [VALUE_TIMESTAMP] = DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP,
      [VALUE_TIMESTAMP_NS] = DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_NS,
      [VALUE_TIMESTAMP_TZ] = DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_TZ,
      [VALUE_TIMESTAMP_TZ_NS] = DUCKDB_V2_LOGICAL_TYPE_ID_TIMESTAMP_TZ_NS,
      [VALUE_INTERVAL] = DUCKDB_V2_LOGICAL_TYPE_ID_INTERVAL,
      [VALUE_VARCHAR] = DUCKDB_V2_LOGICAL_TYPE_ID_VARCHAR,
      [VALUE_BLOB] = DUCKDB_V2_LOGICAL_TYPE_ID_BLOB,
      [VALUE_DECIMAL] = DUCKDB_V2_LOGICAL_TYPE_ID_DECIMAL,
  };
  return types[kind];
}

int add_column(duckdb_v2_table_function_bind_info_handle result, duckdb_v2_factory_handle factory,
               const char* name, const char* type, error_slot err) {
  const duckdb_v2_identifier_t text = {name, strlen(name)};
  const duckdb_v2_str type_text = {type, strlen(type)};
  duckdb_v2_logical_type_handle made = NULL;
  if (duckdb_v2_factory_create_type_from_text(factory, &type_text, &made, err) !=
      DUCKDB_V2_ERROR_NONE) {
    return 0;
  }
  const int ok = duckdb_v2_table_function_bind_add_result_column(result, &text, made, err) ==
                 DUCKDB_V2_ERROR_NONE;
  duckdb_v2_logical_type_destroy(&made);
  return ok;
}

/* A function of one argument, a path. */
static int register_function(duckdb_v2_extension_handle extension, duckdb_v2_factory_handle factory,
                             const char* name,
                             void (*set_callbacks)(duckdb_v2_table_function_handle),
                             error_slot err) {
  const duckdb_v2_identifier_t function_name = {name, strlen(name)};
  const duckdb_v2_identifier_t parameter = {"path", strlen("path")};
  duckdb_v2_logical_type_handle text = NULL;
  duckdb_v2_table_function_handle function = NULL;
  duckdb_v2_function_signature_handle signature = NULL;
  const int ok =
      duckdb_v2_factory_create_type_from_id(factory, DUCKDB_V2_LOGICAL_TYPE_ID_VARCHAR, NULL, NULL,
                                            0, &text, err) == DUCKDB_V2_ERROR_NONE &&
      duckdb_v2_table_function_create(factory, &function, err) == DUCKDB_V2_ERROR_NONE &&
      duckdb_v2_table_function_set_name(function, &function_name, err) == DUCKDB_V2_ERROR_NONE &&
      duckdb_v2_table_function_get_signature(function, &signature, err) == DUCKDB_V2_ERROR_NONE &&
      duckdb_v2_function_signature_add_parameter(signature, &parameter, text, NULL,
                                                 DUCKDB_V2_FUNCTION_PARAMETER_KIND_STANDARD,
                                                 err) == DUCKDB_V2_ERROR_NONE;
  if (ok) set_callbacks(function);
  const int is_registered = ok && duckdb_v2_extension_register_table_function(
                                      extension, function, err) == DUCKDB_V2_ERROR_NONE;
  duckdb_v2_table_function_destroy(&function);
  duckdb_v2_logical_type_destroy(&text);
  return is_registered;
}

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_v2_extension_handle extension, duckdb_v2_context_handle context,
                            duckdb_v2_error_info_handle* err) {
  duckdb_v2_factory_handle factory = NULL;
  if (duckdb_v2_context_get_factory(context, &factory, err) != DUCKDB_V2_ERROR_NONE) return;
  if (!register_function(extension, factory, "read_pco", set_read_pco_callbacks, err)) return;
  register_function(extension, factory, "pco_columns", set_pco_columns_callbacks, err);
}
