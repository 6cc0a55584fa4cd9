//! Packages of npm that tests use, as archives whose content is known.

use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::Command;

use crate::tools::Installation;

/// Lays the files of a package into a new folder, under `package`. `digest` is the SHA-256 of its archive.
pub(crate) fn package(name: &str, version: &str, digest: &str, installation: &Installation) {
    let into = installation.folder();
    std::fs::create_dir_all(into).unwrap();
    let mut pack = Command::new("npm");
    pack.args(["pack", "--silent", "--pack-destination"]);
    pack.arg(into).arg(format!("{name}@{version}"));
    installation.run(pack.current_dir(into));
    let file = name.trim_start_matches('@').replace('/', "-");
    let archive = into.join(format!("{file}-{version}.tgz"));
    let found = hex::encode(Sha256::digest(std::fs::read(&archive).unwrap()));
    assert_eq!(found, digest, "{name} {version} isn't what it was");
    untar(&archive, installation);
    std::fs::remove_file(archive).unwrap();
}

pub(crate) fn untar(archive: &Path, installation: &Installation) {
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(archive).arg("-C");
    installation.run(tar.arg(installation.folder()));
}
