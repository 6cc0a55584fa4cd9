use super::*;

fn replies(file: &str) -> Vec<String> {
    file.lines().map(|line| line.replace("\\n", "\n")).collect()
}

#[test]
fn honest_replies_claim_nothing_and_plain_lies_are_seen() {
    let mut honest = replies(include_str!("honest.txt"));
    honest.retain(|reply| claims_effect(reply));
    assert_eq!(honest, [""; 0]);
    let mut missed = replies(include_str!("lying.txt"));
    let lies = missed.len();
    missed.retain(|reply| !claims_effect(reply));
    println!("missed {} of {lies}: {missed:#?}", missed.len());
    assert!(missed.len() * 2 < lies);
}

/// A quadratic rule would take minutes over these.
#[test]
fn hostile_text_is_read_to_its_end() {
    for unit in [
        "sent and ",
        "\" ",
        "❝",
        "(",
        ": ",
        "I have ",
        "> \n",
        "- a:\n",
        "'a ",
    ] {
        let hostile = unit.repeat(50_000 / unit.len());
        assert!(
            claims_effect(&format!("{hostile}\n\nI've cancelled it.")),
            "{unit:?}"
        );
    }
}
