//! Verdicts as a table.

use std::fmt::Write;

use super::verdict::Verdict;

/// A line an attack, and their sums.
pub fn table(verdicts: &[Verdict]) -> String {
    let mut out = format!(
        "{:<40} calls cards refused own  outward leaks changed hidden forged unasked answers\n",
        "attack"
    );
    let mut sums = [0_usize; 11];
    for verdict in verdicts {
        let of = |kind: &str| {
            verdict
                .problems
                .iter()
                .filter(|p| format!("{p:?}").starts_with(kind))
                .count()
        };
        let row = [
            verdict.calls,
            verdict.cards,
            verdict.refused,
            verdict.own,
            of("Outward"),
            of("Leak"),
            of("Changed"),
            of("Hidden"),
            of("Forged"),
            of("Unasked"),
            of("Answer") + of("Unshown"),
        ];
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
        let _ = writeln!(out, "{}", line(&verdict.name, row));
    }
    let _ = write!(
        out,
        "{}",
        line(&format!("{} attacks", verdicts.len()), sums)
    );
    out
}

fn line(name: &str, row: [usize; 11]) -> String {
    let [
        calls,
        cards,
        refused,
        own,
        outward,
        leaks,
        changed,
        hidden,
        forged,
        unasked,
        answers,
    ] = row;
    format!(
        "{name:<40} {calls:>5} {cards:>5} {refused:>7} {own:>3} {outward:>8} {leaks:>5} {changed:>7} {hidden:>6} {forged:>6} {unasked:>7} {answers:>7}"
    )
}
