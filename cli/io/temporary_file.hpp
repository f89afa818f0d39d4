// SPDX-License-Identifier: Apache-2.0
// Unnamed temporary files for data that does not fit into memory.
#pragma once

namespace numpact::cli {

// Creates a file for reading and writing in the temporary folder (TMPDIR) that has no name there.
// Returns its descriptor, which the caller closes. Throws Failure.
int open_unnamed_file();

}  // namespace numpact::cli
