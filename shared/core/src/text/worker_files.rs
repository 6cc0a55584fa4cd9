//! Words about programs of worker files.

/// A program from a folder that its owner wasn't asked about.
pub fn not_trusted(program: &str) -> String {
    format!("{program}: nobody has let these worker files run yet")
}

/// How such a program is let run where nobody can be asked. `files` say what it is.
pub fn how_to_trust(files: &str, digest: &str) -> String {
    format!(
        "these worker files haven't run for you before:\n{files}\nTheir words guide what is done with your data. \
         Read them, then run this again with --trust {digest}"
    )
}

/// Before a program of a folder runs for the first time.
pub fn trust_question(files: &str) -> String {
    format!(
        "These worker files haven't run for you before:\n{files}\nTheir words guide what is done with your data. Let them run? [y/N] "
    )
}

/// `--trust` names other files than these.
pub fn trusted_otherwise(digest: &str) -> String {
    format!(
        "--trust: these files aren't the ones it names; they are {digest}. Look at what changed first"
    )
}
