//! Pages of a partition.

use alfred_core::ports::{Direction, Item, Key, Query, Range, Store, Table, Write};
use serde_json::json;

use super::{StoreUnderTest, partition, write};

/// Follows the cursors to the end, and gives the items and how many pages held any.
async fn all_pages(store: &dyn Store, mut query: Query) -> (Vec<Item>, usize) {
    let (mut items, mut filled) = (Vec::new(), 0);
    for _ in 0..200 {
        let page = store.query(&query).await.unwrap();
        assert!(page.items.len() <= query.limit, "more than the limit");
        filled += usize::from(!page.items.is_empty());
        items.extend(page.items);
        match page.cursor {
            Some(cursor) => query.cursor = Some(cursor),
            None => return (items, filled),
        }
    }
    panic!("200 pages and no end");
}

fn ranges(items: &[Item]) -> Vec<&str> {
    items.iter().map(|item| item.key.range.as_str()).collect()
}

async fn fill(store: &dyn Store, partition: &str, keys: &[&str]) {
    let create = |range: &&str| {
        let body = json!({"range": *range});
        Write::create(Key::state(partition, *range), body)
    };
    write(store, keys.iter().map(create).collect()).await;
}

/// 2.2 MB in one partition come back whole and in order, over several pages, both ways.
pub async fn pages_past_a_megabyte(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let partition = partition();
    let filler = "x".repeat(180_000);
    for n in 0..12 {
        let key = Key::state(partition.clone(), format!("{n:04}"));
        write(
            &store,
            vec![Write::create(key, json!({"n": n, "t": filler}))],
        )
        .await;
    }
    let mut query = Query::state(partition, Range::All);
    for limit in [1_000, 5, 1] {
        for direction in [Direction::Forward, Direction::Backward] {
            (query.limit, query.direction) = (limit, direction);
            let (mut items, filled) = all_pages(&store, query.clone()).await;
            assert!(filled >= 2, "2.2 MB in {filled} page");
            if direction == Direction::Backward {
                items.reverse();
            }
            let numbers: Vec<u64> = items
                .iter()
                .map(|i| i.body["n"].as_u64().unwrap())
                .collect();
            assert_eq!(numbers, (0..12).collect::<Vec<_>>());
            assert!(items.iter().all(|i| i.body["t"] == filler.as_str()));
        }
    }
}

/// Prefixes, both ends of `Between`, limits and cursors, both ways; other partitions stay out.
pub async fn pages_backward_and_within_ranges(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let partition = partition();
    let keys = ["a", "b#1", "b#2", "b#3", "b#4", "b$", "c"];
    fill(&store, &partition, &keys).await;
    fill(&store, &format!("{partition}#other"), &["b#5"]).await;
    let between = |low: &str, high: &str| Range::Between(low.into(), high.into());
    let cases: [(Range, &[&str]); 7] = [
        (Range::All, &keys),
        (Range::Prefix("b#".into()), &keys[1..5]),
        (Range::Prefix("b".into()), &keys[1..6]),
        (Range::Prefix("x".into()), &[]),
        (between("b#2", "b#4"), &keys[2..5]),
        (between("b#1", "b#1"), &keys[1..2]),
        (between("b#25", "bz"), &keys[3..6]),
    ];
    for (range, expected) in cases {
        for limit in [1, 2, 100] {
            let mut query = Query::state(partition.clone(), range.clone());
            query.limit = limit;
            let (items, _) = all_pages(&store, query.clone()).await;
            assert_eq!(ranges(&items), expected, "{range:?} by {limit}");
            query.direction = Direction::Backward;
            let (items, _) = all_pages(&store, query).await;
            let backward: Vec<&str> = expected.iter().rev().copied().collect();
            assert_eq!(ranges(&items), backward, "{range:?} by {limit}, backward");
        }
    }
    let elsewhere = Query {
        table: Table::Audit,
        ..Query::state(partition, Range::All)
    };
    assert_eq!(all_pages(&store, elsewhere).await.0, vec![]);
}

/// The order is that of the bytes of UTF-8, and a prefix is a prefix of them.
pub async fn range_keys_sort_by_bytes(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let partition = partition();
    let sorted = [
        "%", "%a", "10", "9", "Z", "_", "a", "é", "é1", "\u{ffff}", "🦀", "🦀%",
    ];
    let mut shuffled = sorted;
    shuffled.reverse();
    fill(&store, &partition, &shuffled).await;
    let (items, _) = all_pages(&store, Query::state(partition.clone(), Range::All)).await;
    assert_eq!(ranges(&items), sorted);
    for (prefix, expected) in [
        ("%", &sorted[0..2]),
        ("_", &sorted[5..6]),
        ("é", &sorted[7..9]),
        ("\u{ffff}", &sorted[9..10]),
        ("🦀", &sorted[10..12]),
    ] {
        let query = Query::state(partition.clone(), Range::Prefix(prefix.into()));
        let (items, _) = all_pages(&store, query).await;
        assert_eq!(ranges(&items), expected, "prefix {prefix}");
    }
}
