//! Conversations with tools, as text. `testing/transcript.rs` says how to read and write them.

use crate::testing::replay;

#[tokio::test]
async fn refusals() {
    replay("refusals.txt").await;
}

#[tokio::test]
async fn tasks() {
    replay("task/transcript.txt").await;
}

#[tokio::test]
async fn blocks_of_work_and_their_tasks() {
    replay("task/in_blocks.txt").await;
}

#[tokio::test]
async fn schedule() {
    replay("schedule/transcript.txt").await;
}

#[tokio::test]
async fn calendar_in_the_schedule() {
    replay("schedule/with_calendar.txt").await;
}

#[tokio::test]
async fn jobs() {
    replay("job/transcript.txt").await;
}

#[tokio::test]
async fn preferences() {
    replay("preference/transcript.txt").await;
}

#[tokio::test]
async fn times() {
    replay("time/transcript.txt").await;
}

#[tokio::test]
async fn proposals() {
    replay("system/proposals.txt").await;
}

#[tokio::test]
async fn workflows_and_feedback() {
    replay("system/workflows.txt").await;
}
