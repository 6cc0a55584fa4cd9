use tempfile::TempDir;

/// Makes an empty folder that is deleted with the value. Where the machine has `/dev/shm`, it lies in memory:
/// syncing a file to a disk takes 10 ms, which is most of the time of tests that write files.
pub fn temp_dir() -> TempDir {
    let in_memory = TempDir::new_in("/dev/shm");
    in_memory.or_else(|_| TempDir::new()).unwrap()
}
