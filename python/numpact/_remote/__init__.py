# SPDX-License-Identifier: Apache-2.0
"""Remote files: byte ranges, the positions of chunks, and the parts that tasks fetch and decode.

Each module imports only those before it:

* ``locations``: paths, URLs and patterns; reads byte ranges through fsspec.
* ``chunk_index``: finds the chunks of Pco files and stores their positions as JSON.
* ``parts``: a range of numbers of a Pco file, as a small object that is pickled into a task.
* ``manifest``: the description of a table, which the library parses.
* ``checked_file``: files of Arrow whose bytes are compared with the checksums in a manifest.
* ``partitions``: names of folders, and the values that they stand for.
* ``dataset_index``: what is known of the tables of a dataset.
* ``table_folder``: opens the files of a table so that all are of the same version.
* ``dataset``: finds the tables that paths, URLs and patterns name.
"""
