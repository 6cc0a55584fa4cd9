//! Tasks that can't be in one of the best combinations, left out before the
//! search. Exact: a task goes only when every combination with it is worth less than three that are known.

/// What the search knows of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub size: usize,
    pub value: i64,
}

/// The positions of the items that may be in one of the three best combinations that fit, in order.
pub(super) fn candidates(items: &[Item], room: usize) -> Vec<usize> {
    let relaxed = Relaxed::from_items(items);
    let known = third_known(items, &relaxed.order, room);
    (0..items.len())
        .filter(|position| {
            let Item { size, value } = items[*position];
            size <= room && value + relaxed.at_most(items, room - size) >= known
        })
        .collect()
}

/// Items by value per size, best first, with the sums of those before each: what could be had if items could be cut.
struct Relaxed {
    order: Vec<usize>,
    sizes: Vec<usize>,
    values: Vec<i64>,
}

impl Relaxed {
    fn from_items(items: &[Item]) -> Self {
        let mut order: Vec<usize> = (0..items.len()).collect();
        // Values have 46 bits and sizes 11.
        let weighed = |a: usize, b: usize| items[a].value * items[b].size as i64;
        order.sort_by(|a, b| weighed(*b, *a).cmp(&weighed(*a, *b)));
        let (mut sizes, mut values) = (vec![0], vec![0]);
        for (position, item) in order.iter().enumerate() {
            sizes.push(sizes[position] + items[*item].size);
            values.push(values[position] + items[*item].value);
        }
        Self {
            order,
            sizes,
            values,
        }
    }

    /// No combination of that size is worth more.
    fn at_most(&self, items: &[Item], room: usize) -> i64 {
        let whole = self.sizes.partition_point(|size| *size <= room) - 1;
        let cut = self.order.get(whole).map_or(0, |item| {
            let Item { size, value } = items[*item];
            value * (room - self.sizes[whole]) as i64 / size as i64 + 1
        });
        self.values[whole] + cut
    }
}

/// The least value of three combinations: the best by value per size, and the best two that differ from it in one item.
fn third_known(items: &[Item], order: &[usize], room: usize) -> i64 {
    let (mut left, mut value) = (room, 0);
    let mut inside = vec![false; items.len()];
    for item in order {
        if items[*item].size <= left {
            left -= items[*item].size;
            value += items[*item].value;
            inside[*item] = true;
        }
    }
    let taken = (0..items.len()).filter(|item| inside[*item]);
    let mut changes: [i64; 2] = [i64::MIN / 2; 2];
    for out in taken {
        let fits = |other: &&Item| other.size <= left + items[out].size;
        let others = items.iter().zip(&inside).filter(|(_, inside)| !**inside);
        let gains = others
            .map(|(item, _)| item)
            .filter(fits)
            .map(|item| item.value);
        for gain in gains.chain([0]) {
            let change = gain - items[out].value;
            if change > changes[0] {
                changes = [change, changes[0]];
            } else if change > changes[1] {
                changes[1] = change;
            }
        }
    }
    value + changes[1].min(0)
}
