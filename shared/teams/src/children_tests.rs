//! Tests that a plan's budget is split and returned, and that all runs together stay within it.

use super::*;
use proptest::prelude::*;

/// A part: the parts it needs, the percentage of its budget it spends, whether it succeeds.
type Part = (Vec<prop::sample::Index>, u64, bool);

fn plan_of(parts: &[Part], budget: Budget) -> Plan {
    let task = |(at, (needs, ..)): (usize, &Part)| PlannedTask {
        team: "t".into(),
        task: "x".into(),
        instructions: String::new(),
        after: match at {
            0 => Vec::new(),
            _ => needs.iter().map(|need| need.index(at)).collect(),
        },
        earlier: Vec::new(),
        rounds: None,
        run: None,
    };
    Plan {
        tasks: parts.iter().enumerate().map(task).collect(),
        budget: Some(budget),
        ..Plan::default()
    }
}

/// Usage of a percentage of a budget.
fn spent(of: Budget, percent: u64) -> Usage {
    Usage {
        input_tokens: of.tokens * percent / 100,
        cost_micros: of.cost_micros.map(|cost| cost * percent / 100),
        ..Usage::default()
    }
}

fn is_within(used: &Usage, budget: Budget) -> bool {
    let cost = used.cost_micros.unwrap_or(0);
    used.input_tokens <= budget.tokens && budget.cost_micros.is_none_or(|most| cost <= most)
}

proptest! {
    #[test]
    fn all_runs_together_keep_to_the_budget(
        parts in prop::collection::vec((prop::collection::vec(any::<prop::sample::Index>(), 0..3), 0..=100_u64, any::<bool>()), 1..=6),
        (tokens, cost) in (0..2_000_000_u64, prop::option::of(0..5_000_000_u64)),
        planning in 0..=100_u64,
        order in prop::collection::vec(any::<prop::sample::Index>(), 6),
    ) {
        let budget = Budget { tokens, cost_micros: cost };
        let mut plan = plan_of(&parts, budget);
        let own = spent(budget, planning);
        let mut join = Join::default();
        let mut ended = vec![Ended::Open; parts.len()];
        let mut order = order.into_iter();
        while !plan.complete(&ended) {
            let part = part(&plan, &ended, &join, &own).unwrap();
            for at in plan.startable(&ended) {
                let run = RunId(format!("run_{at}"));
                join.expect(&run, Some(part));
                plan.tasks[at].run = Some(run);
            }
            let set_aside = join.reserved.iter().fold(own.plus(&join.used), |sum, one| sum.plus(&spent(one.part, 100)));
            prop_assert!(is_within(&set_aside, budget), "{set_aside:?} of {budget:?}");
            let at_work: Vec<_> = join.reserved.clone();
            let next = &at_work[order.next().unwrap().index(at_work.len())];
            let at = plan.tasks.iter().position(|task| task.run.as_ref() == Some(&next.run)).unwrap();
            let (_, percent, makes) = parts[at];
            join.report(&next.run, makes, &spent(next.part, percent));
            ended[at] = if makes { Ended::Made } else { Ended::Failed };
        }
        let left = join.left_of(budget.behind(&own));
        if is_within(&own, budget.without(budget.kept())) {
            prop_assert!(is_within(&spent(budget.kept(), 100), left), "nothing kept to put it together: {left:?}");
        }
        let all = own.plus(&join.used).plus(&spent(left, 100));
        prop_assert!(is_within(&all, budget), "{all:?} of {budget:?}");
    }
}

#[test]
fn what_one_does_not_use_the_next_may() {
    let budget = Budget {
        tokens: 800,
        cost_micros: None,
    };
    let needs: Part = (vec![], 0, true);
    let mut plan = plan_of(&[needs.clone(), needs], budget);
    plan.tasks[1].after = vec![0];
    let mut join = Join::default();
    let none = Usage::default();
    let granted =
        |plan: &Plan, join: &Join, ended: &[Ended]| part(plan, ended, join, &none).unwrap().tokens;
    let first = granted(&plan, &join, &[Ended::Open; 2]);
    assert_eq!(first, 350, "half of what isn't kept");
    plan.tasks[0].run = Some("a".into());
    join.expect(
        &"a".into(),
        Some(Budget {
            tokens: first,
            cost_micros: None,
        }),
    );
    let used = Usage {
        input_tokens: 50,
        ..Usage::default()
    };
    join.report(&"a".into(), true, &used);
    assert_eq!(granted(&plan, &join, &[Ended::Made, Ended::Open]), 650);
}
