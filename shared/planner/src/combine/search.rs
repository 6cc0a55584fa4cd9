//! The combination search: a knapsack over minutes that keeps the best few
//! values of each cell. Exact; of equal values the combination with the earlier
//! tasks wins. Costs tasks × minutes steps and a byte for each.

use crate::backlog::ScoredTask;
use crate::combine::value::Strategy;

/// Combinations that can be asked for.
const KEPT: usize = 3;
/// The value of no combination. Sums with it stay below every real one.
const NONE: i64 = i64::MIN / 2;

type Best = [i64; KEPT];

/// The `most` (up to three) best combinations of tasks that fit, best first,
/// each as increasing positions in `tasks`, which are in backlog order and none
/// longer than the duration. The empty combination is none.
pub(super) fn best(
    tasks: &[&ScoredTask],
    duration: u32,
    strategy: Strategy,
    most: usize,
) -> Vec<Vec<usize>> {
    let room = duration.min(tasks.iter().map(|task| task.minutes()).sum());
    let kept = promising(tasks, room);
    let unit = kept
        .iter()
        .fold(0, |unit, task| gcd(unit, tasks[*task].minutes()));
    if unit == 0 {
        return Vec::new();
    }
    let items: Vec<Item> = kept
        .iter()
        .map(|task| Item {
            size: (tasks[*task].minutes() / unit) as usize,
            value: strategy.value(tasks[*task]),
        })
        .collect();
    let table = Table::solve(&items, (room / unit) as usize);
    (0..most.min(KEPT))
        .filter_map(|rank| table.combination(&items, rank))
        .map(|chosen| chosen.into_iter().map(|item| kept[item]).collect())
        .collect()
}

/// Of tasks with the same minutes only the first few can be in one of the best
/// combinations: any other could be exchanged for three earlier ones that are
/// worth as much.
fn promising(tasks: &[&ScoredTask], room: u32) -> Vec<usize> {
    let mut seen = vec![0_usize; room as usize + 1];
    (0..tasks.len())
        .filter(|position| {
            let minutes = tasks[*position].minutes();
            let Some(count) = seen.get_mut(minutes as usize) else {
                return false;
            };
            *count += 1;
            *count < (room / minutes) as usize + KEPT
        })
        .collect()
}

const fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

struct Item {
    size: usize,
    value: i64,
}

/// For each item and room, which of the best values take the item (a bit each).
struct Table {
    taken: Vec<u8>,
    width: usize,
    found: Best,
}

impl Table {
    /// Items are added from the last to the first, so that reading forward can
    /// prefer the earlier item among equal values.
    fn solve(items: &[Item], room: usize) -> Self {
        let width = room + 1;
        let mut taken = vec![0_u8; items.len() * width];
        let mut values: Vec<Best> = vec![[0, NONE, NONE]; width];
        for (item, row) in items.iter().zip(taken.chunks_exact_mut(width)).rev() {
            if item.size > room {
                continue;
            }
            for at in (item.size..width).rev() {
                let (merged, bits) = merge(values[at - item.size], item.value, values[at]);
                values[at] = merged;
                row[at] = bits;
            }
        }
        Self {
            taken,
            width,
            found: values[room],
        }
    }

    /// The combination of that rank. The empty one has the value 0, less than any other's.
    fn combination(&self, items: &[Item], mut rank: usize) -> Option<Vec<usize>> {
        if self.found[rank] <= 0 {
            return None;
        }
        let (mut room, mut chosen) = (self.width - 1, Vec::new());
        for (position, item) in items.iter().enumerate() {
            let bits = self.taken[position * self.width + room];
            let takes_before = (bits & ((1 << rank) - 1)).count_ones() as usize;
            if bits & (1 << rank) == 0 {
                rank -= takes_before;
            } else {
                chosen.push(position);
                room -= item.size;
                rank = takes_before;
            }
        }
        Some(chosen)
    }
}

/// The best of both lists, which are in order: with the item (worth `value` more) and
/// without. Of equals the one with the item comes first.
#[inline]
fn merge(with: Best, value: i64, without: Best) -> (Best, u8) {
    let (mut merged, mut bits) = ([NONE; KEPT], 0);
    let (mut w, mut o) = (0, 0);
    for (rank, slot) in merged.iter_mut().enumerate() {
        let taking = with[w] + value;
        if taking >= without[o] {
            *slot = taking.max(NONE);
            bits |= 1 << rank;
            w += 1;
        } else {
            *slot = without[o];
            o += 1;
        }
    }
    (merged, bits)
}
