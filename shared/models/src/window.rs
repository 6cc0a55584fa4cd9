//! The context of a model in tokens, prompt and answer together. Hosted providers refuse longer prompts.
//! Local servers may be limited to a few thousand tokens, and some truncate the prompt silently.

use alfred_core::ports::Usage;

/// Least tokens for an answer.
const LEAST_ANSWER: u64 = 300;
/// No text has more bytes per token.
const MOST_BYTES_A_TOKEN: u64 = 8;
/// Below this many bytes a count proves nothing.
const LEAST_TO_JUDGE: u64 = 8_000;

/// Estimated tokens of a request in bytes, at 3.5 bytes a token: rather too many.
pub(super) fn tokens(sent: usize) -> u64 {
    (sent as u64 * 2).div_ceil(7)
}

/// Most tokens for the answer to a request of this size. `None` if too few are left.
pub(super) fn room(window: u32, sent: usize, wanted: u32) -> Option<u32> {
    let left = u64::from(window).saturating_sub(tokens(sent));
    let least = LEAST_ANSWER.min(wanted.into());
    (left >= least).then(|| wanted.min(u32::try_from(left).unwrap_or(wanted)))
}

/// Whether the server counted far fewer tokens than were sent.
pub(super) fn was_cut(sent: usize, usage: &Usage) -> bool {
    let (sent, read) = (sent as u64, usage.input_tokens);
    read > 0 && sent >= LEAST_TO_JUDGE && read * MOST_BYTES_A_TOKEN < sent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_gets_what_is_left() {
        assert_eq!(room(8_192, 8_000, 4_096), Some(4_096));
        assert_eq!(room(8_192, 20_000, 4_096), Some(2_477));
        assert_eq!(room(4_096, 13_300, 4_096), None);
        assert_eq!(room(4_096, 13_300, 200), Some(200));
    }

    #[test]
    fn only_a_count_far_below_is_a_cut() {
        let cut = |sent, input_tokens| {
            let read = Usage {
                input_tokens,
                ..Usage::default()
            };
            was_cut(sent, &read)
        };
        assert!(cut(32_000, 2_050));
        assert!(!cut(32_000, 6_000));
        assert!(!cut(32_000, 0));
        assert!(!cut(4_000, 100));
    }
}
