// SPDX-License-Identifier: Apache-2.0
#include "caller.hpp"

#include <dlfcn.h>

#include "plugin_abi.hpp"

namespace numpact_hdf5 {

Caller::Caller(const void* code) {
  Dl_info place = {};
  if (dladdr(code, &place) != 0 && place.dli_fname != nullptr)
    library_ = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library_ != nullptr) return;
  // A program that contains HDF5 itself may be known by another name than its path.
  library_ = dlopen(nullptr, RTLD_LAZY);
  only_base_ = place.dli_fbase;
}

Caller::~Caller() {
  if (library_ != nullptr) dlclose(library_);
}

void* Caller::find(const char* name) const {
  if (library_ == nullptr) return nullptr;
  void* found = dlsym(library_, name);
  if (found == nullptr || only_base_ == nullptr) return found;
  Dl_info place = {};
  const bool is_the_callers = dladdr(found, &place) != 0 && place.dli_fbase == only_base_;
  return is_the_callers ? found : nullptr;
}

void push_error(const Caller& hdf5, const char* function, const char* minor, const char* text) {
  constexpr Id kDefaultStack = 0;
  using Push = int (*)(Id stack, const char* file, const char* function, unsigned line, Id error,
                       Id major, Id minor, const char* format, ...);
  Push push = nullptr;
  Id* error_class = nullptr;
  Id* pipeline = nullptr;
  Id* reason = nullptr;
  if (!hdf5.find("H5Epush2", push) || !hdf5.find("H5E_ERR_CLS_g", error_class) ||
      !hdf5.find("H5E_PLINE_g", pipeline) || !hdf5.find(minor, reason))
    return;
  push(kDefaultStack, "numpact", function, 0, *error_class, *pipeline, *reason, "pco: %s", text);
}

}  // namespace numpact_hdf5
