//! What is said around cards: where they are, and what became of them.

/// Who wants a call that none of the run's own agent is, from the outside in.
pub fn worker_wants(path: &[String]) -> String {
    format!("{} wants to do this:", path.join(" › "))
}

/// In the channel where something was asked that waits in the direct message.
pub fn asked_in_dm() -> String {
    "I've asked you in our direct message before I do anything.".into()
}

/// In the channel where something private was asked.
pub fn answered_in_dm() -> String {
    "The answer has private things in it, so I've sent it to you in our direct message.".into()
}

/// In the channel where an answer was asked in which other people's words may speak.
pub fn shown_to_you_first() -> String {
    "The answer draws on what others wrote, so I've shown it to you first, in our direct message."
        .into()
}

/// Under such an answer.
pub fn others_may_speak() -> &'static str {
    "This draws on what others wrote, so nobody else has seen it yet."
}

/// The button that posts it.
pub fn button_publish() -> &'static str {
    "Post it where you asked"
}

/// The request behind that button.
pub fn publish_request() -> String {
    "Post the answer where I asked".into()
}

/// For a second click on it.
pub fn published_already() -> String {
    "That was posted already.".into()
}

/// For a click on the button of an answer that is gone.
pub fn publish_too_late() -> String {
    "I don't have that answer any more. Ask me again where it should stand.".into()
}

/// The notification beside a card.
pub fn please_decide(title: &str) -> String {
    format!("Waiting for your decision: {title}")
}

/// Who may decide, and until when.
pub fn who_may_decide(owner: &str, until: &str) -> String {
    format!("Only <@{owner}> can decide, until {until}.")
}

/// How words decide.
pub fn words_count_too() -> &'static str {
    "Saying \"yes\" or \"no\" counts too, as your next words here or in this card's thread."
}

/// Above the reasons for which something is asked.
pub fn why_i_ask() -> &'static str {
    "Why I ask:"
}

/// Until when it can be decided.
pub fn open_until(until: &str) -> String {
    format!("You can decide until {until}.")
}

/// Nothing has to be decided.
pub fn nothing_waits() -> String {
    "Nothing waits for you.".into()
}

/// A question that a yes or a no doesn't answer.
pub fn answer_on_card() -> String {
    "Nobody can tell whether this happened, so it has more than two answers; give yours on its card in Slack.".into()
}

fn by(who: Option<&str>) -> String {
    who.map_or_else(String::new, |who| format!(" by <@{who}>"))
}

/// What became of a card.
pub fn waits_for_you() -> String {
    "Waiting for your decision.".into()
}

/// What became of a card.
pub fn was_approved(who: Option<&str>, when: &str) -> String {
    format!(":white_check_mark: Approved{} {when}", by(who))
}

/// What became of a card.
pub fn was_answered(who: Option<&str>, when: &str) -> String {
    format!(":mag: Answered{} {when}", by(who))
}

/// What became of a card.
pub fn was_rejected(who: Option<&str>, when: &str) -> String {
    format!(
        ":no_entry: Rejected{} {when}. Nothing was sent or changed.",
        by(who)
    )
}

/// What became of a card.
pub fn was_called_off(when: &str) -> String {
    format!(":no_entry: Called off {when}. Nothing was sent or changed.")
}

/// What became of a proposal's card.
pub fn was_cancelled(who: Option<&str>, when: &str) -> String {
    format!(
        ":no_entry: Cancelled{} {when}. Nothing was changed.",
        by(who)
    )
}

/// What became of a card.
pub fn was_left(who: Option<&str>, when: &str) -> String {
    format!(
        ":grey_question: Left as it is{} {when}. Nobody can tell whether it happened.",
        by(who)
    )
}

/// What became of a card.
pub fn was_edited(who: Option<&str>, when: &str) -> String {
    format!(
        ":pencil2: Edited{} {when}. This version can't be approved any more; the new one follows.",
        by(who)
    )
}

/// What became of a card.
pub fn has_expired(when: &str) -> String {
    format!(":hourglass: Expired {when}. Nothing was sent or changed.")
}

/// What became of a card.
pub fn ended_without(when: &str) -> String {
    format!(":heavy_minus_sign: The request ended without it {when}. Nothing was sent or changed.")
}

/// What the owner said with their decision.
pub fn with_the_words(note: &str) -> String {
    format!("\"{note}\"")
}

/// To a click on something that isn't there.
pub fn no_such_approval() -> String {
    "I can't find that any more. Please ask me again.".into()
}

/// To a click on something that is decided.
pub fn already_decided() -> String {
    "That has been decided already, or was replaced by an edit. Nothing more was done.".into()
}

/// To a click that came too late.
pub fn too_late() -> String {
    "That approval has expired, so nothing was done. You can renew it on its card.".into()
}

/// To somebody else's click.
pub fn not_your_decision() -> String {
    "Only the person who asked for this can decide about it. Nothing was done.".into()
}

/// The notification beside the whole of what would run.
pub fn all_of_it() -> String {
    "All of it, as it would be done.".into()
}

/// To a "yes" that could mean several things.
pub fn which_one() -> String {
    "Several things wait for you here. Press the button on the card of the one you mean, or answer in its card's thread:".into()
}

/// Something that can't be edited in a modal.
pub fn cant_edit_here() -> &'static str {
    "This can't be edited here. Reject it and tell me what to change."
}

/// To an undo that came too late.
pub fn undo_too_late() -> String {
    "It's too late to undo that with a button. Tell me what to change instead.".into()
}

/// To an undo where what was done last has no way back.
pub fn last_has_no_way_back() -> &'static str {
    "What was done last here can't be taken back, such as a message that was sent. Nothing before it was touched."
}

/// Where nothing was done last that can be taken back.
pub fn nothing_to_undo() -> &'static str {
    "Nothing that was done here in the last day can be taken back."
}

/// Why an effect isn't taken back: somebody went on with what it left.
pub fn changed_since_then(name: &str) -> String {
    format!("“{name}” was changed since; I left it.")
}

/// Why an effect isn't taken back along with others.
pub fn undo_reaches_others() -> &'static str {
    "taking it back reaches others, so it has a button of its own"
}

/// The title of the card that asks about an undo.
pub fn undo_title() -> &'static str {
    "Take back what was done"
}

/// Before each thing that would be taken back.
pub fn taken_back() -> &'static str {
    "To take back"
}

/// To an undo of something that was undone.
pub fn undone_already() -> String {
    "That was undone already.".into()
}

/// What a button takes back that is for all of them.
pub fn all_of_a_request() -> &'static str {
    "all that was done"
}

/// The request behind an undo.
pub fn undo_request(what: &str) -> String {
    format!("Undo: {what}")
}

/// The link of a receipt.
pub fn open_it() -> &'static str {
    "open"
}

/// To `/alfred stop`, and to a stop of what has ended.
pub fn nothing_runs() -> String {
    "Nothing of yours is running.".into()
}

/// Above the list of what can be stopped.
pub fn what_runs(count: usize) -> String {
    match count {
        1 => "One request of yours is running or waits:".into(),
        many => format!("{many} requests of yours are running or wait:"),
    }
}

/// A button.
pub fn button_stop() -> &'static str {
    "Stop"
}

/// To somebody who stops what isn't theirs.
pub fn not_your_request() -> String {
    "Only the person who asked for this, or an administrator, can stop it.".into()
}

/// The switch for all effects is set.
pub fn paused_now() -> String {
    "Paused: I send and change nothing for anybody until an administrator writes `/alfred resume`. Reading still works.".into()
}

/// The switch for all effects is off again.
pub fn resumed_now() -> String {
    "Resumed: I may send and change things again, under the usual approvals.".into()
}

/// A person's budget of the day is used up.
pub fn used_up_today() -> String {
    "You've used up today's budget. It starts anew tomorrow; an administrator can raise it.".into()
}

/// A person's effects of the day are used up; for the model.
pub fn no_more_effects_today() -> String {
    "Not done: this person's limit of messages and other outward effects for today is reached. It starts anew tomorrow; an administrator can raise it.".into()
}
