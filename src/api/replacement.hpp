// SPDX-License-Identifier: Apache-2.0
// A temporary file in the folder of another file, which it replaces atomically or else is deleted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/internal.hpp"
#include "numpact/error.hpp"
#include "numpact/file_lock.hpp"
#include "numpact/stream.hpp"
#include "platform/processes.hpp"

namespace numpact {

// Belongs to the process that created it. In a forked child it writes nothing, and its destructor
// leaves the new file to the parent.
class Replacement final : public ByteSink {
 public:
  Replacement() = default;
  ~Replacement() override;
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  // For the file at `path` or its link target; it need not exist. The lock is taken only while
  // replacing.
  Status open(const std::string& path, const LockConfig& lock);
  // For an existing file that will be read: from now on no other writer of numpact replaces it.
  Status open_locked(const std::string& path, const LockConfig& lock);

  // The file to be replaced.
  const std::string& path() const { return path_; }
  // The path of the new file until then.
  const std::string& temporary_path() const { return name_; }

  // Appends to the bytes written by write().
  Status write(std::span<const std::byte> bytes) override;
  // Writes at any offset. Thread-safe.
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  // Moves written bytes; the ranges may overlap.
  Status move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes);
  // Sets the size; write() continues there.
  Status resize(std::uint64_t bytes);

  // Replaces the file and keeps its access rights; with `sync`, flushes to disk first.
  Status replace(bool sync = true);

 private:
  Status create();
  Status check_process() const;

  platform::OwnProcess process_;
  LockConfig lock_config_;
  FileLock lock_;
  std::string path_;
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t written_ = 0;
};

}  // namespace numpact
