//! Paths inside a sandbox (seed 004 §5.2): absolute, resolved, and spelled in one way only.

use icu_normalizer::ComposingNormalizerBorrowed;
use serde::{Deserialize, Serialize};
use std::fmt;

use super::FilesError;
use crate::invisible;

/// The longest path, in bytes: with a person's partition it fits DynamoDB's sort key.
pub const MOST_PATH_BYTES: usize = 512;
/// The longest name in it, in bytes: as file systems have it.
const MOST_NAME_BYTES: usize = 200;
/// Folders below one another.
const MOST_DEPTH: usize = 32;
/// Begins the names of files that are being written; nobody reads or lists them.
pub const UNFINISHED: &str = ".alfred-unfinished-";

/// An absolute path such as `/notes/today.md`; `/` is the root. It holds no `.`, `..` or empty name, nothing that no
/// reader sees, and each letter in one form (Unicode NFC).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VirtualPath(String);

impl VirtualPath {
    /// The root.
    pub fn root() -> Self {
        Self("/".into())
    }

    /// Reads a path; `.` and `..` are resolved.
    ///
    /// # Errors
    /// `InvalidPath` for one that isn't absolute, leads out of the root, is too long, or holds a name that some file
    /// system would take for another one.
    pub fn parse(text: &str) -> Result<Self, FilesError> {
        let wrong = |why| FilesError::InvalidPath {
            path: invisible::shown_on_one_line(text),
            why,
        };
        if text.len() > MOST_PATH_BYTES {
            return Err(FilesError::InvalidPath {
                path: "the path".into(),
                why: "is longer than 512 bytes",
            });
        }
        let below = text
            .strip_prefix('/')
            .ok_or_else(|| wrong("must begin with /"))?;
        let mut names: Vec<&str> = Vec::new();
        for name in below.split('/') {
            match name {
                "" | "." => {}
                ".." => drop(names.pop().ok_or_else(|| wrong("leads out of the root"))?),
                name => {
                    check(name).map_err(wrong)?;
                    names.push(name);
                }
            }
        }
        match names.len() > MOST_DEPTH {
            true => Err(wrong("is more than 32 folders deep")),
            false => Ok(Self(format!("/{}", names.join("/")))),
        }
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its names from the root on.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// Its last name; none of the root.
    pub fn name(&self) -> Option<&str> {
        self.names().next_back()
    }

    /// The folders in which it is, the nearest first, the root last.
    pub fn above(&self) -> impl Iterator<Item = Self> {
        let names: Vec<&str> = self.names().collect();
        let above = (0..names.len()).rev();
        let above: Vec<Self> = above
            .map(|depth| Self(format!("/{}", names[..depth].join("/"))))
            .collect();
        above.into_iter()
    }

    /// What is left of it below this folder; `/` of the folder itself. Only whole names count.
    pub fn below(&self, folder: &Self) -> Option<Self> {
        if folder.0 == "/" {
            return Some(self.clone());
        }
        match self.0.strip_prefix(&folder.0)? {
            "" => Some(Self::root()),
            rest => rest.starts_with('/').then(|| Self(rest.to_owned())),
        }
    }

    /// This path with the root of the other one here.
    ///
    /// # Errors
    /// `InvalidPath` when both together are too long.
    pub fn join(&self, inner: &Self) -> Result<Self, FilesError> {
        Self::parse(&format!("{}{}", self.0, inner.0))
    }

    /// What two paths have in common that some file system takes for one.
    pub fn folded(&self) -> String {
        folded(&self.0)
    }

    /// Whether it could be a name in a path: what is on a disk under another one can't be named.
    pub fn takes(name: &str) -> bool {
        check(name).is_ok()
    }
}

/// A name without its case and without the form of its letters.
pub fn folded(name: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(name);
    composed.to_lowercase()
}

/// Whether a name means the same wherever it is written.
fn check(name: &str) -> Result<(), &'static str> {
    if name.len() > MOST_NAME_BYTES {
        return Err("holds a name longer than 200 bytes");
    }
    if name.contains(['\\', '\0']) || name.chars().any(char::is_control) {
        return Err("holds a character that no name may hold");
    }
    if invisible::removed(name) != name {
        return Err("holds what no reader sees");
    }
    if name.trim() != name || name.ends_with('.') {
        return Err("holds a name that ends in a dot, or begins or ends in white space");
    }
    if !ComposingNormalizerBorrowed::new_nfc().is_normalized(name) {
        return Err("holds letters that aren't in their usual form (Unicode NFC)");
    }
    match name.starts_with(UNFINISHED) {
        true => Err("names a file that is being written"),
        false => Ok(()),
    }
}

impl fmt::Display for VirtualPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for VirtualPath {
    type Error = FilesError;

    fn try_from(text: String) -> Result<Self, FilesError> {
        Self::parse(&text)
    }
}

impl From<VirtualPath> for String {
    fn from(path: VirtualPath) -> Self {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_resolved_or_refused() {
        let long = format!("/{}", "a".repeat(201));
        let deep = "/a".repeat(33);
        for (text, expected) in [
            ("/", Some("/")),
            ("/a/./b//c/", Some("/a/b/c")),
            ("/a/../b", Some("/b")),
            ("/a/b/../../c", Some("/c")),
            ("/.hidden/ä", Some("/.hidden/ä")),
            ("", None),
            ("a", None),
            ("./a", None),
            ("C:\\a", None),
            ("/..", None),
            ("/a/../../b", None),
            ("/a\\..\\b", None),
            ("/a\0", None),
            ("/a\nb", None),
            ("/a\u{202e}b", None),
            ("/a\u{200b}", None),
            ("/a\u{308}", None),
            ("/a.", None),
            ("/a /b", None),
            ("/... ", None),
            ("/.alfred-unfinished-1", None),
            (&long, None),
            (&deep, None),
        ] {
            let read = VirtualPath::parse(text);
            let code = read.as_ref().err().map(FilesError::code);
            assert_eq!(
                read.as_ref().ok().map(VirtualPath::as_str),
                expected,
                "{text:?}"
            );
            assert_eq!(code, expected.is_none().then_some("INVALID_PATH"));
        }
    }

    #[test]
    fn below_and_join_know_whole_names() {
        let path = |text| VirtualPath::parse(text).unwrap();
        let below = |one, other| path(one).below(&path(other)).map(String::from);
        assert_eq!(below("/a/b", "/a").as_deref(), Some("/b"));
        assert_eq!(below("/a", "/a").as_deref(), Some("/"));
        assert_eq!(below("/a/b", "/").as_deref(), Some("/a/b"));
        assert_eq!(below("/ab", "/a"), None);
        assert_eq!(path("/a").join(&path("/")).unwrap(), path("/a"));
        assert_eq!(path("/").join(&path("/b")).unwrap(), path("/b"));
        let above: Vec<String> = path("/a/b/c").above().map(String::from).collect();
        assert_eq!(above, ["/a/b", "/a", "/"]);
    }
}
