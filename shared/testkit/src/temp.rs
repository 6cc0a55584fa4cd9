use std::path::Path;
use tempfile::TempDir;

/// Makes an empty folder that is deleted with the value. Where the machine has `/dev/shm`, it lies in memory:
/// syncing a file to a disk takes 10 ms, which is most of the time of tests that write files.
pub fn temp_dir() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        TempDir::new_in(memory).unwrap()
    } else {
        TempDir::new().unwrap()
    }
}
