//! Checks the documents' settings and links against the code.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
}

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            if !["tests", "target", "testkit", "benches"].contains(&name.as_str()) {
                files(&path, ending, found);
            }
        } else if name.ends_with(ending) && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// Names of settings between two marks.
fn settings(text: &str, mark: char) -> BTreeSet<String> {
    let is_setting = |word: &&str| {
        let known = ["ALFRED_", "SLACK_", "AWS_"];
        let ends = ["_TABLE", "_BUCKET", "_QUEUE_URL", "_API_KEY", "_BASE_URL"];
        let is_name = word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        let begins = known.iter().any(|start| word.starts_with(start));
        is_name && (begins || ends.iter().any(|end| word.ends_with(end)))
    };
    let words = text.split(mark).filter(is_setting);
    words.map(str::to_owned).collect()
}

#[test]
fn every_setting_is_documented_and_every_documented_one_is_read() {
    let mut sources = Vec::new();
    for folder in ["functions", "shared", "infra"] {
        files(&root().join(folder), ".rs", &mut sources);
    }
    let read = |path: &PathBuf| settings(&fs::read_to_string(path).unwrap(), '"');
    let mut read: BTreeSet<String> = sources.iter().flat_map(read).collect();
    read.extend(alfred_models::known_key_variables());
    // Settings for developers, documented in CONTRIBUTING.md and the README.
    for name in ["ALFRED_TEST_CHROMIUM", "ALFRED_UPDATE_GOLDEN"] {
        read.remove(name);
    }
    let documented = fs::read_to_string(root().join("docs/configuration.md")).unwrap();
    assert_eq!(settings(&documented, '`'), read);
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut documents = Vec::new();
    files(&root(), ".md", &mut documents);
    assert!(documents.len() >= 10, "{documents:?}");
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for link in text.split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => document.clone(),
                file => document.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link}", document.display());
            if !heading.is_empty() {
                let there = fs::read_to_string(&target).unwrap();
                let there = there.lines().filter(|line| line.starts_with('#'));
                let found = there.map(anchor).any(|anchor| anchor == heading);
                assert!(found, "{}: {link}", document.display());
            }
        }
    }
}

#[test]
fn the_examples_of_tools_are_compiled_and_tested() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let document = read("docs/tools.md");
    let mut examples = document.split("```rust\n").skip(1);
    for tool in ["time/now.rs", "task/raise_priority.rs"] {
        let (example, _) = examples.next().unwrap().split_once("```\n").unwrap();
        let tool = read(&format!("shared/tools/src/{tool}"));
        assert_eq!(example, tool.split("\n#[cfg(test)]").next().unwrap());
    }
}

fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let letters = words.chars();
    let kept = letters.filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn documents_stay_short() {
    let mut pages = vec![root().join("README.md"), root().join("ARCHITECTURE.md")];
    files(&root().join("docs"), ".md", &mut pages);
    for page in pages {
        let most = match page.file_name().unwrap().to_str().unwrap() {
            "ARCHITECTURE.md" => 1_600,
            // A reference, not a text.
            "configuration.md" => 1_000,
            _ => 900,
        };
        let words = fs::read_to_string(&page).unwrap();
        let words = words.split_whitespace().count();
        assert!(words <= most, "{}: {words} words", page.display());
    }
}
