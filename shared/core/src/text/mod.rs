//! Everything Alfred says by itself, in one place. Nothing here names an
//! internal, an error code or a stack.

mod accounts;
mod approvals;
mod cards;
mod day;
mod effects;
mod habits;
mod mail;
mod modals;
mod workflows;

pub use accounts::*;
pub use approvals::*;
pub use cards::*;
pub use day::*;
pub use effects::*;
pub use habits::*;
pub use mail::*;
pub use modals::*;
pub use workflows::*;

use std::time::Duration;

use crate::user::Role;

/// The name people see.
pub const NAME: &str = "Alfred";

/// To somebody who isn't registered, or no longer active.
#[must_use]
pub fn not_recognised() -> String {
    "I don't recognise you yet. Please ask an administrator to register you, then write to me again."
        .into()
}

/// To somebody who gives an administrator's order.
#[must_use]
pub fn only_administrators() -> String {
    "Only an administrator can do that. I can look people up for you instead.".into()
}

/// To somebody whose role doesn't allow what they want: the missing permission,
/// who gives it, and what is open to them instead. Models read it too.
#[must_use]
pub fn denied(what: &str, instead: &str, (needs, has): (Role, Role)) -> String {
    format!(
        "{what} needs the permission of {}, and you are {}. An administrator can give it to you; meanwhile I can {instead} for you.",
        with_article(needs),
        with_article(has)
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
#[must_use]
pub fn users_usage() -> String {
    "I didn't get that. Try `/alfred users add @person member` (or admin, or guest), `/alfred users remove @person`, or `/alfred users list`.".into()
}

/// A line of the list of people.
#[must_use]
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
#[must_use]
pub fn registered_people(lines: &[String], more: usize) -> String {
    let mut list = format!("Registered with me:\n{}", lines.join("\n"));
    if more > 0 {
        list.push_str(&format!("\nand {more} more. Ask me for anybody by name."));
    }
    list
}

/// An administrator can't change their own role.
#[must_use]
pub fn not_yourself() -> String {
    "You can't change your own role. Please ask another administrator.".into()
}

/// Slack or the register doesn't know the person.
#[must_use]
pub fn nobody_of_that_id() -> String {
    "I can't find that person. Please mention somebody of this workspace.".into()
}

/// How a tool is called without a model.
#[must_use]
pub fn run_usage() -> String {
    "I didn't get that. Try `/alfred run schedule_viewSchedule date=tomorrow`, with quotes around words that belong together.".into()
}

/// A tool there isn't, with the names that come near.
#[must_use]
pub fn no_such_tool(name: &str, near: &[String]) -> String {
    if near.is_empty() {
        return format!("There is no tool called {name}.");
    }
    format!(
        "There is no tool called {name}. Did you mean {}?",
        near.join(", ")
    )
}

/// Arguments that a tool can't take; what is wrong names the field.
#[must_use]
pub fn bad_call(tool: &str, wrong: &str) -> String {
    format!("{tool} can't take that: {wrong}.")
}

/// A tool said no; its reason is for people as much as for models.
#[must_use]
pub fn tool_failed(tool: &str, reason: &str) -> String {
    format!("{tool} didn't work: {}.", reason.trim_end_matches('.'))
}

/// A tool that isn't for everybody.
#[must_use]
pub fn needs_role(tool: &str, role: Role) -> String {
    let role = match role {
        Role::Admin => "an administrator",
        Role::Member => "a member",
        Role::Guest => "a guest",
    };
    format!(
        "Only {role} may use {tool}. You can run the tools that only read, such as schedule_viewSchedule."
    )
}

/// A tool that did its work and has nothing to show.
#[must_use]
pub fn done() -> &'static str {
    "Done."
}

/// Somebody is registered now.
#[must_use]
pub fn registered(name: &str, role: Role) -> String {
    let limit = match role {
        Role::Admin | Role::Member => "",
        Role::Guest => ", who may only read",
    };
    format!("{name} is registered as {}{limit}.", with_article(role))
}

/// Somebody is no longer served.
#[must_use]
pub fn removed(name: &str) -> String {
    format!("{name} is no longer served. Their data stays until it is deleted.")
}

/// Shown while a complex request is taken up.
#[must_use]
pub fn taken_up(teams: &[String]) -> String {
    format!("On it. I'm bringing in: {}.", teams.join(", "))
}

/// The ledger of a reply after which nothing was changed.
#[must_use]
pub fn nothing_changed() -> &'static str {
    "Nothing was sent or changed."
}

/// A call that the configuration blocks; for the model.
#[must_use]
pub fn blocked(tool: &str) -> String {
    format!("Not allowed: an administrator has blocked {tool} here. Nothing was done.")
}

/// A call while all effects are paused; for the model.
#[must_use]
pub fn effects_paused() -> String {
    "Not allowed now: an administrator has paused everything that sends or changes something. Nothing was done. Reading still works.".into()
}

/// A call where approvals are denied; for the model.
#[must_use]
pub fn auto_denied(tool: &str) -> String {
    format!(
        "Denied: {tool} needs an approval, and here approvals are always denied. Nothing was done."
    )
}

/// What was approved is no longer what would run; for the model.
#[must_use]
pub fn drifted() -> String {
    "Not done: what was approved is no longer what would run now. Call the tool again to ask anew."
        .into()
}

/// The owner said no; for the model.
#[must_use]
pub fn rejected(note: Option<&str>) -> String {
    match note {
        Some(note) => format!(
            "The person rejected this, and said: \"{note}\". Nothing was done. Don't call it again unchanged."
        ),
        None => "The person rejected this. Nothing was done. Don't call it again unchanged.".into(),
    }
}

/// Nobody decided in time; for the model.
#[must_use]
pub fn expired_unseen() -> String {
    "The approval expired before the person decided. Nothing was done. They can renew it with the button on its card.".into()
}

/// An effect nobody can tell the outcome of, left so by its owner; for the model.
#[must_use]
pub fn left_unknown() -> String {
    "Nobody can tell whether this happened, and it was left at that. Say so plainly.".into()
}

/// An effect that certainly didn't happen because its provider is away; for the model.
#[must_use]
pub fn not_reached() -> String {
    "It could not be reached, and certainly nothing was done. Say so; the person can ask again in a moment.".into()
}

/// An effect that certainly didn't happen because its provider asked to wait again and again; for the model.
#[must_use]
pub fn not_taken_in_time() -> String {
    "The service kept asking to wait, for longer than the approval was good for, so it was given up and certainly nothing was done. Say so; the person can ask again later.".into()
}

/// On the card of what its provider takes later.
#[must_use]
pub fn waits_for_provider(minutes: u64) -> String {
    match minutes {
        0 | 1 => "The service takes no more just now; I'll try again in a minute.".into(),
        minutes => format!(
            "The service takes no more just now; I'll try again in about {minutes} minutes."
        ),
    }
}

/// The notification of a ledger that stands alone.
#[must_use]
pub fn what_was_done() -> &'static str {
    "What was done"
}

/// How a receipt begins.
pub const RECEIPT: char = '✓';

/// The end of a ledger too long to show whole.
#[must_use]
pub fn more_done(count: usize) -> String {
    format!("{RECEIPT} and {count} more; `alfred trace` lists them all")
}

/// The model took too long.
#[must_use]
pub fn timed_out() -> String {
    "That took longer than I can wait. Please try again in a moment.".into()
}

/// The model's provider limits us, and says for how long.
#[must_use]
pub fn too_many_requests(wait: Option<Duration>) -> String {
    let minutes = wait.map_or(1, |wait| wait.as_secs().div_ceil(60));
    let again = match minutes {
        0 | 1 => "in a minute".into(),
        2..=90 => format!("in {minutes} minutes"),
        91..=2_880 => format!("in {} hours", minutes.div_ceil(60)),
        _ => "later".into(),
    };
    format!("I'm being asked too much at once right now. Please try again {again}.")
}

/// One service is out of reach.
#[must_use]
pub fn cannot_reach(what: &str) -> String {
    format!("I couldn't reach {what} just now. Please try again in a moment.")
}

/// The model's provider wouldn't answer that.
#[must_use]
pub fn declined() -> String {
    "My language model declined to answer that. Could you put it differently?".into()
}

/// The model answered with something that is no answer.
#[must_use]
pub fn unusable_answer() -> String {
    "My language model gave an answer I can't use. Please try again in a moment.".into()
}

/// Anything else.
#[must_use]
pub fn unexpected() -> String {
    "Something went wrong on my side, and it has been noted. Please try again.".into()
}

/// Of a request whose message went to the dead letters.
#[must_use]
pub fn gave_up() -> String {
    "I couldn't finish what you asked for: something on my side kept failing, and it has been noted. Please ask again.".into()
}

/// To somebody whose row can't be read.
#[must_use]
pub fn person_unreadable() -> String {
    "I can't read what I keep about you, so I can't work for you right now. An administrator can mend that by adding you again.".into()
}

/// Before the first answer in a conversation whose memory can't be read.
#[must_use]
pub fn memory_lost() -> String {
    "I've lost what was said in this conversation before, so I start afresh here. If an answer is still missing, please ask again.".into()
}

/// In the stead of an answer that Slack won't take in any form.
#[must_use]
pub fn answer_refused() -> String {
    "I finished, but Slack wouldn't take my answer. Please ask me about it again.".into()
}

/// The loop ran into its iteration limit.
#[must_use]
pub fn too_many_steps(limit: u32) -> String {
    format!(
        "I stopped after {limit} steps without finishing. Could you break the request into smaller parts?"
    )
}

/// The run's budget is used up.
#[must_use]
pub fn over_budget() -> String {
    "I stopped because this request used up its budget. Could you make it smaller?".into()
}

/// A stopped run.
#[must_use]
pub fn stopped() -> String {
    "Stopped, as you asked.".into()
}

/// An empty message.
#[must_use]
pub fn say_something() -> String {
    "You wrote nothing I can read. What can I do for you?".into()
}

/// Files without a word about them.
#[must_use]
pub fn cannot_open_files() -> String {
    "I can't open files yet. Tell me in words what it is about, and I'll see what I can do.".into()
}

/// A message over Slack's limit.
#[must_use]
pub fn too_long(limit: usize) -> String {
    format!("That is too long for one message: Slack takes {limit} characters. Could you split it?")
}

/// A command or click this release doesn't know.
#[must_use]
pub fn unknown_command() -> String {
    "I don't know that command. Write to me in plain words instead.".into()
}

/// A command that couldn't be taken; Slack doesn't repeat those.
#[must_use]
pub fn command_not_taken() -> &'static str {
    "I couldn't take that just now. Please try again."
}

/// Title of the modal in which a pending action is edited; Slack takes 24 characters.
#[must_use]
pub fn edit_title() -> &'static str {
    "Edit before approval"
}

/// In a modal that is still being filled.
#[must_use]
pub fn loading() -> &'static str {
    "One moment…"
}

/// Under a field of a modal that was left empty.
#[must_use]
pub fn field_needed() -> &'static str {
    "Please fill this in."
}

/// Joins an answer that needs several messages.
#[must_use]
pub fn continued(part: usize, parts: usize) -> String {
    format!("_({part}/{parts})_")
}

/// Status line while the model thinks.
#[must_use]
pub fn status_thinking() -> &'static str {
    "is thinking…"
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_denial_names_the_permission_and_an_alternative() {
        use crate::user::Role;
        assert_eq!(
            super::denied(
                "Changing tasks",
                "list your tasks",
                (Role::Member, Role::Guest)
            ),
            "Changing tasks needs the permission of a member, and you are a guest. An administrator can give it to you; meanwhile I can list your tasks for you."
        );
        assert!(
            super::denied("That", "look", (Role::Admin, Role::Member)).contains("an administrator")
        );
    }

    #[test]
    fn errors_are_one_friendly_line_without_internals() {
        let texts = [
            super::timed_out(),
            super::too_many_requests(None),
            super::cannot_reach("Slack"),
            super::declined(),
            super::unusable_answer(),
            super::unexpected(),
        ];
        for text in texts {
            assert!(!text.contains('\n') && text.ends_with(['.', '?']), "{text}");
        }
    }
}
