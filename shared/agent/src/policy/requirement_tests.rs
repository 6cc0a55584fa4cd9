use alfred_core::Taint;
use alfred_core::policy::{Mode, Setting};

use super::*;
use crate::model::approval::Recipient;
use crate::model::effect::Flow;
use crate::policy::tool_def::{ToolDef, Toolset};

const ANY: Toolset = Toolset::new("any", "", "", "", "");
const SETTINGS: [Option<Setting>; 4] = [
    None,
    Some(Setting::PreApproved),
    Some(Setting::Ask),
    Some(Setting::Blocked),
];

/// The expected result, computed independently of the gate.
fn expected(facts: &Facts<'_>) -> (bool, bool, bool) {
    let def = facts.def;
    let set = |setting| facts.configured.contains(&Some(setting));
    let role_fits = match (def.needs, facts.role) {
        (Role::Guest, _) | (_, Role::Admin) | (Role::Member, Role::Member) => true,
        (Role::Member | Role::Admin, _) => false,
    };
    let effect = def.effect != Effect::Read || def.flow.leaves;
    if !role_fits || set(Setting::Blocked) || (facts.paused && effect) {
        return (false, false, true);
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
    let blind = def.blind_undo && !theirs;
    let steered = def.flow.steers && !theirs;
    let heavy = def.effect == Effect::Destructive || steered || blind || one_of_many;
    let lasting = heavy && untrusted && !rule_of_two;
    let stranger = facts.recipients.iter().any(|to| !to.trusted);
    let waived = set(Setting::PreApproved) && !set(Setting::Ask);
    let always = def.approval == ApprovalDefault::Always;
    let asks_itself =
        (def.approval == ApprovalDefault::Ask || def.effect == Effect::Outward) && !waived;
    let hard = rule_of_two
        || lasting
        || made_up
        || stranger
        || always
        || (asks_itself && def.effect == Effect::Outward);
    let soft = set(Setting::Ask) || asks_itself;
    if !hard && !soft {
        return (true, false, false);
    }
    if facts.mode == Mode::AutoDeny {
        return (false, false, true);
    }
    let waved = facts.mode == Mode::ApproveAll && !facts.real_slack;
    if !hard && (waved || facts.remembered) {
        return (true, false, false);
    }
    (false, true, false)
}

/// The number of combinations of facts.
const CASES: usize = 4 * 3 * 8 * 3 * 3 * 3 * 256 * 64 * 3;
/// The step between tested cases: a prime, so that every pair of values occurs. `GATE_STEP=1` tests all.
const STEP: usize = 389;

/// Splits a case number into one value per fact.
struct Digits(usize);

impl Digits {
    fn pick<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }

    fn below(&mut self, limit: usize) -> usize {
        let digit = self.0 % limit;
        self.0 /= limit;
        digit
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }
}

fn check_case(number: usize) {
    let mut digits = Digits(number);
    let configured = [(); 3].map(|()| digits.pick(&SETTINGS));
    let mode = digits.pick(&[Mode::Interactive, Mode::ApproveAll, Mode::AutoDeny]);
    let [untrusted, private, real_slack, remembered] = [(); 4].map(|()| digits.flag());
    let [paused, leaves_members, many_before, known_addresses] = [(); 4].map(|()| digits.flag());
    let roles = [Role::Admin, Role::Member, Role::Guest];
    let role = digits.pick(&roles);
    let to = |trusted| Recipient {
        who: "x".into(),
        trusted,
    };
    let recipients = digits.pick(&[vec![], vec![to(true)], vec![to(true), to(false)]]);
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
    assert_eq!(digits.0, 0, "a case has more digits than are read");
    let mut taint = Taint::default();
    if untrusted {
        taint.untrusted.insert("mail".into());
    }
    if private {
        taint.private.insert("tasks".into());
    }
    check(&Facts {
        def: &def,
        role,
        configured,
        mode,
        real_slack,
        remembered,
        taint: &taint,
        leaves_members,
        earlier: if many_before { 5 } else { 4 },
        own_words,
        known_addresses,
        recipients: &recipients,
        paused,
    });
}

#[test]
fn the_gate_follows_the_rules_for_every_combination_of_facts() {
    let step = std::env::var("GATE_STEP").map_or(STEP, |step| step.parse().unwrap());
    (0..CASES).step_by(step).for_each(check_case);
}

fn check(facts: &Facts<'_>) {
    let got = match require(facts) {
        Requirement::Skip => (true, false, false),
        Requirement::NeedsApproval(reasons) => {
            assert!(!reasons.is_empty(), "asked for no reason: {facts:?}");
            (false, true, false)
        }
        Requirement::Forbidden(_) => (false, false, true),
    };
    assert_eq!(got, expected(facts), "{facts:?}");
}

#[test]
fn the_rule_of_two_names_the_three_that_met() {
    let def = ToolDef::new(ANY, "web_search", "").flow(Flow::FOREIGN.leaving());
    let taint = Taint {
        untrusted: ["mail_read".to_owned()].into(),
        private: ["task_viewTasks".to_owned()].into(),
        ..Taint::default()
    };
    let facts = Facts {
        def: &def,
        role: Role::Guest,
        configured: [Some(Setting::PreApproved), None, None],
        mode: Mode::ApproveAll,
        real_slack: false,
        remembered: true,
        taint: &taint,
        leaves_members: false,
        earlier: 0,
        own_words: false,
        known_addresses: false,
        recipients: &[],
        paused: false,
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
    let require_of = |def: &ToolDef, private: &[&str], own_words| {
        let taint = Taint {
            private: private.iter().map(|&from| from.to_owned()).collect(),
            ..Taint::default()
        };
        require(&Facts {
            def,
            role: Role::Guest,
            configured: [None; 3],
            mode: Mode::Interactive,
            real_slack: true,
            remembered: true,
            taint: &taint,
            leaves_members: false,
            earlier: 0,
            own_words,
            known_addresses: own_words,
            recipients: &[],
            paused: false,
        })
    };
    let asked = Reason::UnknownAddress {
        private: vec!["task_viewTasks".into()],
    };
    let opens = def.clone().opening();
    let read = &["memory", "task_viewTasks"][..];
    assert_eq!(
        require_of(&opens, read, false),
        Requirement::NeedsApproval(vec![asked])
    );
    for (def, private, own_words) in [
        (&opens, read, true),
        (&opens, &["memory"][..], false),
        (&def, read, false),
    ] {
        assert_eq!(require_of(def, private, own_words), Requirement::Skip);
    }
}
