//! The context of a model in tokens, prompt and answer together. Hosted providers refuse longer prompts.
//! Local servers may be limited to a few thousand tokens, and some truncate the prompt silently.

const LEAST_ANSWER: u64 = 300;
/// No text has more bytes per token.
const MOST_BYTES_A_TOKEN: u64 = 8;
/// Below this many bytes a count proves nothing.
const LEAST_TO_JUDGE: u64 = 8_000;

/// Estimated tokens of a request in bytes, at 3.5 bytes a token: rather too many.
pub(super) fn tokens(sent: usize) -> u64 {
    (sent as u64 * 2).div_ceil(7)
}

/// The answer's token limit after a prompt of `sent` tokens. `None` if too few are left.
pub(super) fn room(window: u32, sent: u64, wanted: u32) -> Option<u32> {
    let left = u64::from(window).saturating_sub(sent);
    let least = LEAST_ANSWER.min(wanted.into());
    (left >= least).then(|| wanted.min(u32::try_from(left).unwrap_or(wanted)))
}

/// Whether the server read far fewer tokens than the bytes that were sent.
pub(super) fn was_cut(sent: usize, read: u64) -> bool {
    let sent = sent as u64;
    read > 0 && sent >= LEAST_TO_JUDGE && read * MOST_BYTES_A_TOKEN < sent
}
