//! Decides whether a program's files are trusted as the person's own.

use alfred_agent::model::{Snapshot, Source};
use std::fs;
use std::path::Path;

use crate::folder::{SKILLS, WORKERS};
use crate::skill_folder::{is_below, skill_file};

/// Whether every file of a program is built in, or is in the person's data folder with the same text.
pub fn is_own(program: &Snapshot, data: &Path) -> bool {
    let files = program.settings.iter().chain(&program.workers);
    let mut files = files.chain(&program.beside);
    files.all(|file| is_built_in(file) || is_in(file, data))
}

fn is_built_in(file: &Source) -> bool {
    let text = crate::programs::worker(&file.path);
    let text = text.or_else(|| crate::programs::module(&file.path));
    text.is_some_and(|text| text == file.text)
}

fn is_in(file: &Source, data: &Path) -> bool {
    let (folder, path) = match skill_file(&file.path) {
        Some(within) => (data.join(SKILLS), data.join(SKILLS).join(within)),
        None => (data.join(WORKERS), file.path.clone().into()),
    };
    let same = || fs::read_to_string(&path).is_ok_and(|text| text == file.text);
    is_below(&path, &folder) && same()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_testkit::cases;

    #[test]
    fn a_file_is_ones_own_by_place_and_text() {
        let data = tempfile::TempDir::new().unwrap();
        let at = |path: &str| data.path().join(path);
        for (path, text) in [
            ("workers/a.worker", "a"),
            ("skills/s/SKILL.md", "s"),
            ("checkout/a.worker", "a"),
        ] {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), text).unwrap();
        }
        let utility = crate::programs::worker("alfred/utility").unwrap();
        let figures = crate::programs::module("data/figures.js").unwrap();
        cases::check(include_str!("own_cases.txt"), |case| {
            let [file, text] = cases::columns(case);
            let file = file.replace("DATA", &data.path().display().to_string());
            let text = text.replace("UTILITY", &utility);
            let text = text.replace("FIGURES", &figures);
            let files = [("alfred/utility", &*utility), (&*file, &*text)];
            is_own(&Snapshot::of("p", files), data.path()).to_string()
        });
    }
}
