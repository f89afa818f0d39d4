// SPDX-License-Identifier: Apache-2.0
// Where a CVC file goes that the library writes to a path of its own.
#ifndef NUMPACT_CLI_CVC_CVC_OUTPUT_HPP
#define NUMPACT_CLI_CVC_CVC_OUTPUT_HPP

#include <memory>
#include <string>

#include "cleanup.hpp"
#include "numpact/cvc/write_config.hpp"
#include "output_file.hpp"

namespace numpact::cli {

// A file gets its name by commit(), as with OutputFile; without it nothing stays, also where a
// signal ends the program. For standard output and what is no regular file, the CVC file is made in
// the folder for temporary files and copied.
class CvcOutput {
 public:
  // Fails if the file exists and may not be overwritten, and for a terminal.
  CvcOutput(const std::string& path, const Overwrite& overwrite);

  const std::string& name() const { return name_; }
  bool is_stdout() const { return target_ == "-"; }
  // Where the library is to write.
  const std::string& path() const { return path_; }
  // Whether that is to be synced to the disk.
  bool sync() const { return stream_ == nullptr; }
  void commit();

 private:
  std::string target_;
  std::string name_;
  Overwrite overwrite_;
  std::unique_ptr<OutputFile> stream_;  // where it is copied to
  std::unique_ptr<TemporaryPath> folder_;
  std::string path_;
};

}  // namespace numpact::cli

#endif
