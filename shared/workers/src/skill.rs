//! Parses a skill (agentskills.io/specification): a folder with a `SKILL.md`. Unknown fields are errors.

use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

use crate::file::{FileError, NO_INSTRUCTIONS, UNCLOSED, split};

/// The file that makes a folder a skill.
pub const MAIN: &str = "SKILL.md";
/// Limits in characters.
const MOST_NAME: usize = 64;
const MOST_DESCRIPTION: usize = 1024;
const MOST_COMPATIBILITY: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Skill {
    /// Its folder's name: lower case letters, digits and single hyphens, at most 64 characters.
    pub name: String,
    /// What it is for and when to read it, at most 1,024 characters.
    pub description: String,
    pub license: Option<String>,
    /// Its requirements in words, at most 500 characters.
    pub compatibility: Option<String>,
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// The only tools allowed after it was read. `None` allows all.
    #[serde(default, deserialize_with = "names")]
    pub allowed_tools: Option<Vec<String>>,
    #[serde(skip)]
    pub instructions: String,
}

/// A list, or words separated by spaces or commas.
fn names<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        Listed(Vec<String>),
        Said(String),
    }
    let names = Option::<Names>::deserialize(from)?;
    Ok(names.map(|names| match names {
        Names::Listed(names) => names,
        Names::Said(words) => {
            let words = words.split([' ', ',', '\n']);
            let words = words.filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        }
    }))
}

impl Skill {
    /// Parses the `SKILL.md` in the folder of this name. `path` is for error messages.
    pub fn parse(folder: &str, path: &str, text: &str) -> Result<Self, FileError> {
        Self::read(folder, text).map_err(FileError::of(path))
    }

    fn read(folder: &str, text: &str) -> Result<Self, String> {
        let (yaml, body) = split(text.strip_prefix('\u{feff}').unwrap_or(text)).ok_or(UNCLOSED)?;
        let skill = serde_saphyr::from_str::<Self>(yaml);
        let mut skill = skill.map_err(|error| error.to_string())?;
        if body.trim().is_empty() {
            return Err(NO_INSTRUCTIONS.into());
        }
        body.trim().clone_into(&mut skill.instructions);
        skill.check(folder)?;
        Ok(skill)
    }

    fn check(&self, folder: &str) -> Result<(), String> {
        let fits = |text: &str, most| !text.trim().is_empty() && text.chars().count() <= most;
        let needs = self.compatibility.as_deref();
        let wrong = if !is_name(&self.name) {
            "name: must be 1 to 64 small letters, digits and single hyphens between them"
        } else if self.name != folder {
            return Err(format!("name: must be its folder's, which is \"{folder}\""));
        } else if !fits(&self.description, MOST_DESCRIPTION) {
            "description: must have 1 to 1024 characters"
        } else if !needs.is_none_or(|needs| fits(needs, MOST_COMPATIBILITY)) {
            "compatibility: must have 1 to 500 characters"
        } else {
            return Ok(());
        };
        Err(wrong.into())
    }
}

/// Whether this can be a skill's name, and so only one folder's name.
pub fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let parts = name.split('-').all(|part| !part.is_empty());
    name.len() <= MOST_NAME && parts && name.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_testkit::cases;

    #[test]
    fn a_skill_is_read_strictly() {
        let said = |front: &str, body: &str| {
            let text = format!("---\n{front}\n---\n{body}");
            match Skill::parse("minutes", "SKILL.md", &text) {
                Ok(skill) => format!("{:?} {}", skill.allowed_tools, skill.instructions),
                Err(error) => error.to_string().lines().next().unwrap().to_owned(),
            }
        };
        cases::check(include_str!("skill_cases.txt"), |front| said(front, "x\n"));
        let name = "name: minutes\ndescription: d";
        let empty = "SKILL.md: no instructions; write them as the body, or as `instructions:`";
        assert_eq!(said(name, " \n"), empty);
        let long = |n: usize| "x".repeat(n);
        let description = format!("name: minutes\ndescription: {}", long(1025));
        let expected = "SKILL.md: description: must have 1 to 1024 characters";
        assert_eq!(said(&description, "x"), expected);
        let compatibility = format!("{name}\ncompatibility: {}", long(501));
        let expected = "SKILL.md: compatibility: must have 1 to 500 characters";
        assert_eq!(said(&compatibility, "x"), expected);
        assert!(said(&format!("{name}\nmodel: opus"), "x").contains("model"));
        assert!(said("name: minutes", "x").contains("description"));
    }

    #[test]
    fn a_name_is_a_folder_and_nothing_else() {
        assert!(is_name("a") && is_name("a-1") && is_name(&"a".repeat(64)));
        let long = "a".repeat(65);
        for name in ["a--b", "-a", "a-", "A", "a/b", "..", "", "ä", &long] {
            assert!(!is_name(name), "{name}");
        }
    }
}
