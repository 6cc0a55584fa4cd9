//! The system prompt: the worker's instructions, the rules of its tools,
//! the person, and the moment. What a tool is its schema says.

use alfred_agent::prompt_clock::now_line;
use alfred_agent::run::{Run, RunInput, Work};
use alfred_agent::schedule::NOTHING;
use alfred_agent::tool::{self, ToolDef};
use alfred_core::Role;
use alfred_core::user::Verbosity;
use jiff::Timestamp;
use std::fmt::Write;

use crate::personality;

/// The toolset that writes mail.
const MAIL: &str = "email";

/// The system prompt of a run, telling this moment as now. Who works as Alfred has his personality. It depends on nothing else, so that
/// a resumed run that tells the same moment reads the same one.
pub fn system_prompt(instructions: &str, run: &Run, tools: &[&ToolDef], now: Timestamp) -> String {
    let user = run.input.user();
    // What many runs share comes first and the moment last: providers cache a prompt by its beginning.
    let mut prompt = String::new();
    let _ = writeln!(
        prompt,
        "{}\n\n{}",
        instructions.trim(),
        personality::FIXED_RULES
    );
    let rules = tool::rules(tools.iter().copied());
    if !rules.is_empty() {
        let _ = writeln!(prompt, "\n## Tools\n- {}", rules.join("\n- "));
    }
    prompt.push('\n');
    // A team's manager and a worker file are who their own file says.
    if run.work == Work::Agent && matches!(run.input, RunInput::Worker(_)) {
        let _ = writeln!(prompt, "{}", personality::tone(&run.preferences));
    }
    prompt.push_str(match run.preferences.verbosity {
        // What a team is asked for is seldom a sentence or two.
        Verbosity::Concise if matches!(run.input, RunInput::Team(_)) => "Be concise.\n",
        Verbosity::Concise => "Be concise: a sentence or two unless more is asked for.\n",
        Verbosity::Detailed => "Be detailed: give background, reasons and options.\n",
    });
    // Only where mail is written: it costs its tokens in every turn.
    let writes = tools.iter().any(|tool| tool.toolset.name == MAIL);
    if let Some(tone) = run.preferences.email_tone.as_ref().filter(|_| writes) {
        let _ = writeln!(prompt, "{}", tone.rule());
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
        now_line(now, &user.timezone)
    );
    if let Some(of) = &run.job {
        let told = format!(
            "This request runs by itself, as the person scheduled it (\"{}\"); nobody is waiting for it. Do it now, once, and schedule nothing for it. If there is nothing worth telling, answer exactly {NOTHING}.",
            one_line(&of.name)
        );
        let _ = write!(prompt, "\n## Scheduled\n{told}\n");
    }
    prompt
}

/// A name can't start a section of its own.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
