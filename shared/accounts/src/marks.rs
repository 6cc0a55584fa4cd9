//! Marks on an event: the keys under which guests were notified of a change.

use alfred_core::digest::sha256_hex;

/// Marks that are kept, newest last. A property at Google holds 1,024 characters.
const MOST: usize = 50;

/// Adds the mark of a key. `None` if it is already there.
pub fn with(marks: &str, key: &str) -> Option<String> {
    let new = &sha256_hex(key.as_bytes())[..16];
    let mut marks: Vec<&str> = marks.split_whitespace().collect();
    if marks.contains(&new) {
        return None;
    }
    marks.push(new);
    Some(marks[marks.len().saturating_sub(MOST)..].join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_the_newest_and_fit_a_property() {
        let mut marks = String::new();
        for number in 0..MOST + 10 {
            marks = with(&marks, &format!("k{number}")).unwrap();
            assert!(marks.len() <= 1_024);
        }
        assert_eq!(marks.split(' ').count(), MOST);
        assert_eq!(with(&marks, "k59"), None);
        assert!(with(&marks, "k9").is_some());
    }
}
