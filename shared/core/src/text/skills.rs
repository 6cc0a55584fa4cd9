//! Words about skills, for the model that reads them.

/// To a call of a tool that a skill doesn't allow.
pub fn ruled_out(tool: &str) -> String {
    format!(
        "{tool}: a skill you read doesn't allow this tool. Go on without it, or say what couldn't be done."
    )
}

/// There is no skill of this name.
pub fn no_such_skill(name: &str, there_are: &[&str]) -> String {
    format!(
        "skill: there is no skill \"{name}\"; there are: {}",
        there_are.join(", ")
    )
}

/// A skill has no such file.
pub fn no_such_skill_file(skill: &str, file: &str) -> String {
    format!("file: the skill {skill} has no file \"{file}\"; reading it without file lists them")
}
