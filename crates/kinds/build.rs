//! Compresses the tables of descriptions, which only `explain` and `/openapi` use.

use std::fs::{File, read};
use std::io::{Error, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

fn main() -> Result<(), Error> {
    let tables = ["src/table/descriptions.tsv", "src/table/enum_values.tsv"];
    let mut texts = Vec::new();
    for table in tables {
        println!("cargo:rerun-if-changed={table}");
        texts.push(read(table)?);
    }
    // No text contains the separator.
    let text = texts.join(&0);
    let directory = std::env::var_os("OUT_DIR").ok_or_else(|| Error::other("no OUT_DIR"))?;
    let path = Path::new(&directory).join("descriptions.deflate");
    // Compression reduces the tables to a quarter of their size. Without it the program has 30.27 MB, and the limit is
    // 30 MB.
    let mut encoder = DeflateEncoder::new(File::create(path)?, Compression::best());
    encoder.write_all(&text)?;
    encoder.finish()?;
    println!("cargo:rustc-env=CTL_DESCRIPTIONS_LENGTH={}", text.len());
    Ok(())
}
