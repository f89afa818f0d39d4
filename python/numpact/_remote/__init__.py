# SPDX-License-Identifier: Apache-2.0
"""Remote files: byte ranges, the positions of chunks, and the parts that tasks fetch and decode.

Each module imports only those before it:

* ``locations``: paths, URLs and patterns; reads byte ranges through fsspec.
* ``chunk_index``: finds the chunks of Pco files and stores their positions as JSON.
* ``manifest``: parses the description of a table.
* ``parts``: a range of numbers of a Pco file, as a small object that is pickled into a task.
* ``table_folder``: opens the files of a table so that all are of the same version.
* ``table_parts``: rows of a table, as pandas frames.
"""
