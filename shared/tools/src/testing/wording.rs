//! Compares texts with reviewed files.

/// Fails if `now` differs from the reviewed text of a file in `src`.
#[track_caller]
pub(crate) fn assert_reviewed(file: &str, reviewed: &str, now: &str) {
    let path = format!("{}/src/{file}", env!("CARGO_MANIFEST_DIR"));
    alfred_testkit::play::assert_reviewed(&path, reviewed, now);
}
