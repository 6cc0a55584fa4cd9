//! Paths inside a sandbox: absolute, normalized, with exactly one spelling.

use icu_normalizer::ComposingNormalizerBorrowed;
use serde::{Deserialize, Serialize};
use std::fmt;

use super::FilesError;
use crate::invisible;

/// Maximum bytes of a path. It must fit in DynamoDB's sort key.
pub const MOST_PATH_BYTES: usize = 512;
/// Maximum bytes of a name, within the limits of file systems.
const MOST_NAME_BYTES: usize = 200;
const MOST_DEPTH: usize = 32;
/// Prefix of files that are being written. They can't be read or listed.
pub const UNFINISHED: &str = ".alfred-unfinished-";

/// An absolute path such as `/notes/today.md`; `/` is the root. It contains no `.`, `..` or empty
/// names and no invisible characters. Letters are in Unicode NFC.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VirtualPath(String);

impl VirtualPath {
    pub fn root() -> Self {
        Self("/".into())
    }

    /// Parses a path and resolves `.` and `..`. Fails with `InvalidPath` if it isn't absolute, leaves the
    /// root or is too long. Also if some file system would treat a name as another one.
    pub fn parse(text: &str) -> Result<Self, FilesError> {
        let wrong = |why| FilesError::InvalidPath {
            path: invisible::shown_on_one_line(text),
            why,
        };
        if text.len() > MOST_PATH_BYTES {
            let (path, why) = ("the path".into(), "is longer than 512 bytes");
            return Err(FilesError::InvalidPath { path, why });
        }
        let below = text.strip_prefix('/');
        let below = below.ok_or_else(|| wrong("must begin with /"))?;
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
        if names.len() > MOST_DEPTH {
            return Err(wrong("is more than 32 folders deep"));
        }
        Ok(Self(format!("/{}", names.join("/"))))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// The last name; `None` for the root.
    pub fn name(&self) -> Option<&str> {
        self.names().next_back()
    }

    /// The folders that contain it, from the nearest to the root.
    pub fn above(&self) -> impl Iterator<Item = Self> {
        let names: Vec<&str> = self.names().collect();
        let above = (0..names.len()).rev();
        let above = above.map(|depth| Self(format!("/{}", names[..depth].join("/"))));
        above.collect::<Vec<_>>().into_iter()
    }

    /// The path relative to a folder that contains it; `/` for the folder itself.
    pub fn below(&self, folder: &Self) -> Option<Self> {
        if folder.0 == "/" {
            return Some(self.clone());
        }
        match self.0.strip_prefix(&folder.0)? {
            "" => Some(Self::root()),
            rest => rest.starts_with('/').then(|| Self(rest.to_owned())),
        }
    }

    /// The path `inner` inside this folder. Fails with `InvalidPath` if the result is too long.
    pub fn join(&self, inner: &Self) -> Result<Self, FilesError> {
        Self::parse(&format!("{}{}", self.0, inner.0))
    }

    /// A form that is equal for paths that some file system treats as the same.
    pub fn folded(&self) -> String {
        folded(&self.0)
    }

    /// Whether a name on disk can be part of a path.
    pub fn takes(name: &str) -> bool {
        check(name).is_ok()
    }
}

/// A name in lower case and Unicode NFC.
pub fn folded(name: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(name);
    composed.to_lowercase()
}

/// Checks that a name means the same on every file system.
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
    if name.starts_with(UNFINISHED) {
        return Err("names a file that is being written");
    }
    Ok(())
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
            let path = read.as_ref().ok().map(VirtualPath::as_str);
            assert_eq!(path, expected, "{text:?}");
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
