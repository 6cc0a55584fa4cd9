//! Who may what: registration, roles, and what a role doesn't allow.

use crate::user::Role;

/// To somebody who isn't registered, or no longer active.
pub fn not_recognised() -> String {
    "I don't recognise you yet. Please ask an administrator to register you, then write to me again."
        .into()
}

/// To somebody who gives an administrator's order.
pub fn only_administrators() -> String {
    "Only an administrator can do that. I can look people up for you instead.".into()
}

/// To somebody whose role doesn't allow what they want: the missing permission,
/// who gives it, and what is open to them instead. Models read it too.
pub fn denied(what: &str, instead: &str, (needs, has): (Role, Role)) -> String {
    format!(
        "{what} needs the permission of {}, and you are {}. An administrator can give it to you; meanwhile I can {instead} for you.",
        with_article(needs),
        with_article(has)
    )
}

/// A tool that isn't for everybody.
pub fn needs_role(tool: &str, role: Role) -> String {
    format!(
        "Only {} may use {tool}. You can run the tools that only read, such as schedule_viewSchedule.",
        with_article(role)
    )
}

fn with_article(role: Role) -> &'static str {
    match role {
        Role::Admin => "an administrator",
        Role::Member => "a member",
        Role::Guest => "a guest",
    }
}

/// How people are registered.
pub fn users_usage() -> String {
    "I didn't get that. Try `/alfred users add @person member` (or admin, or guest), `/alfred users remove @person`, or `/alfred users list`.".into()
}

/// A line of the list of people.
pub fn registered_person(name: &str, role: Role, is_active: bool) -> String {
    let role = match role {
        Role::Admin => "administrator",
        Role::Member => "member",
        Role::Guest => "guest",
    };
    let served = if is_active { "" } else { ", no longer served" };
    format!("• {name}: {role}{served}")
}

/// Who is registered.
pub fn registered_people(lines: &[String], more: usize) -> String {
    let mut list = format!("Registered with me:\n{}", lines.join("\n"));
    if more > 0 {
        list.push_str(&format!("\nand {more} more. Ask me for anybody by name."));
    }
    list
}

/// An administrator can't change their own role.
pub fn not_yourself() -> String {
    "You can't change your own role. Please ask another administrator.".into()
}

/// Slack or the register doesn't know the person.
pub fn nobody_of_that_id() -> String {
    "I can't find that person. Please mention somebody of this workspace.".into()
}

/// Somebody is registered now.
pub fn registered(name: &str, role: Role) -> String {
    let limit = match role {
        Role::Admin | Role::Member => "",
        Role::Guest => ", who may only read",
    };
    format!("{name} is registered as {}{limit}.", with_article(role))
}

/// Somebody is no longer served.
pub fn removed(name: &str) -> String {
    format!("{name} is no longer served. Their data stays until it is deleted.")
}

/// To somebody whose row can't be read.
pub fn person_unreadable() -> String {
    "I can't read what I keep about you, so I can't work for you right now. An administrator can mend that by adding you again.".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_names_the_permission_and_an_alternative() {
        assert_eq!(
            denied(
                "Changing tasks",
                "list your tasks",
                (Role::Member, Role::Guest)
            ),
            "Changing tasks needs the permission of a member, and you are a guest. An administrator can give it to you; meanwhile I can list your tasks for you."
        );
        assert!(denied("That", "look", (Role::Admin, Role::Member)).contains("an administrator"));
    }
}
