//! Reads the module files that workers name, so that a run can keep them.

use alfred_agent::model::Source;
use std::fs;
use std::path::Path;

use crate::folder::text;
use crate::folder_error::{FolderError, Result, unreadable};
use crate::level::Known;
use crate::problem::Problem;
use crate::toolsets::custom;

const MOST_BYTES: usize = 256 << 10;

/// The modules of these workers, each once. Each must be a file below one of these folders, without links in its path.
pub fn modules(workers: &[&Known], folders: &[&Path]) -> Result<Vec<Source>> {
    let mut found: Vec<Source> = Vec::new();
    for Known { source, file } in workers {
        let module = file.module().unwrap_or_default();
        let wrong = |reason: &str| {
            let words = format!("module \"{module}\": {reason}");
            let problem = Problem::below(source, &["toolsets", "custom", "module"], words);
            FolderError::Wrong(vec![problem])
        };
        // Without a module there is no path. The toolset reports an unusable one.
        let path = custom::path_of(&source.path, &module).unwrap_or_default();
        if path.is_empty() || found.iter().any(|known| known.path == path) {
            continue;
        }
        if !Path::new(&path).exists() {
            return Err(wrong("it isn't there"));
        }
        if !is_within(&source.path, &module, &path, folders)? {
            return Err(wrong("it must be below the program's folder, and no link"));
        }
        let text = text(Path::new(&path))?.text;
        if text.len() > MOST_BYTES {
            return Err(wrong("it is longer than 256 KB"));
        }
        found.push(Source { path, text });
    }
    Ok(found)
}

fn is_within(worker: &str, module: &str, path: &str, folders: &[&Path]) -> Result<bool> {
    let real = |path: &Path| fs::canonicalize(path).map_err(|error| unreadable(path, error));
    let (worker, file) = (real(Path::new(worker))?, real(Path::new(path))?);
    let direct = custom::path_of(&worker.display().to_string(), module);
    if !file.is_file() || !direct.is_ok_and(|direct| Path::new(&direct) == file) {
        return Ok(false);
    }
    for folder in folders.iter().filter(|folder| folder.exists()) {
        let folder = real(folder)?;
        if worker.starts_with(&folder) && file.starts_with(&folder) {
            return Ok(true);
        }
    }
    Ok(false)
}
