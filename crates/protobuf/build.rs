//! Compresses the table of field numbers, which is needed only once a client sends or requests protobuf.

use std::fs::{File, read};
use std::io::{Error, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

fn main() -> Result<(), Error> {
    let table = "fields.tsv";
    println!("cargo:rerun-if-changed={table}");
    let directory = std::env::var_os("OUT_DIR").ok_or_else(|| Error::other("no OUT_DIR"))?;
    let path = Path::new(&directory).join("fields.deflate");
    // Compression reduces the table to a seventh of its size. Without it the program has 30.00 MB, and the limit is 30
    // MB.
    let mut encoder = DeflateEncoder::new(File::create(path)?, Compression::best());
    let text = read(table)?;
    encoder.write_all(&text)?;
    encoder.finish()?;
    println!("cargo:rustc-env=CTL_FIELDS_LENGTH={}", text.len());
    Ok(())
}
