// SPDX-License-Identifier: Apache-2.0
// Constants of the encoder that were set by measurement. In a build with NUMPACT_ABLATION they are
// variables that `./dev bench ablation` changes one at a time; in all others they are constants.
#pragma once

#ifndef NUMPACT_ABLATION

// A constant at namespace scope or in a function: `NUMPACT_TUNED(float, kMaxRatio, 1.5f);`.
#define NUMPACT_TUNED(type, name, value) constexpr type name = value

#else

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace numpact::internal {

// A constant that is defined in a header or a template, or in a kernel of several instruction sets,
// has several variables, one entry each. Those within functions are entered when they are reached.
struct TunedConstant {
  std::string name;  // FILE.NAME
  std::variant<bool*, unsigned*, int*, std::size_t*, float*, double*> at;
};

inline std::vector<TunedConstant>& tuned_constants() {
  static std::vector<TunedConstant> all;
  return all;
}

struct TunedEntry {
  template <class T>
  TunedEntry(const char* file, const char* name, T* at) {
    std::string path = file;
    path = path.substr(path.find_last_of('/') + 1);
    tuned_constants().push_back({path.substr(0, path.find('.')) + "." + name, at});
  }
};

}  // namespace numpact::internal

#define NUMPACT_TUNED(type, name, value)     \
  [[maybe_unused]] static type name = value; \
  [[maybe_unused]] static const ::numpact::internal::TunedEntry name##_entry(__FILE__, #name, &name)

#endif
