// SPDX-License-Identifier: Apache-2.0
// Appending to a standalone file on disk: copy it beside, write on from its terminator, rename.
#include "api/replacement.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "numpact/stream.hpp"

namespace numpact {

Status try_append_to_file(const std::string& path, const NumberView& numbers,
                          const EncodeConfig& config) noexcept {
  return guarded([&]() -> Status {
    FileSource old(path);
    Replacement file;
    NUMPACT_TRY(file.open(path));
    StreamWriter writer(file, numbers.type, config, numbers.count);
    NUMPACT_TRY(writer.try_copy_file(old));
    NUMPACT_TRY(writer.try_write(numbers));
    NUMPACT_TRY(writer.try_finish());
    return file.replace();
  });
}

}  // namespace numpact
