//! The programs of Alfred: folders of worker files and modules of their tools, embedded at build. A new
//! team is a new folder with a `manager.worker`; nothing else names it.

use alfred_agent::model::{Snapshot, Source};
use rust_embed::RustEmbed;
use std::borrow::Cow;

#[derive(RustEmbed)]
#[folder = "programs"]
#[include = "*/*.worker"]
#[include = "*/*.js"]
struct Files;

/// The text of a worker file, such as `alfred/utility`.
pub fn worker(path: &str) -> Option<Cow<'static, str>> {
    text(&format!("{path}.worker"))
}

/// The text of a module of tools, such as `data/sums.js`.
pub fn module(path: &str) -> Option<Cow<'static, str>> {
    text(path).filter(|_| path.ends_with(".js"))
}

fn text(path: &str) -> Option<Cow<'static, str>> {
    match Files::get(path)?.data {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

/// All worker files, as `folder/name`, sorted.
pub fn workers() -> Vec<String> {
    let paths = Files::iter();
    let paths = paths.filter_map(|path| path.strip_suffix(".worker").map(str::to_owned));
    let mut paths: Vec<String> = paths.collect();
    paths.sort();
    paths
}

/// The worker files of a team, its manager's first.
pub fn workers_of(team: &str) -> Vec<String> {
    let prefix = format!("{team}/");
    let manager = format!("{prefix}manager");
    let mut paths = workers();
    paths.retain(|path| path.starts_with(&prefix));
    paths.sort_by_key(|path| *path != manager);
    paths
}

/// The teams: every folder with a `manager.worker`, sorted.
pub fn teams() -> Vec<String> {
    let paths = workers().into_iter();
    let teams = paths.filter_map(|path| path.strip_suffix("/manager").map(str::to_owned));
    teams.collect()
}

/// A snapshot of these worker files, the entry first, with all modules of the program's folder. A later release
/// doesn't change the run.
pub fn built_in(program: &str, workers: impl IntoIterator<Item = String>) -> Snapshot {
    let source = |path: String| {
        let text = worker(&path).or_else(|| module(&path))?.into_owned();
        Some(Source { path, text })
    };
    let prefix = format!("{program}/");
    let mut modules: Vec<String> = Files::iter().map(Cow::into_owned).collect();
    modules.retain(|path| path.starts_with(&prefix) && path.ends_with(".js"));
    modules.sort();
    Snapshot {
        name: program.to_owned(),
        workers: workers.into_iter().filter_map(source).collect(),
        beside: modules.into_iter().filter_map(source).collect(),
        ..Snapshot::default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_programs_are_embedded() {
        assert!(super::worker("alfred/utility").is_some_and(|text| text.starts_with("---")));
        let teams = super::teams().join(" ");
        assert_eq!(teams, "communications data marketing research scheduling");
        assert_eq!(super::worker("alfred/nobody"), None);
    }
}
