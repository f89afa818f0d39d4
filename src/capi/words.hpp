// SPDX-License-Identifier: Apache-2.0
// Common to the functions that explain errors in words, or take arrays of structs.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "base/try.hpp"
#include "capi/capi.hpp"
#include "numpact/table_reader.hpp"

namespace numpact::internal::capi {

// Copies a text as far as it fits, not ending within a character.
inline void give_text(const std::string& text, char* out, std::size_t capacity) {
  if (out == nullptr || capacity == 0) return;
  std::size_t size = std::min(text.size(), capacity - 1);
  while (size > 0 && size < text.size() && (text[size] & 0xc0) == 0x80) --size;
  std::memcpy(out, text.data(), size);
  out[size] = '\0';
}

// Runs `call`, which takes a Failure, and gives its words to the caller.
template <class F>
Status with_words(char* why, std::size_t capacity, const F& call) {
  table::Failure failure;
  const Status status = call(&failure);
  if (!status.ok()) {
    give_text(failure.text.empty() ? status.message() : failure.message(), why, capacity);
  }
  return status;
}

// Each of a caller's structs, which may be smaller or larger than this library's.
template <class T, class F>
Status for_each_struct(const T* first, std::size_t count, const F& take) {
  if (count == 0) return {};
  NUMPACT_TRY(check_struct(first));
  const auto* at = reinterpret_cast<const unsigned char*>(first);
  const std::size_t size = first->struct_size;
  for (std::size_t i = 0; i < count; ++i, at += size) {
    T one = {};
    NUMPACT_TRY(take_struct(reinterpret_cast<const T*>(at), one));
    NUMPACT_TRY(take(one));
  }
  return {};
}

}  // namespace numpact::internal::capi
