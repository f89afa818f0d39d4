// SPDX-License-Identifier: Apache-2.0

// Reads a Pco file of f64, compresses its numbers again, and shows the error of a damaged file:
// go run column.go prices.pco
package main

// #cgo pkg-config: numpact
// #include <numpact/numpact.h>
import "C"

import (
	"bytes"
	"fmt"
	"os"
	"unsafe"
)

// The address of the first byte or number; nil if there is none.
func at[T any](slice []T) unsafe.Pointer {
	if len(slice) == 0 {
		return nil
	}
	return unsafe.Pointer(&slice[0])
}

func decompress(file []byte) ([]float64, error) {
	var e C.numpact_error
	C.numpact_error_init(&e)
	var count C.uint64_t
	status := C.numpact_count(nil, at(file), C.size_t(len(file)), &count, &e)
	numbers := make([]float64, int(count))
	if status == C.NUMPACT_OK {
		status = C.numpact_decompress_exact(nil, at(file), C.size_t(len(file)), C.NUMPACT_F64,
			at(numbers), C.size_t(len(numbers)), &e)
	}
	if status == C.NUMPACT_OK {
		return numbers, nil
	}
	name := C.GoString(C.numpact_status_name(status))
	return nil, fmt.Errorf("%s: %s, at byte %d", name, C.GoString(e.text), uint64(e.offset))
}

func compress(numbers []float64) []byte {
	out := make([]byte, C.numpact_compress_bound(C.NUMPACT_F64, C.size_t(len(numbers)), nil))
	var size C.size_t
	status := C.numpact_compress(nil, C.NUMPACT_F64, at(numbers), C.size_t(len(numbers)), nil,
		at(out), C.size_t(len(out)), &size, nil)
	if status != C.NUMPACT_OK {
		panic(C.GoString(C.numpact_status_name(status)))
	}
	return out[:size]
}

func main() {
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	numbers, err := decompress(file)
	if err != nil {
		panic(err)
	}
	sum := 0.0
	for _, number := range numbers {
		sum += number
	}
	fmt.Printf("%d numbers, sum %.3f\n", len(numbers), sum)
	again := compress(numbers)
	if found, err := decompress(again); err != nil || !bytes.Equal(raw(found), raw(numbers)) {
		panic("other numbers")
	}
	fmt.Printf("compressed again: %d bytes\n", len(again))
	_, err = decompress(again[:len(again)/2])
	fmt.Printf("half of it: %v\n", err)
}

func raw(numbers []float64) []byte {
	return unsafe.Slice((*byte)(at(numbers)), 8*len(numbers))
}
