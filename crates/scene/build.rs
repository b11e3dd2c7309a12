//! Compresses the script of the pages, which only `render`, `ui --web` and `serve` use.

use std::fs::{File, read};
use std::io::{Error, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

fn main() -> Result<(), Error> {
    let script = "src/view/page.js";
    println!("cargo:rerun-if-changed={script}");
    let directory = std::env::var_os("OUT_DIR").ok_or_else(|| Error::other("no OUT_DIR"))?;
    let path = Path::new(&directory).join("script.deflate");
    // Compression reduces the script to a third of its size: 0.02 MB of the 30 MB that the program may have.
    let mut encoder = DeflateEncoder::new(File::create(path)?, Compression::best());
    let text = read(script)?;
    encoder.write_all(&text)?;
    encoder.finish()?;
    println!("cargo:rustc-env=CTL_SCRIPT_LENGTH={}", text.len());
    Ok(())
}
