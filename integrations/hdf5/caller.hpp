// SPDX-License-Identifier: Apache-2.0
// Functions of the library that calls this plug-in.
#pragma once

namespace numpact_hdf5 {

// The library that contains an address, with its dependencies. A process may have several
// copies of HDF5, as the wheels of h5py and netCDF4 bring one each. Ids of one are invalid in
// another, so only the calling copy may be asked about them, and none is linked.
class Caller {
 public:
  // `code`: an address in the library, such as a return address.
  explicit Caller(const void* code);
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // An exported function or variable; null: there is none.
  void* find(const char* name) const;

  // Sets a pointer to a function or variable; whether there is one.
  template <class Pointer>
  bool find(const char* name, Pointer& pointer) const {
    pointer = reinterpret_cast<Pointer>(find(name));
    return pointer != nullptr;
  }

 private:
  void* library_ = nullptr;
  // Not null: library_ is the program with all that it has loaded, and only what was loaded at this
  // address is the caller's.
  void* only_base_ = nullptr;
};

// Adds the reason of a failure to HDF5's stack of errors; without HDF5, does nothing.
// `minor` is the variable with HDF5's number of the reason, such as "H5E_CANTFILTER_g".
void push_error(const Caller& hdf5, const char* function, const char* minor, const char* text);

}  // namespace numpact_hdf5

// The caller of the function that uses this macro.
#define NUMPACT_HDF5_CALLER ::numpact_hdf5::Caller(__builtin_return_address(0))
