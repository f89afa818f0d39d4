/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface: compress, also within a budget, decompress, read a range, encode many short
 * series by one recipe, describe an error. */
#include <numpact/numpact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 100000, FIRST = 54321, PART = 1000, SERIES = 500, SAMPLE = 20 * SERIES };

static int fail(const char* what, const numpact_error* error) {
  fprintf(stderr, "%s: %s: %s\n", what, numpact_status_name(error->status), error->text);
  return 1;
}

/* Encodes 180 series by one recipe. `buffer` has COUNT doubles. */
static int encode_series(numpact_context* context, const double* prices, double* buffer,
                         numpact_error* error);

int main(void) {
  numpact_error error;
  numpact_error_init(&error);
  double* prices = (double*)malloc(COUNT * sizeof *prices);
  double* again = (double*)malloc(COUNT * sizeof *again);
  if (prices == NULL || again == NULL) return 1;
  for (int i = 0; i < COUNT; ++i) prices[i] = 0.01 * (10000 + i % 700);

  numpact_context* context = NULL;
  if (numpact_context_create(NULL, &context, &error) != NUMPACT_OK) return fail("context", &error);

  /* A budget of half the numbers' size: a larger file is not wanted. */
  const size_t budget = COUNT * sizeof *prices / 2;
  void* file = malloc(budget);
  size_t size = 0;
  const numpact_status compressed =
      numpact_compress(context, NUMPACT_F64, prices, COUNT, NULL, file, budget, &size, &error);
  if (compressed == NUMPACT_DOES_NOT_FIT) return puts("stored as they are"), 0;
  if (compressed != NUMPACT_OK) return fail("compress", &error);
  printf("%d numbers in %zu bytes\n", COUNT, size);

  if (numpact_decompress_exact(context, file, size, NUMPACT_F64, again, COUNT, &error) !=
      NUMPACT_OK)
    return fail("decompress", &error);
  if (memcmp(prices, again, COUNT * sizeof *prices) != 0) return 1;

  numpact_reader* reader = NULL;
  if (numpact_reader_create(context, file, size, &reader, &error) != NUMPACT_OK)
    return fail("open", &error);
  if (numpact_reader_read(reader, context, FIRST, NUMPACT_F64, again, PART, &error) != NUMPACT_OK)
    return fail("read", &error);
  if (memcmp(prices + FIRST, again, PART * sizeof *prices) != 0) return 1;
  numpact_reader_destroy(reader);

  if (encode_series(context, prices, again, &error) != 0) return 1;

  /* Damaged bytes are an error with a place. */
  const numpact_status damaged =
      numpact_decompress_exact(context, file, size / 2, NUMPACT_F64, again, COUNT, &error);
  printf("half of the file: %s at byte %llu of chunk %llu\n", numpact_status_name(damaged),
         (unsigned long long)error.offset, (unsigned long long)error.chunk);

  /* A budget that is too small is an error of its own, and does no harm. */
  const numpact_status small =
      numpact_compress(context, NUMPACT_F64, prices, COUNT, NULL, file, size - 1, &size, &error);
  printf("one byte less: %s, %llu suffice\n", numpact_status_name(small),
         (unsigned long long)error.needed);

  numpact_context_destroy(context);
  free(file);
  free(again);
  free(prices);
  return damaged == NUMPACT_TRUNCATED && small == NUMPACT_DOES_NOT_FIT ? 0 : 1;
}

static int encode_series(numpact_context* context, const double* prices, double* buffer,
                         numpact_error* error) {
  /* The sample is 20 series, one after the other. */
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.max_page_count = SERIES;
  numpact_recipe* recipe = NULL;
  if (numpact_recipe_create(context, NUMPACT_F64, prices, SAMPLE, &options, &recipe, error) !=
      NUMPACT_OK)
    return fail("recipe", error);
  printf("recipe: %s\n", numpact_recipe_text(recipe));
  options.recipe = recipe;
  size_t series_size = 0, total = 0;
  for (size_t i = SAMPLE; i < COUNT; i += SERIES) {
    if (numpact_compress(context, NUMPACT_F64, prices + i, SERIES, &options, buffer,
                         COUNT * sizeof *buffer, &series_size, error) != NUMPACT_OK)
      return fail("compress a series", error);
    total += series_size;
  }
  printf("%d series in %zu bytes\n", (COUNT - SAMPLE) / SERIES, total);
  numpact_recipe_destroy(recipe);
  return 0;
}
