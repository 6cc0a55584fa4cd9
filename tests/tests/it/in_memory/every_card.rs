use alfred_agent::tool::Effect;
use std::collections::BTreeSet;

#[test]
fn every_tool_that_may_ask_has_a_card_in_the_stories() {
    let lines: Vec<&str> = include_str!("stories/every_card.txt").lines().collect();
    let calls = lines.windows(2).filter(|pair| pair[1] == "| card 2:");
    let calls = calls.filter_map(|pair| pair[0].strip_prefix("> anew: ")?.split(' ').next());
    let tools = alfred_tools::catalogue();
    let asked = tools.iter().map(|tool| tool.def());
    let asked = asked.filter(|def| def.effect != Effect::Read || def.reaches_out());
    let asked: BTreeSet<&str> = asked.map(|def| &*def.name).collect();
    assert_eq!(calls.collect::<BTreeSet<_>>(), asked);
}
