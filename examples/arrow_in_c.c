/* SPDX-License-Identifier: Apache-2.0 */
/* A column of Arrow's C data interface: compressed and decompressed with its nulls and its type. */
#include <numpact/numpact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void release_schema(struct ArrowSchema* schema) { schema->release = NULL; }
static void release_array(struct ArrowArray* array) { array->release = NULL; }

static int fail(const char* what, const numpact_error* error) {
  fprintf(stderr, "%s: %s: %s\n", what, numpact_status_name(error->status), error->text);
  return 1;
}

int main(void) {
  numpact_error error;
  numpact_error_init(&error);

  /* Seconds since 1970 in UTC, the third is null. Mostly a library that uses Arrow exports them. */
  const int64_t times[] = {1700000000, 1700000060, 0, 1700000180};
  const uint8_t validity[] = {1 | 2 | 8};
  const void* buffers[] = {validity, times};
  struct ArrowSchema schema = {
      .format = "tss:UTC", .name = "", .flags = ARROW_FLAG_NULLABLE, .release = release_schema};
  struct ArrowArray array = {
      .length = 4, .null_count = 1, .n_buffers = 2, .buffers = buffers, .release = release_array};

  const size_t capacity = numpact_compress_arrow_bound(&schema, &array, NULL);
  void* bytes = malloc(capacity);
  size_t size = 0;
  if (numpact_compress_arrow(NULL, &schema, &array, NULL, bytes, capacity, &size, &error) !=
      NUMPACT_OK)
    return fail("compress", &error);
  printf("4 rows in %zu bytes\n", size);

  struct ArrowSchema schema_again;
  struct ArrowArray again;
  if (numpact_decompress_arrow(NULL, bytes, size, &schema_again, &again, &error) != NUMPACT_OK)
    return fail("decompress", &error);
  const uint8_t* is_valid = again.buffers[0]; /* null if there are no nulls */
  const int64_t* numbers = again.buffers[1];
  for (int64_t i = 0; i < again.length; ++i) {
    if (is_valid == NULL || (is_valid[i / 8] >> (i % 8) & 1) != 0)
      printf("%s: %lld\n", schema_again.format, (long long)numbers[i]);
    else
      puts("null");
  }
  const int is_same = again.length == 4 && again.null_count == 1 && is_valid[0] == validity[0] &&
                      memcmp(numbers, times, sizeof times) == 0 &&
                      strcmp(schema_again.format, "tss:UTC") == 0;
  again.release(&again);
  schema_again.release(&schema_again);

  free(bytes);
  return is_same ? 0 : 1;
}
