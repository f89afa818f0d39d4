// SPDX-License-Identifier: Apache-2.0
// A file without a name, for what does not fit into memory.
#ifndef NUMPACT_CLI_TEMPORARY_FILE_HPP
#define NUMPACT_CLI_TEMPORARY_FILE_HPP

namespace numpact::cli {

// Makes a file for reading and writing in the folder for temporary files (TMPDIR) and removes its
// name. Gives its descriptor, which the caller closes. Throws Failure.
int open_unnamed_file();

}  // namespace numpact::cli

#endif
