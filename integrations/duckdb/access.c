/* SPDX-License-Identifier: Apache-2.0 */
/* The files are mapped, not read through DuckDB. So that its settings hold, it opens each once. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "read_pco.h"

int access_begin(access_check* check, duckdb_v2_context_handle context, error_slot err) {
  check->code = DUCKDB_V2_ERROR_IO_GENERAL;
  return duckdb_v2_context_get_file_system(context, &check->files, err) == DUCKDB_V2_ERROR_NONE;
}

/* Takes over the text of an error. */
static int refuse(access_check* check, const char* path, DUCKDB_V2_ERROR code,
                  duckdb_v2_error_info_handle* error, failure* why) {
  duckdb_v2_str text = {NULL, 0};
  if (*error != NULL) duckdb_v2_error_info_get_raw_text(*error, &text);
  fail(why, "%s: %.*s", path, (int)(text.len < 300 ? text.len : 300),
       text.len == 0 ? "" : text.ptr);
  duckdb_v2_error_info_destroy(error);
  check->code = code;
  return 0;
}

static DUCKDB_V2_ERROR try_open(access_check* check, const char* path,
                                duckdb_v2_error_info_handle* error) {
  const duckdb_v2_str text = {path, strlen(path)};
  duckdb_v2_file_open_options_handle options = NULL;
  duckdb_v2_file_handle file = NULL;
  DUCKDB_V2_ERROR code = duckdb_v2_file_open_options_create(check->files, &options, error);
  if (code == DUCKDB_V2_ERROR_NONE) {
    code = duckdb_v2_file_open_options_set_flag(options, DUCKDB_V2_FILE_FLAG_READ, error);
  }
  if (code == DUCKDB_V2_ERROR_NONE) {
    code = duckdb_v2_file_system_open(check->files, &text, options, &file, error);
  }
  duckdb_v2_file_destroy(&file);
  duckdb_v2_file_open_options_destroy(&options);
  return code;
}

int access_file(access_check* check, const char* path, const char* name, failure* why) {
  char joined[4096]; /* bytes of a path that Linux opens */
  const int size = name == NULL ? snprintf(joined, sizeof joined, "%s", path)
                                : snprintf(joined, sizeof joined, "%s/%s", path, name);
  if (size < 0 || (size_t)size >= sizeof joined) return fail(why, "%s: is too long", path);
  struct stat status;
  if (stat(joined, &status) == 0 && !S_ISREG(status.st_mode)) return 1;
  duckdb_v2_error_info_handle error = NULL;
  const DUCKDB_V2_ERROR code = try_open(check, joined, &error);
  return code == DUCKDB_V2_ERROR_NONE || refuse(check, joined, code, &error, why);
}

static void ignore_path(const duckdb_v2_str* path, void* opaque, duckdb_v2_error_info_handle* err) {
  (void)path, (void)opaque, (void)err;
}

int access_pattern(access_check* check, const char* pattern, failure* why) {
  const duckdb_v2_str text = {pattern, strlen(pattern)};
  duckdb_v2_error_info_handle error = NULL;
  const DUCKDB_V2_ERROR code =
      duckdb_v2_file_system_path_glob(check->files, &text, ignore_path, NULL, &error);
  return code == DUCKDB_V2_ERROR_NONE || refuse(check, pattern, code, &error, why);
}
