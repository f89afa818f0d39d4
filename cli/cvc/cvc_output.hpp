// SPDX-License-Identifier: Apache-2.0
// The destination of a CVC file that the library writes by path.
#pragma once

#include <memory>
#include <string>

#include "io/cleanup.hpp"
#include "io/output_file.hpp"
#include "numpact/cvc/writer.hpp"

namespace numpact::cli {

// The file gets its final name in commit(), as with OutputFile. Without it nothing remains, even if
// a signal ends the program. For standard output and special files, the CVC file is made in the
// temporary folder and copied.
class CvcOutput {
 public:
  // Fails if the file exists and may not be overwritten, or if the output is a terminal.
  CvcOutput(const std::string& path, const Overwrite& overwrite);

  const std::string& name() const { return name_; }
  bool is_stdout() const { return target_ == "-"; }
  // The path for the library to write to.
  const std::string& path() const { return path_; }
  // Whether the library should sync the file to disk.
  bool sync() const { return stream_ == nullptr; }
  void commit();

 private:
  std::string target_;
  std::string name_;
  Overwrite overwrite_;
  std::unique_ptr<OutputFile> stream_;  // destination of the copy
  std::unique_ptr<TemporaryPath> folder_;
  std::string path_;
};

}  // namespace numpact::cli
