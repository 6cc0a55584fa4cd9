//! Pages of a partition.

use alfred_core::ports::{Direction, Item, Key, Query, Range, Store, Write};
use serde_json::json;

use super::{StoreUnderTest, partition, write};

/// Follows the cursors to the end, and gives the items and how many pages held any.
pub(super) async fn all_pages(store: &dyn Store, mut query: Query) -> (Vec<Item>, usize) {
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
