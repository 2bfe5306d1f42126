//! One file, one recorder.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use gametape_wire::{Error, Result};

/// Locks a file for recording, until it is closed. Refused where another recorder has it, in this process
/// or another one.
///
/// Where the system has no locks, nothing is locked.
pub fn lock_recording(file: &File) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(Error::unwritable(0, "tape", "somebody is recording into it"))
        }
        Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => {
            Ok(())
        }
        Err(TryLockError::Error(error)) => Err(Error::unwritable(0, "tape", error)),
    }
}

/// Opens a file to be recorded into from its beginning. Nothing is lost before it is locked.
pub(super) fn replace(path: &Path) -> Result<File> {
    let unwritable = |error: std::io::Error| Error::unwritable(0, "tape", error);
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path).map_err(unwritable)?;
    lock_recording(&file)?;
    file.set_len(0).map_err(unwritable)?;
    Ok(file)
}
