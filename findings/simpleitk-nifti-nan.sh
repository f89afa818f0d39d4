#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A NIfTI image of floats with NaN is read alike by nibabel and SimpleITK.
# Seen: SimpleITK 2.5.7 reads 0 for NaN and both infinities, nibabel 5.4.2 reads them as they are;
#   in NRRD and MetaImage SimpleITK keeps them. Scaled integers SimpleITK reads as float32: 2^31 +
#   1 and 2^31 are equal, which nibabel tells apart.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  SimpleITK==2.5.7 nibabel==5.4.2 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import nibabel
import numpy as np
import SimpleITK

numbers = np.array([1.5, np.nan, np.inf, -np.inf])


def by_itk(path):
    return SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(path)).ravel()


for kind in (np.float32, np.float64):
    image = nibabel.Nifti1Image(numbers.reshape(4, 1, 1).astype(kind), np.eye(4))
    nibabel.save(image, "a.nii")
    seen = np.asarray(nibabel.load("a.nii").dataobj).ravel(), by_itk("a.nii")
    print(f"{kind.__name__}: nibabel {seen[0]}, SimpleITK {seen[1]}")
    assert np.array_equal(seen[0], numbers, equal_nan=True), "changed"
    assert seen[1].tolist() == [1.5, 0, 0, 0], "changed"
for path in ("a.nrrd", "a.mha"):
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(numbers.reshape(1, 4)), path)
    assert np.array_equal(by_itk(path), numbers, equal_nan=True), "changed"
image = nibabel.Nifti1Image((np.arange(4.0) + 2**31).reshape(4, 1, 1), np.eye(4))
image.set_data_dtype(np.int16)
nibabel.save(image, "b.nii")
seen = nibabel.load("b.nii").get_fdata().ravel(), by_itk("b.nii")
print("2^31 and 2^31 + 1 as scaled int16: nibabel, SimpleITK", seen)
assert seen[0][0] != seen[0][1] and seen[1][0] == seen[1][1], "changed"
PY
echo "as recorded"
