/* SPDX-License-Identifier: Apache-2.0 */
/* Adds vectors to a collection that grows, and reads some of them by their numbers. Argument: the
 * path of its folder. */
#include <numpact/collection.h>
#include <stdio.h>

enum { ROWS = 1000, DIMENSION = 4 };

static char why[500];

/* Adds rows, and makes them a part of the collection; all or nothing. */
static int add_rows(const char* path, int64_t first, numpact_error* error) {
  static float vectors[ROWS][DIMENSION];
  static int64_t ids[ROWS];
  for (int i = 0; i < ROWS; i++) {
    ids[i] = first + i;
    for (int d = 0; d < DIMENSION; d++) vectors[i][d] = (float)(ids[i] * DIMENSION + d);
  }
  numpact_cvc_column columns[2] = {
      {sizeof columns[0], "text", "bfloat16", DIMENSION, NUMPACT_DTYPE_FLOAT32},
      {sizeof columns[0], "id", NULL, 1, NUMPACT_DTYPE_INT64}};
  numpact_collection_options options;
  numpact_collection_options_init(&options);
  options.columns = columns; /* may be left out once there are rows */
  options.column_count = 2;
  const void* const rows[] = {vectors, ids};
  numpact_collection_writer* writer = NULL;
  const int ok =
      numpact_collection_append(NULL, path, &options, &writer, why, sizeof why, error) ==
          NUMPACT_OK &&
      numpact_collection_writer_write(writer, rows, ROWS, why, sizeof why, error) == NUMPACT_OK &&
      numpact_collection_writer_commit(writer, NULL, why, sizeof why, error) == NUMPACT_OK;
  numpact_collection_writer_destroy(writer); /* also removes what was not committed */
  return ok;
}

int main(int count, char** arguments) {
  const char* path = count > 1 ? arguments[1] : "documents";
  numpact_error error;
  numpact_error_init(&error);
  numpact_cvc_reader* reader = NULL;
  if (!add_rows(path, 0, &error) || !add_rows(path, ROWS, &error) ||
      numpact_collection_open(NULL, path, &reader, why, sizeof why, &error) != NUMPACT_OK) {
    fprintf(stderr, "%s\n", why[0] != '\0' ? why : error.text);
    return 1;
  }
  const uint64_t wanted[] = {numpact_cvc_reader_rows(reader) - 1, 0, 7};
  float vectors[3][DIMENSION];
  int64_t ids[3];
  if (numpact_cvc_reader_gather(reader, NULL, wanted, 3, 0, NUMPACT_DTYPE_FLOAT32, vectors, 0,
                                &error) != NUMPACT_OK ||
      numpact_cvc_reader_gather(reader, NULL, wanted, 3, 1, NUMPACT_DTYPE_INT64, ids, 0, &error) !=
          NUMPACT_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  numpact_cvc_reader_destroy(reader);
  for (int i = 0; i < 3; i++) printf("%lld: %g\n", (long long)ids[i], vectors[i][0]);
  return ids[0] == 2 * ROWS - 1 && ids[2] == 7 && vectors[2][0] == 28 ? 0 : 1;
}
