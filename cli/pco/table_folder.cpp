// SPDX-License-Identifier: Apache-2.0
#include "pco/table_folder.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "failure.hpp"
#include "platform/files.hpp"
#include "platform/folders.hpp"
#include "platform/paths.hpp"
#include "platform/program.hpp"

namespace numpact::cli {
namespace {

// Maximum length of a chain of links within a folder.
constexpr int kMaxLinks = 8;
// Maximum attempts to open a folder that is replaced meanwhile. Nobody replaces a folder this often
// while a few files are opened.
constexpr int kMaxOpenAttempts = 100;
// File descriptors reserved for other use if a table has more files than may be open.
constexpr std::uint64_t kReservedDescriptors = 64;
// Maximum length of a name in a folder, in bytes, of common file systems.
constexpr std::size_t kMaxTargetBytes = 255;

// Raises the limit of open files, since a table has a file open for each column. Returns how many.
std::uint64_t allow_many_files() {
  const std::uint64_t max_open =
      platform::allow_open_files(std::numeric_limits<std::uint64_t>::max());
  return max_open > kReservedDescriptors ? max_open - kReservedDescriptors : 0;
}

int open_folder(const std::string& path) {
  const int descriptor = platform::open_folder(path);
  if (descriptor < 0) fail_errno(path, "");
  return descriptor;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && platform::name_start(name) == 0;
}

// The target of a link, which must be a file of the same folder.
std::string target_of(int folder, const std::string& name, const std::string& place) {
  std::string target;
  if (!platform::read_link_in(folder, name, target)) fail_errno(place, "");
  if (target.size() > kMaxTargetBytes || !is_plain_name(target)) {
    throw Failure(ExitCode::kCorrupt, place, "corrupt: is a link that leads out of the folder");
  }
  return target;
}

// Opens a regular file of an open folder. Other kinds are not even opened, since a pipe would block
// and a device might act.
FileRef open_in(int folder, const std::string& name, const std::string& place) {
  std::string at = name;
  for (int links = 0; links <= kMaxLinks; ++links) {
    platform::FileInfo found;
    if (!platform::look_in(folder, at, found)) fail_errno(place, "");
    if (found.kind == platform::FileKind::kLink) {
      at = target_of(folder, at, place);
      continue;
    }
    if (found.is_folder()) throw Failure(ExitCode::kFailure, place, "is a folder");
    if (!found.is_regular()) throw Failure(ExitCode::kFailure, place, "is not a regular file");
    const int descriptor = platform::open_in(folder, at);
    if (descriptor < 0) fail_errno(place, "");
    auto file = std::make_shared<const OpenFile>(descriptor, place);
    if (!file->size()) throw Failure(ExitCode::kFailure, place, "is not a regular file");
    return file;
  }
  throw Failure(ExitCode::kFailure, place, "the links lead back to themselves");
}

Manifest manifest_of(const FileRef& file, const std::string& place) {
  const FileBytes bytes(file);
  const std::span<const std::byte> text = bytes.bytes();
  return parse_manifest({reinterpret_cast<const char*>(text.data()), text.size()}, place);
}

template <class Function>
void for_each_file(const Manifest& manifest, Function&& function) {
  for (const ManifestColumn& column : manifest.columns) {
    for (const table::NumberPart& part : column.all_parts()) {
      function(part.file);
      if (part.null_count > 0) function(part.null_file);
    }
    for (const table::TextFile& texts : column.text) function(texts.file);
  }
  for (const ManifestOther& other : manifest.others) {
    for (const table::Part& part : other.parts) function(part.file);
  }
}

}  // namespace

TableFolder::TableFolder(const std::string& path) : path_(path) {
  path_ = platform::without_end_separators(path_);
  const auto max_files = static_cast<std::size_t>(allow_many_files());
  for (int attempt = 1;; ++attempt) {
    descriptor_ = open_folder(path_);
    try {
      const std::string place = path_of(kManifestName);
      files_[kManifestName] = open_in(descriptor_, kManifestName, place);
      manifest_ = manifest_of(files_[kManifestName], place);
      if (open_all(max_files) || attempt == kMaxOpenAttempts || is_current()) return;
    } catch (const Failure&) {
      // Replacing a folder removes its old files; the files of the new folder are complete.
      if (attempt == kMaxOpenAttempts || is_current()) {
        platform::close_file(std::exchange(descriptor_, -1));
        throw;
      }
    }
    platform::close_file(std::exchange(descriptor_, -1));
    files_.clear();
    failures_.clear();
  }
}

TableFolder::~TableFolder() { close(); }

void TableFolder::close() {
  files_.clear();
  if (descriptor_ >= 0) platform::close_file(std::exchange(descriptor_, -1));
}

bool TableFolder::is_current() const {
  platform::FileInfo named;
  platform::FileInfo opened;
  if (!platform::look_at(descriptor_, opened) || !platform::look_at(path_, named)) return true;
  if (!named.is_same_file(opened)) return false;
  // Appending replaces the manifest alone, and removes files that the new one does not name.
  const auto manifest = files_.find(kManifestName);
  if (manifest == files_.end()) return true;
  return !platform::look_at(path_of(kManifestName), named) ||
         !platform::look_at(manifest->second->descriptor(), opened) || named.is_same_file(opened);
}

// Returns false if a file cannot be opened. Files beyond the limit are opened on demand.
bool TableFolder::open_all(std::size_t max_files) {
  for_each_file(manifest_, [&](const std::string& name) {
    if (files_.size() >= max_files || files_.contains(name) || failures_.contains(name)) return;
    try {
      files_[name] = open_in(descriptor_, name, path_of(name));
    } catch (const Failure&) {
      files_.erase(name);
      failures_[name] = std::current_exception();
    }
  });
  return failures_.empty();
}

FileRef TableFolder::file(const std::string& name) const {
  if (const auto failure = failures_.find(name); failure != failures_.end()) {
    std::rethrow_exception(failure->second);
  }
  const auto found = files_.find(name);
  return found != files_.end() ? found->second : open_in(descriptor_, name, path_of(name));
}

}  // namespace numpact::cli
