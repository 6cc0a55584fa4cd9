//! From a signed event at the Function URL to the answer in Slack.

use alfred_agent::{RunInput, RunState};
use alfred_core::ports::QueueName;
use alfred_core::text;
use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN, BEN_DM, GENERAL, MARKETING};
use alfred_tests::story;
use serde_json::json;
use std::time::Duration;

use crate::lambdas::world::World;
use crate::lambdas::{logs, run};

const SWEPT: &str = "*#sweep";

#[test]
fn a_direct_message_is_answered_once() {
    run(async {
        let world = &*World::exclusive().await;
        let asked = world.say(ANA, ANA_DM, "What is on my list? [dm]");
        world.answered(&asked, "This is it [dm].").await;
        world.quiet().await;
        assert_eq!(world.answers(&asked), ["This is it [dm]."]);
        let root = world.journal(&world.run_id(&asked).await.unwrap()).await;
        assert!(matches!(root.run.state, RunState::Done { .. }));
        assert_eq!(world.wire.strangers(), 0, "only functions ask");
    });
}

#[test]
fn a_mention_that_reads_private_things_is_answered_once_in_the_direct_message() {
    run(async {
        let world = World::shared().await;
        let text = format!("<@{ALFRED}> what is on my list? [mention]");
        let asked = world.say(ANA, GENERAL, &text);
        let line =
            "The answer has private things in it, so I've sent it to you in our direct message.";
        world.answered(&asked, line).await;
        world.quiet().await;
        // Slack sent it twice, as `app_mention` and as `message`.
        assert_eq!(world.answers(&asked), [line]);
        let direct = world.slack().messages(ANA_DM, 100).unwrap();
        let answer = "This is it [mention].";
        let answers = direct.iter().filter(|found| found.text == answer);
        assert_eq!(answers.count(), 1, "{direct:?}");
        let thread = world.slack().thread(GENERAL, &asked.ts).unwrap();
        assert_eq!(thread.len(), 2, "{thread:?}");
    });
}

#[test]
fn teams_call_the_model_with_tools_and_their_work_is_put_together() {
    run(async {
        let world = World::shared().await;
        let text = format!("<@{ALFRED}> research rivals and plan a campaign [teams]");
        let asked = world.say(ANA, MARKETING, &text);
        world.answered(&asked, "Everything together [teams].").await;
        world.quiet().await;
        let expected = [
            "On it. I'm bringing in: research, marketing.\n• research is done\n• marketing is done",
            "Everything together [teams].",
        ];
        assert_eq!(world.answers(&asked), expected);
        let root = world.journal(&world.run_id(&asked).await.unwrap()).await;
        assert_eq!(story(&root.steps), "classified planned turn");
        let plan = root.run.plan.clone().unwrap();
        assert_eq!(plan.tasks.len(), 2);
        for task in plan.tasks {
            let child = world.journal(&task.run.unwrap()).await;
            let colleague = match task.team.as_str() {
                "research" => "searcher",
                _ => "brainstormer",
            };
            let expected = format!("turn turn {colleague} turn");
            assert_eq!(story(&child.steps), expected, "{}", task.team);
            assert_eq!(child.run.parent, Some(root.run.id.clone()));
            let RunInput::Team(input) = &child.run.input else {
                panic!("{:?}", child.run.input)
            };
            assert_eq!(input.team, task.team);
            let RunState::Done { output } = &child.run.state else {
                panic!("{:?}", child.run.state)
            };
            let part = format!("The part of {} [teams].", task.team);
            assert_eq!(output.result.as_deref(), Some(part.as_str()));
        }
        let all = ["classifier", "slack-receiver", "team-manager"];
        assert_eq!(logs::services_of(world, &root.run.trace_id.0), all);
        logs::assert_silent(world, &["rivals", "The part of", "Everything together"]);
    });
}

#[test]
fn somebody_unknown_is_told_so_and_nothing_runs() {
    run(async {
        let world = &*World::exclusive().await;
        let asked = world.say(BEN, BEN_DM, "What is on my list? [stranger]");
        world.answered(&asked, text::NOT_RECOGNISED).await;
        world.quiet().await;
        assert_eq!(world.answers(&asked), [text::NOT_RECOGNISED]);
        assert_eq!(world.run_id(&asked).await, None);
        let of_stranger = |request: &serde_json::Value| request.to_string().contains("[stranger]");
        assert!(!world.model.requests().iter().any(of_stranger));
    });
}

#[test]
fn a_record_that_cannot_be_read_ends_alone_among_the_dead_letters() {
    run(async {
        let world = &*World::exclusive().await;
        let queue = world.queue_url(QueueName::Ingress.as_str());
        let body = "{\"v\":1,\"payload\":\"unreadable-7d1c\"}";
        let message = json!({
            "QueueUrl": queue, "MessageBody": body,
            "MessageGroupId": "g", "MessageDeduplicationId": "d",
        });
        world.ministack.call("AmazonSQS.SendMessage", &message);
        let asked = world.say(ANA, ANA_DM, "What is on my list? [beside]");
        world.answered(&asked, "This is it [beside].").await;
        let given_up = async {
            let mut look = tokio::time::interval(Duration::from_millis(100));
            while world.dead().is_empty() {
                look.tick().await;
            }
        };
        world.within(|| "a dead letter".into(), given_up).await;
        world.quiet().await;
        assert_eq!(world.dead(), [body]);
        assert_eq!(world.answers(&asked), ["This is it [beside]."]);
    });
}

#[test]
fn the_schedule_of_the_sweep_is_served() {
    run(async {
        let world = World::shared().await;
        assert!(world.items(SWEPT).await.is_empty());
        world.sweep().await;
        assert_eq!(world.items(SWEPT).await.len(), 1);
    });
}
