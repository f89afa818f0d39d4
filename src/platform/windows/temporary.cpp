// SPDX-License-Identifier: Apache-2.0
#include "platform/temporary.hpp"

#include <cerrno>
#include <random>

#include "platform/environment.hpp"
#include "platform/paths.hpp"
#include "platform/windows/system.hpp"

namespace numpact::internal::platform {

int open_unnamed_file(std::string& name) {
  // Names that collide with those of other programs are as rare as equal random numbers.
  constexpr int kAttempts = 100;
  static std::random_device random;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    name = hidden_name(temporary_folder() + "\\", "numpact", random());
    HANDLE const handle =
        ::CreateFileW(system_path(name).c_str(), GENERIC_READ | GENERIC_WRITE, kShareAll, nullptr,
                      CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (handle != INVALID_HANDLE_VALUE) return descriptor_of(handle, Access::kReadWrite);
    fail_by_last_error();
    if (errno != EEXIST) break;
  }
  return -1;
}

}  // namespace numpact::internal::platform
