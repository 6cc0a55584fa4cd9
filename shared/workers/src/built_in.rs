//! Alfred's own programs as snapshots that a run keeps.

use alfred_agent::model::{Snapshot, Source};
use std::borrow::Cow;

/// A snapshot of these built-in worker files, the entry first, with all modules of the folder. A later
/// release doesn't change the run.
pub fn built_in(program: &str, workers: impl IntoIterator<Item = String>) -> Snapshot {
    let modules = crate::programs::modules_of(program).into_iter();
    Snapshot {
        name: program.to_owned(),
        workers: sources(workers, crate::programs::worker),
        beside: sources(modules, crate::programs::module),
        ..Snapshot::default()
    }
}

fn sources(
    paths: impl IntoIterator<Item = String>,
    text: impl Fn(&str) -> Option<Cow<'static, str>>,
) -> Vec<Source> {
    let source = |path: String| {
        let text = text(&path)?.into_owned();
        Some(Source { path, text })
    };
    paths.into_iter().filter_map(source).collect()
}
