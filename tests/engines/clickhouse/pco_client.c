/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that compress and decompress blocks and end. Any argument: few and small ones. */
#include <pco.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, LARGE = 131072, SMALL = 2000 };

void make_late_object(void);

static uint64_t count = LARGE;

static void* work(void* argument) {
  const uint64_t size = count * sizeof(double);
  double* numbers = malloc(size);
  double* again = malloc(size);
  uint8_t* file = malloc(size);
  uint64_t written = 0;
  const char* failure = NULL;
  if (argument != NULL) make_late_object();
  if (numbers == NULL || again == NULL || file == NULL) return "no memory";
  for (uint64_t i = 0; i < count; ++i) numbers[i] = 0.25 * (double)(i * i % 1000);
  if (pco_compress(PCO_F64, (const uint8_t*)numbers, count, 8, file, size, &written) != PCO_OK) {
    failure = "compression failed";
  } else if (pco_decompress(8, PCO_F64, file, written, (uint8_t*)again, count, size) != PCO_OK ||
             memcmp(numbers, again, size) != 0) {
    failure = "decompression failed";
  }
  free(numbers);
  free(again);
  free(file);
  return (void*)failure;
}

int main(int argc, char** argv) {
  pthread_t threads[THREADS];
  (void)argv;
  if (argc > 1) count = SMALL;
  for (int i = 0; i < THREADS; ++i) {
    if (pthread_create(&threads[i], NULL, work, i % 2 == 0 ? threads : NULL) != 0) return 1;
  }
  for (int i = 0; i < THREADS; ++i) {
    void* failure = NULL;
    pthread_join(threads[i], &failure);
    if (failure != NULL) return fprintf(stderr, "%s\n", (const char*)failure), 1;
  }
  return 0;
}
