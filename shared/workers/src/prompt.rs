//! The system prompt: the worker's instructions, its tools and their rules,
//! the person, and the moment. It depends on the run alone, so that a resumed
//! run reads the same one.

use alfred_agent::run::Run;
use alfred_agent::tool::ToolDef;
use alfred_core::Role;
use alfred_core::user::Verbosity;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fmt::Write;

use crate::personality;

/// The system prompt of a run.
#[must_use]
pub fn system_prompt(instructions: &str, run: &Run, tools: &[&ToolDef]) -> String {
    let user = run.input.user();
    let mut prompt = format!(
        "{}\n\n{}\n\n{}\n",
        personality::tone(&run.preferences),
        instructions.trim(),
        personality::FIXED_RULES
    );
    if !tools.is_empty() {
        prompt.push_str("\n## Tools\n");
        for tool in tools {
            let _ = writeln!(prompt, "- {}: {}", tool.name, tool.description);
            for rule in tool.rules {
                let _ = writeln!(prompt, "  - {rule}");
            }
        }
    }
    let role = match user.role {
        Role::Admin => "admin",
        Role::Member => "member",
        Role::Guest => {
            "guest (may only read; a change needs the permission of a member, which an administrator gives: when they ask for one, say so and offer something that only reads instead)"
        }
    };
    let _ = write!(
        prompt,
        "\n## The person\nName: {}\nE-mail: {}\nSlack id: {}\nRole: {role}\n{}\n",
        one_line(&user.name),
        one_line(&user.email),
        user.slack_user_id,
        now_line(run.created_at, &user.timezone)
    );
    prompt.push_str(match run.preferences.verbosity {
        Verbosity::Concise => "\nBe concise: a sentence or two unless more is asked for.\n",
        Verbosity::Detailed => "\nBe detailed: give background, reasons and options.\n",
    });
    prompt
}

/// The local date, weekday and time of a moment: `Now: 2026-11-21 Saturday 14:05, time zone Europe/Berlin`.
#[must_use]
pub fn now_line(at: Timestamp, zone: &str) -> String {
    let (tz, zone) = match TimeZone::get(zone) {
        Ok(tz) => (tz, zone),
        Err(_) => (TimeZone::UTC, "UTC"),
    };
    let local = at.to_zoned(tz);
    format!(
        "Now: {}, time zone {zone}",
        local.strftime("%Y-%m-%d %A %H:%M")
    )
}

/// A name can't start a section of its own.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
