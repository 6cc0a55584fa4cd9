//! Tests that all runs of a plan together stay within its budget.

use super::*;
use alfred_agent::model::PlannedTask;
use proptest::prelude::*;

/// A part: the parts it needs, the percentage of its budget it spends, whether it succeeds.
type Part = (Vec<prop::sample::Index>, u64, bool);

fn plan_of(parts: &[Part], budget: Budget) -> Plan {
    let task = |(at, (needs, ..)): (usize, &Part)| PlannedTask {
        after: match at {
            0 => Vec::new(),
            _ => needs.iter().map(|need| need.index(at)).collect(),
        },
        ..PlannedTask::default()
    };
    Plan {
        tasks: parts.iter().enumerate().map(task).collect(),
        budget,
        ..Plan::default()
    }
}

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
        let mut order = order.into_iter();
        while !plan.complete(&join) {
            let part = part(&plan, &join, &own);
            for at in plan.startable(&join) {
                let run = RunId(format!("run_{at}"));
                join.expect(run.clone(), part);
                plan.tasks[at].run = Some(run);
            }
            let mut at_work = join.children.clone();
            at_work.retain(|child| child.success.is_none());
            let set_aside = at_work.iter().fold(own.plus(&join.used), |sum, one| sum.plus(&spent(one.part, 100)));
            prop_assert!(is_within(&set_aside, budget), "{set_aside:?} of {budget:?}");
            let next = &at_work[order.next().unwrap().index(at_work.len())];
            let at = plan.tasks.iter().position(|task| task.run.as_ref() == Some(&next.run)).unwrap();
            let (_, percent, makes) = parts[at];
            join.report(&next.run, makes, &spent(next.part, percent));
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
fn unused_budget_goes_to_later_teams() {
    let budget = |tokens| Budget {
        tokens,
        cost_micros: None,
    };
    let needs: Part = (vec![], 0, true);
    let mut plan = plan_of(&[needs.clone(), needs], budget(800));
    plan.tasks[1].after = vec![0];
    let mut join = Join::default();
    let none = Usage::default();
    let first = part(&plan, &join, &none);
    assert_eq!(first.tokens, 350, "half of what isn't kept");
    plan.tasks[0].run = Some("a".into());
    join.expect("a".into(), first);
    join.report(&"a".into(), true, &spent(budget(50), 100));
    assert_eq!(part(&plan, &join, &none).tokens, 650);
}
