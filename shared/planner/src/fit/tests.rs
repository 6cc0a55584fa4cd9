use super::*;
use proptest::prelude::*;

/// The best worth by trying every way, without a bound, a table or an order among equals.
struct EveryWay<'a> {
    jobs: &'a [Job],
    rooms: &'a [u32],
    best: Worth,
}

impl EveryWay<'_> {
    fn go(&mut self, room: usize, left: u32, used: &[bool], parts: &mut Vec<Part>) {
        self.best = self.best.max(worth(self.jobs, parts));
        if room == self.rooms.len() {
            return;
        }
        let longest = self.rooms.iter().copied().max().unwrap_or(0);
        for (job, found) in self.jobs.iter().enumerate() {
            let mut used = used.to_vec();
            if std::mem::replace(&mut used[job], true) {
                continue;
            }
            let before = parts.len();
            if found.minutes <= left {
                parts.push(Part {
                    job,
                    room,
                    minutes: found.minutes,
                });
                self.go(room, left - found.minutes, &used, parts);
            } else if Split::of(found, longest).is_some_and(|split| split.fits(found.minutes, left))
            {
                let (mut at, mut open, mut rest) = (room, left, found.minutes);
                while rest > 0 && open > 0 {
                    let minutes = rest.min(open);
                    parts.push(Part {
                        job,
                        room: at,
                        minutes,
                    });
                    (rest, open) = (rest - minutes, open - minutes);
                    if open == 0 && at + 1 < self.rooms.len() && rest > 0 {
                        at += 1;
                        open = self.rooms[at];
                    }
                }
                self.go(at, open, &used, parts);
            }
            parts.truncate(before);
        }
        let next = self.rooms.get(room + 1).copied().unwrap_or(0);
        self.go(room + 1, next, used, parts);
    }
}

fn job(minutes: u32, tier: usize, score: u32) -> Job {
    Job {
        minutes,
        tier,
        score,
    }
}

fn any_jobs(most: usize) -> impl Strategy<Value = Vec<Job>> {
    let minutes = prop_oneof![3 => (1_u32..9).prop_map(|n| n * 15), 1 => 1_u32..200];
    let one = (minutes, 0..TIERS, 10_u32..101)
        .prop_map(|(minutes, tier, score)| job(minutes, tier, score));
    prop::collection::vec(one, 0..most).prop_map(|mut jobs| {
        jobs.sort_by_key(|job| (job.tier, std::cmp::Reverse(job.score)));
        jobs
    })
}

proptest! {
    #[test]
    fn no_placement_is_worth_more(jobs in any_jobs(6), rooms in prop::collection::vec(1_u32..120, 0..4)) {
        let parts = fit(&jobs, &rooms);
        let mut every = EveryWay { jobs: &jobs, rooms: &rooms, best: Worth::default() };
        every.go(0, rooms.first().copied().unwrap_or(0), &vec![false; jobs.len()], &mut Vec::new());
        prop_assert_eq!(worth(&jobs, &parts), every.best, "{:?}", parts);
    }

    #[test]
    fn parts_fit_and_go_on_where_they_stopped(
        jobs in any_jobs(100), rooms in prop::collection::vec(1_u32..120, 0..9),
    ) {
        let parts = fit(&jobs, &rooms);
        for (room, minutes) in rooms.iter().enumerate() {
            let inside = parts.iter().filter(|part| part.room == room);
            prop_assert!(inside.map(|part| part.minutes).sum::<u32>() <= *minutes);
        }
        prop_assert!(parts.is_sorted_by_key(|part| part.room));
        for (position, job) in jobs.iter().enumerate() {
            let own: Vec<&Part> = parts.iter().filter(|part| part.job == position).collect();
            prop_assert!(own.iter().map(|part| part.minutes).sum::<u32>() <= job.minutes);
            prop_assert!(own.windows(2).all(|pair| pair[0].room + 1 == pair[1].room));
            prop_assert!(own.iter().all(|part| part.minutes > 0));
        }
    }
}

#[test]
fn what_is_urgent_begins_first_and_goes_on() {
    // 90 minutes of a due report in stretches of 45 and 90: before the call, in two parts.
    let jobs = [job(90, 1, 84), job(15, 3, 14)];
    let parts = fit(&jobs, &[45, 90]);
    let shown: Vec<_> = parts
        .iter()
        .map(|part| (part.job, part.room, part.minutes))
        .collect();
    assert_eq!(shown, [(0, 0, 45), (0, 1, 45), (1, 1, 15)]);
}

#[test]
fn what_can_wait_is_done_in_one_go() {
    let jobs = [job(60, 3, 54), job(45, 3, 50)];
    let parts = fit(&jobs, &[45, 60]);
    let shown: Vec<_> = parts
        .iter()
        .map(|part| (part.job, part.room, part.minutes))
        .collect();
    assert_eq!(shown, [(1, 0, 45), (0, 1, 60)]);
}

#[test]
fn no_last_quarter_of_an_hour_is_left_for_after_a_break() {
    let shown = |job: Job, rooms: &[u32]| -> Vec<_> {
        let parts = fit(&[job], rooms);
        parts.iter().map(|part| (part.room, part.minutes)).collect()
    };
    assert_eq!(shown(job(60, 3, 54), &[45, 90]), [(1, 60)]);
    assert_eq!(shown(job(60, 3, 54), &[45, 20, 60]), [(2, 60)]);
    assert_eq!(shown(job(90, 3, 54), &[45, 45, 90]), [(0, 45), (1, 45)]);
    // What is due rather begins; what fits nowhere whole is done as it can be.
    assert_eq!(shown(job(60, 1, 54), &[45, 90]), [(0, 45), (1, 15)]);
    assert_eq!(shown(job(60, 3, 54), &[45, 20]), [(0, 45), (1, 15)]);
}
