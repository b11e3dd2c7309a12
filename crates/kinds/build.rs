//! Compresses the table of descriptions, which only `explain` and `/openapi` use.

use std::fs::{File, read};
use std::io::{Error, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

fn main() -> Result<(), Error> {
    let table = "src/table/descriptions.tsv";
    println!("cargo:rerun-if-changed={table}");
    let directory = std::env::var_os("OUT_DIR").ok_or_else(|| Error::other("no OUT_DIR"))?;
    let path = Path::new(&directory).join("descriptions.deflate");
    // Compression reduces the table to a quarter of its size. Without it the program has 30.27 MB, and the limit is 30
    // MB.
    let mut encoder = DeflateEncoder::new(File::create(path)?, Compression::best());
    let text = read(table)?;
    encoder.write_all(&text)?;
    encoder.finish()?;
    println!("cargo:rustc-env=CTL_DESCRIPTIONS_LENGTH={}", text.len());
    Ok(())
}
