//! Compares texts with reviewed files.

/// Fails with the first lines in which `now` differs from the reviewed text of a file in `src`.
/// `INSTA_UPDATE=always` writes it to the file.
pub(crate) fn assert_reviewed(file: &str, reviewed: &str, now: &str) {
    if reviewed == now {
        return;
    }
    if std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always") {
        let path = format!("{}/src/{file}", env!("CARGO_MANIFEST_DIR"));
        return std::fs::write(path, now).unwrap();
    }
    let pairs = reviewed.lines().zip(now.lines());
    let same = pairs.take_while(|(old, new)| old == new).count();
    let part = |text: &str, sign: &str| -> String {
        let lines = text.lines().skip(same).take(8);
        lines.map(|line| format!("{sign} {line}\n")).collect()
    };
    let before: Vec<&str> = reviewed.lines().take(same).collect();
    let title = before.iter().rfind(|line| line.starts_with("# "));
    panic!(
        "{file}: {}\n  {}\n{}{}Accept intended changes with INSTA_UPDATE=always.",
        title.unwrap_or(&""),
        before.last().unwrap_or(&""),
        part(reviewed, "-"),
        part(now, "+")
    );
}
