//! Why there is no answer, or not the one that was asked for.

use std::time::Duration;

/// The model took too long.
pub fn timed_out() -> String {
    "That took longer than I can wait. Please try again in a moment.".into()
}

/// The model's service took too long.
pub fn model_timed_out() -> String {
    "The service behind my language model didn't answer in time, which has nothing to do with what you wrote. Please try again in a moment.".into()
}

/// The model's provider limits us, and says for how long.
pub fn too_many_requests(wait: Option<Duration>) -> String {
    let minutes = wait.map_or(1, |wait| wait.as_secs().div_ceil(60));
    let again = match minutes {
        0 | 1 => "in a minute".into(),
        2..=90 => format!("in {minutes} minutes"),
        91..=2_880 => format!("in {} hours", minutes.div_ceil(60)),
        _ => "later".into(),
    };
    format!(
        "The service behind my language model takes no more requests right now. Please try again {again}."
    )
}

/// One service is out of reach.
pub fn cannot_reach(what: &str) -> String {
    format!("I couldn't reach {what} just now. Please try again in a moment.")
}

/// The model's provider wouldn't answer that.
pub fn declined() -> String {
    "My language model declined to answer that. Could you put it differently?".into()
}

/// The model's service takes no request: its key, its credit, its settings.
pub fn model_refuses() -> String {
    "The service behind my language model doesn't take my requests: that has to do with its key, its credit or its settings, and not with what you wrote. The log says why; asking again helps once that is mended.".into()
}

/// A model that doesn't even take a short request.
pub fn model_takes_too_little() -> String {
    "My language model takes less at once than I need for this, though what you wrote is short. The log says how much; asking again helps once the model is set to a larger context.".into()
}

/// A long request that the model doesn't take, however it is shortened.
pub fn too_much_for_model() -> String {
    "That is more than my language model can take at once. Please ask for a smaller part of it."
        .into()
}

/// The model answered with something that is no answer.
pub fn unusable_answer() -> String {
    "My language model gave an answer I can't use. Please try again in a moment.".into()
}

/// Anything else.
pub fn unexpected() -> String {
    "Something went wrong on my side, and it has been noted. Please try again.".into()
}

/// Of a request whose message went to the dead letters.
pub fn gave_up() -> String {
    "I couldn't finish what you asked for: something on my side kept failing, and it has been noted. Please ask again.".into()
}

/// Before the first answer in a conversation whose memory can't be read.
pub fn memory_lost() -> String {
    "I've lost what was said in this conversation before, so I start afresh here. If an answer is still missing, please ask again.".into()
}

/// In the stead of an answer that Slack won't take in any form.
pub fn answer_refused() -> String {
    "I finished, but Slack wouldn't take my answer. Please ask me about it again.".into()
}

/// The loop ran into its iteration limit.
pub fn too_many_steps(limit: u32) -> String {
    format!(
        "I stopped after {limit} steps without finishing. Could you break the request into smaller parts?"
    )
}

/// The run's budget is used up.
pub fn over_budget() -> String {
    "I stopped because this request used up its budget. Could you make it smaller?".into()
}

/// Workers that call workers, too deep (annex 3).
pub fn too_deep(most: usize, path: &[&str]) -> String {
    let path = path.join(" -> ");
    format!("Maximum delegation depth ({most}) exceeded. Current path: {path}")
}

/// A worker that would be called by itself (annex 3).
pub fn goes_in_circles(path: &[&str]) -> String {
    format!("Circular delegation detected: {}", path.join(" -> "))
}

/// A run that has handed on enough.
pub fn too_many_delegations(most: usize) -> String {
    format!(
        "This request has called {most} workers already, and may call no more. Finish with what there is."
    )
}

/// A stopped run.
pub fn stopped() -> String {
    "Stopped, as you asked.".into()
}

/// An empty message.
pub fn say_something() -> String {
    "You wrote nothing I can read. What can I do for you?".into()
}

/// The request that is files without a word about them.
pub fn only_files() -> String {
    "(no words beside the files)".into()
}

/// A message over Slack's limit.
pub fn too_long(limit: usize) -> String {
    format!("That is too long for one message: Slack takes {limit} characters. Could you split it?")
}

/// A command or click this release doesn't know.
pub fn unknown_command() -> String {
    "I don't know that command. Write to me in plain words instead.".into()
}

/// A command that couldn't be taken; Slack doesn't repeat those.
pub fn command_not_taken() -> &'static str {
    "I couldn't take that just now. Please try again."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_one_friendly_line_without_internals() {
        let texts = [
            timed_out(),
            model_timed_out(),
            model_takes_too_little(),
            too_many_requests(None),
            cannot_reach("Slack"),
            declined(),
            unusable_answer(),
            unexpected(),
        ];
        for text in texts {
            assert!(!text.contains('\n') && text.ends_with(['.', '?']), "{text}");
        }
    }
}
