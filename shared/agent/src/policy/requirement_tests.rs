use std::mem::discriminant;

use super::*;
use crate::model::Flow;
use crate::policy::tool_def::Toolset;

const ANY: Toolset = Toolset::new("any", "", "", "", "");
const REFUSED: Requirement = Requirement::Forbidden(Refusal::Blocked);
const SETTINGS: [Option<Setting>; 4] = [
    None,
    Some(Setting::PreApproved),
    Some(Setting::Ask),
    Some(Setting::Blocked),
];

/// The expected kind of result, computed independently of the gate.
fn expected(facts: &Facts<'_>) -> Requirement {
    let def = facts.def;
    let set = |setting| facts.configured.contains(&Some(setting));
    let role_fits = match (def.needs, facts.role) {
        (Role::Guest, _) | (_, Role::Admin) | (Role::Member, Role::Member) => true,
        (Role::Member | Role::Admin, _) => false,
    };
    let effect = def.effect != Effect::Read || def.flow.leaves;
    if !role_fits || set(Setting::Blocked) || (facts.paused && effect) {
        return REFUSED;
    }
    let out = def.effect == Effect::Outward || def.flow.leaves;
    let untrusted = !facts.taint.untrusted.is_empty();
    let private = !facts.taint.private.is_empty();
    let theirs = facts.own_words;
    // A question in the owner's own words carries out no data that the run has read.
    let own_question = def.effect == Effect::Read && def.flow.leaves && theirs;
    let unknown_address = def.opens && !facts.known_addresses;
    let private_or_request = private || facts.leaves_members || unknown_address;
    let rule_of_two = out && untrusted && private_or_request && !own_question;
    // Earlier messages of the conversation alone don't count as private for an address.
    let read = facts.taint.private.iter().any(|from| from != "memory");
    let made_up = def.opens && read && !untrusted && !own_question;
    let one_of_many = facts.earlier > 4 && def.effect == Effect::ReversibleWrite && !def.adds;
    let derived = (def.blind_undo || def.flow.steers) && !theirs;
    let heavy = def.effect == Effect::Destructive || derived || one_of_many;
    let lasting = heavy && untrusted && !rule_of_two;
    let stranger = facts.recipients.iter().any(|to| !to.trusted);
    let waived = set(Setting::PreApproved) && !set(Setting::Ask);
    let always = def.approval == ApprovalDefault::Always;
    let outward = def.effect == Effect::Outward;
    let asks_itself = (def.approval == ApprovalDefault::Ask || outward) && !waived;
    let hard = rule_of_two || lasting || made_up || stranger || always || (asks_itself && outward);
    let waved = facts.mode == Mode::ApproveAll && !facts.real_slack;
    match hard || set(Setting::Ask) || asks_itself {
        false => Requirement::Skip,
        true if facts.mode == Mode::AutoDeny => REFUSED,
        true if !hard && (waved || facts.remembered) => Requirement::Skip,
        true => Requirement::NeedsApproval(Vec::new()),
    }
}

/// The number of combinations of facts.
const CASES: usize = 4 * 3 * 8 * 3 * 3 * 3 * 3 * 128 * 64 * 3;
/// The step between tested cases: a prime, so that every pair of values occurs. `GATE_STEP=1` tests all.
const STEP: usize = 389;

/// Splits a case number into one value per fact.
struct Digits(usize);

impl Digits {
    fn pick<T: Clone>(&mut self, values: &[T]) -> T {
        let digit = self.0 % values.len();
        self.0 /= values.len();
        values[digit].clone()
    }

    fn flag(&mut self) -> bool {
        self.pick(&[false, true])
    }
}

fn check_case(number: usize) {
    use ApprovalDefault::{Always, Ask, Free};
    use Effect::{Destructive, Outward, Read, ReversibleWrite};
    let mut digits = Digits(number);
    let roles = [Role::Admin, Role::Member, Role::Guest];
    let effect = digits.pick(&[Read, ReversibleWrite, Outward, Destructive]);
    let mut def = ToolDef::new(ANY, "a_b", "").effect(effect);
    def.needs = digits.pick(&roles);
    def.approval = digits.pick(&[Free, Ask, Always]);
    // Flow, blind undo, only adds, own words.
    let own_words;
    (def.flow, def.blind_undo, def.adds, own_words) = digits.pick(&[
        (Flow::NEUTRAL, false, false, false),
        (Flow::NEUTRAL.leaving(), false, false, false),
        (Flow::NEUTRAL.leaving(), false, false, true),
        (Flow::NEUTRAL.steering(), false, false, false),
        (Flow::NEUTRAL.steering(), false, false, true),
        (Flow::NEUTRAL, true, false, true),
        (Flow::NEUTRAL, true, false, false),
        (Flow::NEUTRAL, false, true, false),
    ]);
    def.opens = def.flow.leaves;
    let mut taint = Taint::default();
    let untrusted = digits.pick(&[None, Some("mail")]);
    taint.untrusted.extend(untrusted.map(str::to_owned));
    let private = digits.pick(&[None, Some("memory"), Some("mail")]);
    taint.private.extend(private.map(str::to_owned));
    let to = |trusted| Recipient {
        who: "x".into(),
        trusted,
    };
    let recipients = digits.pick(&[vec![], vec![to(true)], vec![to(true), to(false)]]);
    let facts = Facts {
        def: &def,
        role: digits.pick(&roles),
        configured: [(); 3].map(|()| digits.pick(&SETTINGS)),
        mode: digits.pick(&[Mode::Interactive, Mode::ApproveAll, Mode::AutoDeny]),
        real_slack: digits.flag(),
        remembered: digits.flag(),
        taint: &taint,
        leaves_members: digits.flag(),
        earlier: digits.pick(&[4, 5]),
        own_words,
        known_addresses: digits.flag(),
        recipients: &recipients,
        paused: digits.flag(),
    };
    assert_eq!(digits.0, 0, "a case has more digits than are read");
    let got = require(&facts);
    assert_ne!(got, Requirement::NeedsApproval(Vec::new()), "{facts:?}");
    let is_expected = discriminant(&got) == discriminant(&expected(&facts));
    assert!(is_expected, "{got:?} for {facts:?}");
}

#[test]
fn the_gate_follows_the_rules_for_every_combination_of_facts() {
    let step = std::env::var("GATE_STEP").map_or(STEP, |step| step.parse().unwrap());
    (0..CASES).step_by(step).for_each(check_case);
}

#[test]
fn a_choice_only_spares_what_nobody_else_asks_for() {
    use Mode::{ApproveAll, AutoDeny, Interactive};
    for (set, chosen, asks, tainted, expected) in [
        (Interactive, Interactive, false, false, Interactive),
        (Interactive, ApproveAll, false, false, ApproveAll),
        (Interactive, ApproveAll, true, false, Interactive),
        (Interactive, ApproveAll, false, true, Interactive),
        (Interactive, AutoDeny, false, false, AutoDeny),
        (ApproveAll, Interactive, true, true, ApproveAll),
        (ApproveAll, AutoDeny, false, false, AutoDeny),
        (AutoDeny, ApproveAll, false, false, AutoDeny),
    ] {
        let mut taint = Taint::default();
        taint.untrusted.extend(tainted.then(|| "mail".into()));
        let mode = mode_in_run(set, chosen, &[None, asks.then_some(Setting::Ask)], &taint);
        assert_eq!(mode, expected, "{set:?} {chosen:?} {asks} {tainted}");
    }
}
