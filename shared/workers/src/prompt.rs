//! Builds the system prompt: the worker's instructions, fixed rules, the person, and the time.

use alfred_agent::model::NOTHING;
use alfred_agent::tool::{self, ToolDef};
use alfred_agent::turn::conversation::now_line;
use alfred_agent::{Run, RunInput, Work};
use alfred_core::text::one_line;
use alfred_core::user::Verbosity;
use alfred_core::{Preferences, Role};
use jiff::Timestamp;
use std::fmt::Write;

/// Rules for every personality.
const FIXED_RULES: &str = "Whatever your tone: respect permissions, admit what you can't do or don't know, and keep what you \
learn about people to yourself. A tool that is destructive or reaches others \
first shows the person an approval card: call it, and don't ask in words.";
const ALFRED: &str =
    "You are a courteous, discreet and capable chief of staff, calm under pressure.";
/// Toolset with the tools that write mail.
const MAIL: &str = "email";

/// The system prompt with `now` as the time. It depends only on its arguments, so a resumed run with the same
/// time gets the same prompt. Only Alfred's own agent has a personality.
pub fn system_prompt(instructions: &str, run: &Run, tools: &[&ToolDef], now: Timestamp) -> String {
    let user = run.input.user();
    // Shared text comes first and the time last, since providers cache prompts by their beginning.
    let mut prompt = String::new();
    let _ = writeln!(prompt, "{}\n\n{FIXED_RULES}", instructions.trim());
    let rules = tool::rules(tools.iter().copied());
    if !rules.is_empty() {
        let _ = writeln!(prompt, "\n## Tools\n- {}", rules.join("\n- "));
    }
    prompt.push('\n');
    // Team managers and worker files have their own identity.
    if run.work == Work::Agent && matches!(run.input, RunInput::Worker(_)) {
        let _ = writeln!(prompt, "{}", tone(&run.before.preferences));
    }
    prompt.push_str(match run.before.preferences.verbosity {
        // A team's result is rarely a sentence or two.
        Verbosity::Concise if matches!(run.input, RunInput::Team(_)) => "Be concise.\n",
        Verbosity::Concise => "Be concise: a sentence or two unless more is asked for.\n",
        Verbosity::Detailed => "Be detailed: give background, reasons and options.\n",
    });
    // Only for runs that can write mail: the rule costs tokens in every turn.
    let writes = tools.iter().any(|tool| tool.toolset.name == MAIL);
    let tone = run.before.preferences.email_tone.as_ref();
    if let Some(tone) = tone.filter(|_| writes) {
        let _ = writeln!(prompt, "{}", tone.rule());
    }
    let role = match user.role {
        Role::Admin => "admin",
        Role::Member => "member",
        Role::Guest => {
            "guest (read-only; changes need the member role, which an administrator gives: when the guest asks for a change, say so and offer something read-only instead)"
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
            "The person scheduled this request (\"{}\"); it runs unattended, and nobody is waiting. Do it now, once, and schedule nothing for it. If there is nothing worth reporting, answer exactly {NOTHING}.",
            one_line(&of.name)
        );
        let _ = write!(prompt, "\n## Scheduled\n{told}\n");
    }
    prompt
}

/// The tone of a personality. Unknown names use `alfred`.
fn tone(preferences: &Preferences) -> &str {
    match preferences.personality.as_str() {
        "jarvis" => "You are composed, precise and dryly witty, always a step ahead.",
        "donna" => {
            "You are warm, sharp and confident; you read between the lines and say what needs saying."
        }
        "dwight" => "You are intense, literal and fiercely loyal; facts first, no small talk.",
        "jim" => "You are easy-going and friendly, with a light, kind sense of humour.",
        "custom" => preferences.personality_text.as_deref().unwrap_or(ALFRED),
        _ => ALFRED,
    }
}
