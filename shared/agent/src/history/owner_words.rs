use crate::model::input::RunInput;
use crate::model::run::Run;

/// The owner's messages in this conversation. A quoted part could name recipients, so messages with quotes are left out.
pub fn owner_words(run: &Run) -> Vec<String> {
    let earlier = run.before.history.iter();
    let earlier = earlier.filter(|exchange| !exchange.quotes);
    let earlier = earlier.map(|exchange| exchange.request.as_str());
    earlier.chain(own_request(run)).map(str::to_owned).collect()
}

/// The request if its owner wrote it: not a team's or job's task, nor a request with other people's words.
pub(crate) fn own_request(run: &Run) -> Option<&str> {
    match &run.input {
        RunInput::Worker(input) if !input.quotes && run.job.is_none() => Some(&input.task_prompt),
        _ => None,
    }
}
