/* SPDX-License-Identifier: Apache-2.0 */
#include <numpact/numpact.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { kCount = 4 };

int main(void) {
  const uint32_t numbers[kCount] = {5, 6, 7, 8};
  uint32_t again[kCount] = {0};
  unsigned char file[256];
  size_t size = 0;
  numpact_context* context = NULL;
  if (numpact_context_create(NULL, &context, NULL) != NUMPACT_OK) return 1;
  if (numpact_compress(context, NUMPACT_U32, numbers, kCount, NULL, file, sizeof file, &size,
                       NULL) != NUMPACT_OK) {
    return 1;
  }
  if (numpact_decompress_exact(context, file, size, NUMPACT_U32, again, kCount, NULL) !=
      NUMPACT_OK) {
    return 1;
  }
  numpact_context_destroy(context);
  printf("%zu bytes\n", size);
  return memcmp(numbers, again, sizeof numbers) == 0 ? 0 : 1;
}
