# SPDX-License-Identifier: Apache-2.0
"""Pickles that users have stored name the modules of their classes: these names stay valid."""

from __future__ import annotations

import base64
import pickle

import numpact
from numpact.dask import PcoIndex

# Made by version 0.1.0 of numpact.compress(numpy.arange(6), paging=3, trailer=True): the index of
# that file, and what inspect says of it. They name numpact._chunk_index, _ranges, _file, _inspect.
INDEX = (
    "gASVXAEAAAAAAACMFG51bXBhY3QuX2NodW5rX2luZGV4lIwIUGNvSW5kZXiTKYF9KIwGX2ZpbGVzaACMCUZpbGVJbm"
    "RleJMpgZR9KIwDdXJsjBJmaWxlOi8vL2RhdGEvYS5wY2+UjAVzdGFtcIwPbnVtcGFjdC5fcmFuZ2VzjAVTdGFtcJMp"
    "gX0ojARzaXplS7eMA3RhZ4wJbXRpbWU6MS4wdWKMBHR5cGWMA2k2NIwGaGVhZGVyQwpwY28hAwSCAQQBjANlbmRLLo"
    "wGY2h1bmtzjA1udW1wYWN0Ll9maWxljAVDaHVua5OUKYF9KIwGb2Zmc2V0lEsKjAtwYWdlX29mZnNldJRLG4wFZmly"
    "c3SUSwCMBWNvdW50lEsDdWJoAymBfShoBEscaAVLLWgGSwNoB0sDdWKGjARjcmNzSivBpCtKpeSRP4Z1YoWMBl9kdH"
    "lwZU6MB19ieV91cmx9aAJoAXN1Yi4="
)
INFO = (
    "gASVzgIAAAAAAACMEG51bXBhY3QuX2luc3BlY3SUjAhGaWxlSW5mb5MpgX0ojBJzdGFuZGFsb25lX3ZlcnNpb25LA4"
    "wOZm9ybWF0X3ZlcnNpb25LBEsBhowEdHlwZZSMA2k2NIwMdW5pZm9ybV90eXBljANpNjSMBm5faGludEsGjAtjaHVu"
    "a19jb3VudEsCjAVjb3VudJRLBowKZmlsZV9ieXRlc0svjA50cmFpbGluZ19ieXRlc0uIjAd0cmFpbGVyjAVzb3VuZI"
    "wNcmVzdGFydF9ldmVyeU6MBmNodW5rc10oaACMCUNodW5rSW5mb5OUKYF9KGgBjANpNjRoAksDjAZvZmZzZXSUSwqM"
    "Cm1ldGFfYnl0ZXOUSw2MCnBhZ2VfYnl0ZXOUSwGMBG1vZGWUjAdjbGFzc2ljjAVkZWx0YZSMBG5vbmWMBGRpY3SUXY"
    "wJdmFyaWFibGVzlF1oAIwSTGF0ZW50VmFyaWFibGVJbmZvk5QpgX0ojAh2YXJpYWJsZZSMB3ByaW1hcnmMC2xhdGVu"
    "dF9iaXRzlEtAjAxhbnNfc2l6ZV9sb2eUSwCMDWRlbHRhX2VuY29kZWSUiYwEYmluc5RdaACMB0JpbkluZm+TlCmBfS"
    "iMBndlaWdodJRLAYwFbG93ZXKUigkAAAAAAAAAgACMC29mZnNldF9iaXRzlEsCdWJhjAZzdG9yZWSUSwOMCW1ldGFf"
    "Yml0c5RLWowKc3RhdGVfYml0c5RLAIwJY29kZV9iaXRzlEsAaBRLBnViYXViaAMpgX0oaAGMA2k2NGgCSwNoBEscaA"
    "VLDWgGSwFoB4wHY2xhc3NpY2gIjARub25laAldaApdaAspgX0oaAyMB3ByaW1hcnloDUtAaA5LAGgPiWgQXWgRKYF9"
    "KGgSSwFoE4oJAwAAAAAAAIAAaBRLAnViYWgVSwNoFktaaBdLAGgYSwBoFEsGdWJhdWJldWIu"
)
FILE = numpact.compress(range(6), paging=3, trailer=True)


def test_an_index() -> None:
    index = pickle.loads(base64.b64decode(INDEX))
    assert isinstance(index, PcoIndex)
    (file,) = index
    assert (file.url, file.type, file.count) == ("file:///data/a.pco", "i64", 6)
    assert (file.stamp.size, file.stamp.tag) == (len(FILE), "mtime:1.0")
    assert list(file.chunks) == numpact.open(FILE).chunks
    assert PcoIndex.from_json(index.to_json()) == index
    assert pickle.loads(pickle.dumps(index)) == index


def test_a_description_of_a_file() -> None:
    info = pickle.loads(base64.b64decode(INFO))
    assert isinstance(info, numpact.FileInfo)
    assert info == numpact.inspect(FILE)
    assert str(info) == str(numpact.inspect(FILE))
