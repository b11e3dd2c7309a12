//! T06: bit rot. Damage below the published end is refused, never guessed around.

use super::{Workload, commit, count, open, state};
use crate::error::StoreError;
use crate::layout::generation_path;
use crate::sys::sim_fs::SimFs;

/// Flips bits of every byte (every `step`-th) of a journal of at least `size` bytes, in the same boot and after a
/// reboot; returns the number of flips.
pub(super) fn rot(size: usize, step: usize) -> Result<usize, String> {
    let fs = SimFs::new();
    let workload = Workload::new(2000, 0, 3);
    let path = generation_path(1);
    for step in &workload.steps {
        commit(&fs, step).map_err(|e| e.to_string())?;
        if fs
            .disk()
            .bytes(&path)
            .is_some_and(|bytes| bytes.len() >= size)
        {
            break;
        }
    }
    let disk = fs.disk();
    let bytes = disk.bytes(&path).ok_or("no journal")?;
    let mut flips = 0;
    for base in [disk.clone(), disk.rebooted()] {
        for at in (0..bytes.len()).step_by(step) {
            for flip in [0x01, 0x20, 0xff] {
                let mut image = base.clone();
                let mut bad = bytes.clone();
                bad[at] ^= flip;
                image.set_bytes(&path, bad);
                flips += 1;
                let fs = SimFs::on(image);
                match open(&fs).and_then(|journal| state(&journal)) {
                    Err(StoreError::Corrupt { file, offset, .. })
                        if file == path && offset <= at as u64 => {}
                    Err(e) => return Err(format!("byte {at}: the wrong refusal: {e}")),
                    Ok(_) => return Err(format!("byte {at} flipped by {flip:#x} was not noticed")),
                }
            }
        }
    }
    Ok(flips)
}

#[test]
fn t06_every_flipped_bit_is_detected() {
    let size = count(8 << 10, 64 << 10);
    let flips = rot(size, count(5, 1)).unwrap();
    eprintln!("T06: {flips} flips, all refused with file and offset");
    assert!(flips >= count(9_000, 390_000));
}
