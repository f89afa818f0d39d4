// SPDX-License-Identifier: Apache-2.0
// The structures of Arrow's C data interface; that of streams, laid out as its specification fixes
// it, is needed here alone.
#pragma once

#include "numpact/numpact.h"

extern "C" {

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif

}  // extern "C"
