# SPDX-License-Identifier: Apache-2.0
"""The command's helper process: reads and writes tables with pyarrow.

It is started by the command of this package; the messages between the two are described in
cli/formats/python/python_helper.hpp.
"""
