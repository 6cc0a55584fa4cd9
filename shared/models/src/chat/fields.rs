//! Fields of a chat request that some endpoints refuse.

use super::super::connection::Refusal;
use super::super::error_body::ErrorBody;
use super::super::variant::{Echoes, Variant};

/// The variant without the field that the refusal is about.
pub(super) fn without(variant: Variant, start: Variant, refusal: &Refusal) -> Option<Variant> {
    let error = &refusal.body;
    if !matches!(refusal.status.as_u16(), 400 | 422) || error.is_context_length() {
        return None;
    }
    let mut other = variant;
    let cap = if variant.completion_cap {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    if variant.completion_cap == start.completion_cap && error.is_about(cap) {
        other.completion_cap = !variant.completion_cap;
    } else if variant.stream_options && error.is_about("stream_options") {
        other.stream_options = false;
    } else if !variant.short_ids && error.is_about("tool call id") {
        other.short_ids = true;
    } else if variant.echoes == Echoes::Given {
        other.echoes = echoes(error)?;
    } else {
        return None;
    }
    Some(other)
}

/// The change that a refusal about missing or unwanted fields calls for.
fn echoes(error: &ErrorBody) -> Option<Echoes> {
    let fields = ["extra_content", "reasoning_content", "reasoning_details"];
    if error.is_about("thought_signature") {
        return Some(Echoes::Signed);
    }
    if !fields.iter().any(|field| error.is_about(field)) {
        return None;
    }
    let is_missing = error.is_about("missing") || error.is_about("passed back");
    Some(if is_missing {
        Echoes::Reasoned
    } else {
        Echoes::Never
    })
}
