//! tmp
/// tmp
pub fn claims_effect(_: &str) -> bool {
    false
}
/// tmp
pub fn mentions_effect(_: &str) -> bool {
    false
}
