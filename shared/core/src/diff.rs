//! Differences between two texts.

/// The lines of both texts from the first to the last that differs, with some equal lines around them.
pub fn changed<'a>(before: &'a str, after: &'a str, around: usize) -> (&'a str, &'a str) {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let (head, tail) = equal_ends(&old, &new);
    let (head, tail) = (head.saturating_sub(around), tail.saturating_sub(around));
    let between = |text: &'a str, lines: &[&str]| {
        let start: usize = lines.iter().take(head).map(|line| line.len()).sum();
        let end: usize = lines.iter().rev().take(tail).map(|line| line.len()).sum();
        text.get(start..text.len() - end).unwrap_or_default()
    };
    (between(before, &old), between(after, &new))
}

/// How many items are equal at the start, and how many of the others at the end.
pub fn equal_ends<T: PartialEq>(a: &[T], b: &[T]) -> (usize, usize) {
    let alike = |(a, b): &(&T, &T)| a == b;
    let head = a.iter().zip(b).take_while(alike).count();
    let tails = a.iter().skip(head).rev().zip(b.iter().skip(head).rev());
    (head, tails.take_while(alike).count())
}
