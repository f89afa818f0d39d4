// SPDX-License-Identifier: Apache-2.0
#include "pco/locked_table.hpp"

#include "failure.hpp"
#include "io/cleanup.hpp"
#include "io/files.hpp"
#include "platform/files.hpp"

namespace numpact::cli {
namespace {

FileLock lock_table(const std::string& path, const Overwrite& overwrite) {
  platform::FileInfo found;
  if (!platform::look_at(path, found)) fail_errno(path, "");
  if (!found.is_folder()) {
    throw Failure(ExitCode::kFailure, path,
                  "is not a folder: a whole table is appended to a folder (--column NAME appends "
                  "one column to a file)");
  }
  FileLock lock = lock_existing(path + "/" + kManifestName, overwrite);
  if (folder_of(lock.path()) != resolve_links(path)) {
    throw Failure(ExitCode::kCorrupt, path + "/" + kManifestName,
                  "corrupt: is a link that leads out of the folder");
  }
  return lock;
}

}  // namespace

LockedTable::LockedTable(const std::string& path, const Overwrite& overwrite)
    : turn_(wait_for_turn(path, overwrite)), lock_(lock_table(path, overwrite)), folder_(path) {}

}  // namespace numpact::cli
