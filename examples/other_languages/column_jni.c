/* SPDX-License-Identifier: Apache-2.0 */
/* The native methods of Column.java over the C interface of numpact. */
#include <jni.h>
#include <numpact/numpact.h>
#include <stdio.h>
#include <stdlib.h>

static void throw_error(JNIEnv* env, const numpact_error* error) {
  char text[300];
  snprintf(text, sizeof text, "%s: %s, at byte %lld", numpact_status_name(error->status),
           error->text, (long long)error->offset);
  (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalArgumentException"), text);
}

JNIEXPORT jdoubleArray JNICALL Java_Column_decompress(JNIEnv* env, jclass self, jbyteArray file) {
  (void)self;
  const size_t size = (size_t)(*env)->GetArrayLength(env, file);
  jbyte* const bytes = (*env)->GetByteArrayElements(env, file, NULL);
  if (bytes == NULL) return NULL; /* an OutOfMemoryError is pending */
  jdoubleArray numbers = NULL;
  uint64_t count = 0;
  numpact_error error;
  numpact_error_init(&error);
  if (numpact_count(NULL, bytes, size, &count, &error) == NUMPACT_OK && count <= INT32_MAX &&
      (numbers = (*env)->NewDoubleArray(env, (jsize)count)) != NULL) {
    jdouble* const out = (*env)->GetDoubleArrayElements(env, numbers, NULL);
    if (out != NULL) {
      numpact_decompress_exact(NULL, bytes, size, NUMPACT_F64, out, (size_t)count, &error);
      (*env)->ReleaseDoubleArrayElements(env, numbers, out, 0);
    }
  }
  (*env)->ReleaseByteArrayElements(env, file, bytes, JNI_ABORT);
  if (error.status != NUMPACT_OK) throw_error(env, &error);
  return numbers;
}

JNIEXPORT jbyteArray JNICALL Java_Column_compress(JNIEnv* env, jclass self, jdoubleArray numbers) {
  (void)self;
  const size_t count = (size_t)(*env)->GetArrayLength(env, numbers);
  const size_t capacity = numpact_compress_bound(NUMPACT_F64, count, NULL);
  jdouble* const values = (*env)->GetDoubleArrayElements(env, numbers, NULL);
  void* const out = malloc(capacity);
  jbyteArray file = NULL;
  size_t size = 0;
  numpact_error error;
  numpact_error_init(&error);
  if (values != NULL && out != NULL &&
      numpact_compress(NULL, NUMPACT_F64, values, count, NULL, out, capacity, &size, &error) ==
          NUMPACT_OK &&
      (file = (*env)->NewByteArray(env, (jsize)size)) != NULL)
    (*env)->SetByteArrayRegion(env, file, 0, (jsize)size, out);
  free(out);
  if (values != NULL) (*env)->ReleaseDoubleArrayElements(env, numbers, values, JNI_ABORT);
  if (error.status != NUMPACT_OK) throw_error(env, &error);
  return file;
}
