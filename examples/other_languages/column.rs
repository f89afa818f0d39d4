// SPDX-License-Identifier: Apache-2.0
// Reads a Pco file of f64, compresses its numbers again, and shows the error of a damaged file:
// rustc -O column.rs -L PREFIX/lib -l numpact && ./column prices.pco
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::ptr::{null, null_mut};

const F64: u8 = 6;

#[repr(C)]
struct Error {
    struct_size: usize,
    status: i32,
    system_error: i32,
    text: *const c_char,
    offset: u64,
    chunk: u64,
    needed: u64,
    good_count: u64,
}

extern "C" {
    fn numpact_error_init(error: *mut Error);
    fn numpact_status_name(status: i32) -> *const c_char;
    fn numpact_count(
        context: *mut c_void, file: *const u8, size: usize, count: *mut u64, error: *mut Error,
    ) -> i32;
    fn numpact_decompress_exact(
        context: *mut c_void, file: *const u8, size: usize, number_type: u8, out: *mut f64,
        count: usize, error: *mut Error,
    ) -> i32;
    fn numpact_compress_bound(number_type: u8, count: usize, options: *const c_void) -> usize;
    fn numpact_compress(
        context: *mut c_void, number_type: u8, numbers: *const f64, count: usize,
        options: *const c_void, out: *mut u8, capacity: usize, size: *mut usize,
        error: *mut Error,
    ) -> i32;
}

fn checked(status: i32, error: &Error) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    let text = |c| unsafe { CStr::from_ptr(c) }.to_string_lossy();
    let name = text(unsafe { numpact_status_name(status) });
    Err(format!("{}: {}, at byte {}", name, text(error.text), error.offset))
}

fn decompress(file: &[u8]) -> Result<Vec<f64>, String> {
    unsafe {
        let mut error = std::mem::zeroed();
        numpact_error_init(&mut error);
        let (bytes, size) = (file.as_ptr(), file.len());
        let mut count = 0;
        checked(numpact_count(null_mut(), bytes, size, &mut count, &mut error), &error)?;
        let mut numbers = vec![0.0; count as usize];
        let (out, count) = (numbers.as_mut_ptr(), numbers.len());
        let status =
            numpact_decompress_exact(null_mut(), bytes, size, F64, out, count, &mut error);
        checked(status, &error).map(|_| numbers)
    }
}

fn compress(numbers: &[f64]) -> Result<Vec<u8>, String> {
    unsafe {
        let mut error = std::mem::zeroed();
        numpact_error_init(&mut error);
        let count = numbers.len();
        let mut out = vec![0; numpact_compress_bound(F64, count, null())];
        let mut size = 0;
        let status = numpact_compress(
            null_mut(), F64, numbers.as_ptr(), count, null(), out.as_mut_ptr(), out.len(),
            &mut size, &mut error,
        );
        out.truncate(size);
        checked(status, &error).map(|_| out)
    }
}

fn main() {
    let file = std::fs::read(std::env::args().nth(1).expect("a file")).expect("readable");
    let numbers = decompress(&file).unwrap();
    println!("{} numbers, sum {:.3}", numbers.len(), numbers.iter().sum::<f64>());
    let again = compress(&numbers).unwrap();
    assert!(decompress(&again).unwrap() == numbers);
    println!("compressed again: {} bytes", again.len());
    println!("half of it: {}", decompress(&again[..again.len() / 2]).unwrap_err());
}
