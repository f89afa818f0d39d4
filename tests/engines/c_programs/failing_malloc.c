/* SPDX-License-Identifier: Apache-2.0 */
/* malloc and free of a library without exceptions, by the linker's option --wrap: they ask
 * allocation_fails() before they allocate. */
#include <stddef.h>

int allocation_fails(void);
void allocation_made(int change);

void* __real_malloc(size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void* memory);
void* __wrap_malloc(size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void* memory);

static void* made(void* memory) {
  if (memory != NULL) allocation_made(1);
  return memory;
}

void* __wrap_malloc(size_t size) {
  return allocation_fails() ? NULL : made(__real_malloc(size));
}

void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return allocation_fails() ? NULL : made(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void* memory) {
  if (memory != NULL) allocation_made(-1);
  __real_free(memory);
}
