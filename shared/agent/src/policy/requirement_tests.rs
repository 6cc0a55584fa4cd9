use super::*;
use crate::model::effect::Flow;
use crate::policy::tool_def::Toolset;

const ANY: Toolset = Toolset::new("any", "", "", "", "");
const SETTINGS: [Option<Setting>; 4] = [
    None,
    Some(Setting::PreApproved),
    Some(Setting::Ask),
    Some(Setting::Blocked),
];

#[derive(Debug, PartialEq)]
enum Kind {
    Runs,
    Asks,
    Refused,
}

/// The expected result, computed independently of the gate.
fn expected(facts: &Facts<'_>) -> Kind {
    let def = facts.def;
    let set = |setting| facts.configured.contains(&Some(setting));
    let role_fits = match (def.needs, facts.role) {
        (Role::Guest, _) | (_, Role::Admin) | (Role::Member, Role::Member) => true,
        (Role::Member | Role::Admin, _) => false,
    };
    let effect = def.effect != Effect::Read || def.flow.leaves;
    if !role_fits || set(Setting::Blocked) || (facts.paused && effect) {
        return Kind::Refused;
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
    let made_up = def.opens && private && !untrusted && !own_question;
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
        false => Kind::Runs,
        true if facts.mode == Mode::AutoDeny => Kind::Refused,
        true if !hard && (waved || facts.remembered) => Kind::Runs,
        true => Kind::Asks,
    }
}

/// The number of combinations of facts.
const CASES: usize = 4 * 3 * 8 * 3 * 3 * 3 * 256 * 64 * 3;
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
    let mut digits = Digits(number);
    let roles = [Role::Admin, Role::Member, Role::Guest];
    let mut def = ToolDef::new(ANY, "a_b", "").effect(digits.pick(&[
        Effect::Read,
        Effect::ReversibleWrite,
        Effect::Outward,
        Effect::Destructive,
    ]));
    def.needs = digits.pick(&roles);
    def.approval = digits.pick(&[
        ApprovalDefault::Free,
        ApprovalDefault::Ask,
        ApprovalDefault::Always,
    ]);
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
    let sources = [None, Some("mail".to_owned())];
    taint.untrusted.extend(digits.pick(&sources));
    taint.private.extend(digits.pick(&sources));
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
    let got = match require(&facts) {
        Requirement::Skip => Kind::Runs,
        Requirement::NeedsApproval(reasons) => {
            assert!(!reasons.is_empty(), "asked for no reason: {facts:?}");
            Kind::Asks
        }
        Requirement::Forbidden(_) => Kind::Refused,
    };
    assert_eq!(got, expected(&facts), "{facts:?}");
}

#[test]
fn the_gate_follows_the_rules_for_every_combination_of_facts() {
    let step = std::env::var("GATE_STEP").map_or(STEP, |step| step.parse().unwrap());
    (0..CASES).step_by(step).for_each(check_case);
}

fn taint(untrusted: &[&str], private: &[&str]) -> Taint {
    let named = |from: &[&str]| from.iter().map(|&from| from.to_owned()).collect();
    Taint {
        untrusted: named(untrusted),
        private: named(private),
        ..Taint::default()
    }
}

#[test]
fn the_rule_of_two_names_the_three_that_met() {
    let def = ToolDef::new(ANY, "web_search", "").flow(Flow::FOREIGN.leaving());
    let taint = taint(&["mail_read"], &["task_viewTasks"]);
    let facts = Facts {
        configured: [Some(Setting::PreApproved), None, None],
        mode: Mode::ApproveAll,
        real_slack: false,
        remembered: true,
        ..Facts::of(&def, Role::Guest, &taint)
    };
    let met = Reason::RuleOfTwo {
        untrusted: vec!["mail_read".into()],
        private: vec!["task_viewTasks".into()],
    };
    assert_eq!(require(&facts), Requirement::NeedsApproval(vec![met]));
}

/// The address may carry private data out. Earlier messages of the conversation alone don't count as private.
#[test]
fn an_address_that_nobody_gave_is_asked_where_private_data_was_read() {
    let def = ToolDef::new(ANY, "web_readPage", "").flow(Flow::FOREIGN.leaving());
    let opens = def.clone().opening();
    let private = vec!["task_viewTasks".to_owned()];
    let asked = Requirement::NeedsApproval(vec![Reason::UnknownAddress { private }]);
    let read = &["memory", "task_viewTasks"][..];
    for (def, private, own_words, expected) in [
        (&opens, read, false, asked),
        (&opens, read, true, Requirement::Skip),
        (&opens, &["memory"][..], false, Requirement::Skip),
        (&def, read, false, Requirement::Skip),
    ] {
        let taint = taint(&[], private);
        let facts = Facts {
            remembered: true,
            own_words,
            known_addresses: own_words,
            ..Facts::of(def, Role::Guest, &taint)
        };
        assert_eq!(require(&facts), expected, "{private:?} {own_words}");
    }
}
