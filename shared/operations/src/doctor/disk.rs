//! The disk under the data folder.

use rustix::fs::{Access, access, statvfs};
use std::path::Path;

use super::Finding;

const NAME: &str = "disk";
const MB: u64 = 1_000_000;
const FEW: u64 = 1_000 * MB;
const TOO_FEW: u64 = 100 * MB;

/// Whether the folder, or the one it will be made in, can be written and has room.
pub fn check(folder: &Path) -> Vec<Finding> {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut there = absolute.ancestors().filter(|path| path.exists());
    let place = there.next().unwrap_or(Path::new("/"));
    let shown = place.display();
    if let Err(error) = access(place, Access::WRITE_OK | Access::EXEC_OK) {
        let next = "Make the folder yours, or choose another with --data.";
        let found = format!("{shown} can't be written: {error}");
        return vec![Finding::problem(NAME, found, next)];
    }
    let room = match statvfs(place) {
        Ok(disk) => disk.f_bavail.saturating_mul(disk.f_frsize),
        Err(error) => {
            let found = format!("{shown}: its free space isn't known: {error}");
            return vec![Finding::warning(NAME, found, "Look with `df`.")];
        }
    };
    let found = format!("{} MB free for {shown}", room / MB);
    let next = "Make room, or move the data folder to another disk.";
    vec![if room < TOO_FEW {
        Finding::problem(NAME, found, next)
    } else if room < FEW {
        Finding::warning(NAME, found, next)
    } else {
        Finding::ok(NAME, found)
    }]
}
