/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that column.R calls, over the C interface of numpact. */
#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>
#include <numpact/numpact.h>
#include <string.h>

/* Leaves the function: nothing of numpact is open then. */
static void check(const numpact_error* error) {
  if (error->status == NUMPACT_OK) return;
  Rf_errorcall(R_NilValue, "%s: %s, at byte %lld", numpact_status_name(error->status), error->text,
               (long long)error->offset);
}

SEXP column_decompress(SEXP file) {
  const size_t size = (size_t)XLENGTH(file);
  uint64_t count = 0;
  numpact_error error;
  numpact_error_init(&error);
  numpact_count(NULL, RAW(file), size, &count, &error);
  check(&error);
  SEXP numbers = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
  numpact_decompress_exact(NULL, RAW(file), size, NUMPACT_F64, REAL(numbers), (size_t)count,
                           &error);
  check(&error);
  UNPROTECT(1);
  return numbers;
}

SEXP column_compress(SEXP numbers) {
  const size_t count = (size_t)XLENGTH(numbers);
  const size_t capacity = numpact_compress_bound(NUMPACT_F64, count, NULL);
  void* const out = R_alloc(capacity, 1); /* R frees it behind the call */
  size_t size = 0;
  numpact_error error;
  numpact_error_init(&error);
  numpact_compress(NULL, NUMPACT_F64, REAL(numbers), count, NULL, out, capacity, &size, &error);
  check(&error);
  SEXP file = Rf_allocVector(RAWSXP, (R_xlen_t)size);
  memcpy(RAW(file), out, size);
  return file;
}
