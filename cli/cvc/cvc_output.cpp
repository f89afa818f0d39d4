// SPDX-License-Identifier: Apache-2.0
#include "cvc/cvc_output.hpp"

#include <vector>

#include "failure.hpp"
#include "io/files.hpp"
#include "numpact/file_lock.hpp"
#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "platform/replacement.hpp"

namespace numpact::cli {
namespace {

void copy_into(const std::string& path, OutputFile& out) {
  Input input(path);
  std::vector<std::byte> block(std::size_t{1} << 20);
  for (;;) {
    const std::size_t got = input.read_full(block);
    out.put(std::span(block).first(got));
    if (got < block.size()) return;
  }
}

}  // namespace

CvcOutput::CvcOutput(const std::string& path, const Overwrite& overwrite)
    : target_(path), name_(path == "-" ? "(stdout)" : path), overwrite_(overwrite) {
  platform::FileInfo found;
  const bool is_there = path != "-" && platform::look_at(path, found);
  if (path == "-" || (is_there && !found.is_regular())) {
    stream_ = std::make_unique<OutputFile>(path, overwrite, Content::kBinary);
    const std::string pattern = platform::temporary_folder() + "/numpact.cvc";
    folder_ = std::make_unique<TemporaryPath>(pattern, TemporaryPath::Kind::kPrivateFolder);
  } else {
    if (is_there && !overwrite.is_allowed) fail(name_, "exists already (-f overwrites it)");
    target_ = resolve_links(path);  // keeps a symbolic link
    folder_ = std::make_unique<TemporaryPath>(target_, TemporaryPath::Kind::kPrivateFolder);
  }
  path_ = folder_->path() + "/made.cvc";
}

void CvcOutput::commit() {
  if (stream_ != nullptr) {
    copy_into(path_, *stream_);
    stream_->commit();
    return;
  }
  if (!overwrite_.is_allowed) {
    folder_->move(path_, target_);
    return;
  }
  const int descriptor = platform::open_to_take_access(path_);
  if (descriptor < 0) fail_errno(name_, "cannot be written");
  const Status status = take_access(descriptor, target_);
  platform::close_file(descriptor);
  check(status, name_);
  FileLock none;
  folder_->replace_file(path_, target_, name_, overwrite_.lock_config(name_), none);
}

}  // namespace numpact::cli
