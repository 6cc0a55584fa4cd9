mod meanwhile;

use alfred_agent::model::{Session, Snapshot};
use alfred_agent::runner::admit::{Admitted, Request, admit};
use alfred_agent::store::claim::Origin;
use alfred_agent::store::dispatch;
use alfred_agent::turn::chat::begin_anew;
use alfred_agent::{Run, RunInput, Work};
use alfred_core::policy::Mode;
use alfred_core::ports::{Clock, Message, ModelError, QueueName, Store, Turn, TurnRequest, Write};
use alfred_core::{Preferences, ResponseType, SessionId, SlackContext, WorkerInput, keys};
use alfred_testkit::{STORE_FAULTS, ScriptedModel, calls, says};
use alfred_tests::person;
use serde_json::json;

use crate::in_memory::world::{World, team};

/// The worker's conversation is summarized beyond 60 bytes.
const SHORT: &str = "---\nname: muse\nmode: chat\nmax_context_tokens: 60\ntoolsets: {task: {approval: {default: ask}}}\n---\nYou are muse.";
const SUMMARY: &str = "They spoke of boats.";
const PLACE: &str = "T1/U1/terminal/chat-muse";

/// The texts of a model request, without the system prompt.
fn said(request: &TurnRequest) -> Vec<&str> {
    let said = request.messages.iter().filter_map(|message| match message {
        Message::System { .. } | Message::Files { .. } => None,
        Message::User { text } | Message::Assistant { text, .. } | Message::Tool { text, .. } => {
            Some(&**text)
        }
    });
    said.collect()
}

fn is_summing_up(request: &TurnRequest) -> bool {
    matches!(&request.messages[0], Message::System { text } if text.starts_with("You summarize"))
}

/// A model that counts one token per byte, answers briefly, and summarizes with `summing_up`.
fn model(
    summing_up: impl Fn() -> Result<Turn, ModelError> + Send + Sync + 'static,
) -> ScriptedModel {
    ScriptedModel::answering(move |request| {
        if is_summing_up(request) {
            return summing_up();
        }
        let said = said(request);
        let known = matches!(request.messages.last(), Some(Message::Tool { .. }));
        let mut turn = match said.last() {
            Some(words) if words.starts_with("task") && !known => {
                calls(&[("t", "task_createTask", r#"{"title": "Call Ben"}"#)])
            }
            _ => says("Noted."),
        };
        turn.usage.input_tokens = said.iter().map(|text| text.len() as u64).sum();
        Ok(turn)
    })
}

async fn chatting() -> World {
    World::new(model(|| Ok(says(SUMMARY)))).await
}

impl World {
    async fn hear(&mut self, file: &str, words: &str) {
        let program = Snapshot::of("", [("muse.worker", file)]);
        self.begin(&program, true, words).await;
    }

    pub async fn begin(&mut self, program: &Snapshot, chat: bool, words: &str) {
        let ana = person("U1", "Ana", alfred_core::Role::Member, self.now());
        let input = WorkerInput {
            files: Vec::new(),
            quotes: false,
            task_prompt: words.into(),
            user_context: (&ana).into(),
            slack_context: SlackContext {
                channel_id: "D1".into(),
                thread_ts: None,
                response_type: ResponseType::Dm,
            },
            session_id: SessionId(PLACE.into()),
        };
        let work = Work::Program {
            digest: program.digest().unwrap(),
            chat,
            approval: Mode::Interactive,
            headless: false,
        };
        let request = Request::new(RunInput::Worker(input), work, Preferences::default());
        let trigger = self.next_trigger();
        let origin = Origin::inline(team(), "U1".into(), SessionId(PLACE.into()), &trigger);
        let session = self.chat_row().await;
        let keep = |run: &_| Ok(vec![program.write(&team(), run)?]);
        let admitted = admit(&self.ports, &origin, request, session, Some(&keep)).await;
        if let Admitted::New(loaded) = admitted.unwrap() {
            let sent = dispatch::send(&self.ports, &loaded.run, QueueName::Ingress, 1, None);
            sent.await.unwrap();
        }
    }

    async fn tell(&mut self, words: &str) {
        self.hear(SHORT, words).await;
        self.drain().await;
        assert!(self.dead.is_empty(), "{:?}", self.dead);
    }

    async fn chat_row(&self) -> Session {
        self.session(PLACE).await
    }

    fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }

    async fn kept(&self) -> Vec<String> {
        let memory = self.chat_row().await.memory;
        memory.into_iter().map(|one| one.request).collect()
    }

    fn summed_up(&self) -> usize {
        let requests = self.model.requests();
        requests.iter().filter(|one| is_summing_up(one)).count()
    }

    async fn run_of(&self, words: &str) -> Run {
        let mut runs = self.runs().await.into_iter();
        runs.find(|run| run.input.prompt() == words).unwrap()
    }
}

#[tokio::test]
async fn all_of_a_chat_is_remembered_until_it_begins_anew() {
    let long = SHORT.replace("max_context_tokens: 60\n", "");
    let mut world = chatting().await;
    for n in 1..=12 {
        world.hear(&long, &format!("word {n}")).await;
        world.drain().await;
    }
    let asked = world.model.requests().pop().unwrap();
    let asked = said(&asked);
    assert_eq!((asked[0], asked.len()), ("word 1", 23), "{asked:?}");
    let (ana, place) = ("U1".into(), SessionId(PLACE.into()));
    let key = keys::remembered(&team(), &ana, &place, "some call");
    world
        .write(vec![Write::put(key.clone(), None, json!({}))])
        .await;
    begin_anew(&world.ports, &team(), &ana, &place)
        .await
        .unwrap();
    assert_eq!(world.store.get(&key).await.unwrap(), None);
    world.hear(&long, "who are you?").await;
    world.drain().await;
    let asked = world.model.requests().pop().unwrap();
    assert_eq!(said(&asked), ["who are you?"]);
    assert_eq!(world.kept().await, ["who are you?"]);
    assert_eq!(world.summed_up(), 0);
}

/// Together these two exceed the worker's context.
const LONG: [&str; 2] = [
    "I like boats, most of all the green ones.",
    "I like trees, most of all the old ones.",
];

#[tokio::test]
async fn what_is_too_long_is_shortened_once_and_goes_on() {
    let mut world = chatting().await;
    for words in LONG {
        world.tell(words).await;
    }
    assert_eq!(world.summed_up(), 0, "measured by what was really read");
    world.tell("and you?").await;
    let asked = world.model.requests().pop().unwrap();
    let asked = said(&asked);
    assert!(asked[0].contains(SUMMARY), "{asked:?}");
    assert_eq!(asked[1..], [LONG[1], "Noted.", "and you?"]);
    assert_eq!(world.kept().await, [LONG[1], "and you?"]);
    let run = world.run_of("and you?").await;
    let steps = world.steps(&run.id).await;
    assert_eq!(alfred_tests::story(&steps), "compacted turn");
    let turn = run.progress.usage.input_tokens;
    let read: u64 = asked.iter().map(|text| text.len() as u64).sum();
    assert!(turn > read, "the summary was paid too");
    assert_eq!(world.chat_row().await.chat.unwrap().context_tokens, read);
    world.tell("go on").await;
    world.tell("and on").await;
    assert!(world.summed_up() >= 2);
    let requests = world.model.requests();
    let last = requests.iter().rfind(|one| is_summing_up(one)).unwrap();
    assert!(said(last)[0].contains(SUMMARY));
}

#[tokio::test]
async fn a_summary_that_fails_leaves_the_chat_as_it_is() {
    let too_long = || {
        Err(ModelError::TooLong {
            detail: "planned".into(),
        })
    };
    let refused = || {
        Ok(Turn {
            refused: true,
            ..says("No.")
        })
    };
    let babble = || Ok(says(&"and so on ".repeat(100)));
    let silent = || Ok(says(" "));
    let models = [
        model(too_long),
        model(refused),
        model(babble),
        model(silent),
    ];
    for model in models {
        let mut world = World::new(model).await;
        for words in LONG {
            world.tell(words).await;
        }
        let before = world.chat_row().await;
        for _ in 0..2 {
            world.tell("and you?").await;
            assert_eq!(
                world.said().last().unwrap(),
                "This conversation is too long for me to continue. Say /new to start a new one."
            );
        }
        let after = world.chat_row().await;
        assert_eq!((after.memory, after.chat), (before.memory, before.chat));
    }
}

#[tokio::test]
async fn a_crash_at_every_call_makes_one_summary() {
    async fn ready() -> World {
        let mut world = chatting().await;
        for words in LONG {
            world.tell(words).await;
        }
        world.hear(SHORT, "and you?").await;
        world
    }
    let kinds = ["store.get", "store.query", "store.commit"];
    let mut plain = ready().await;
    let before = kinds.map(|kind| plain.faults.calls(kind));
    plain.settle().await;
    let expected = plain.chat_row().await;
    let mut injected = 0;
    for (kind, before) in kinds.into_iter().zip(before) {
        for number in before + 1..=plain.faults.calls(kind) {
            for (when, error) in STORE_FAULTS {
                let mut world = ready().await;
                world.faults.fail_at(kind, number, when, error());
                world.settle().await;
                let what = format!("{kind} {number} {when:?}");
                assert!(world.dead.is_empty(), "{what}: {:?}", world.dead);
                assert_eq!(world.answers().len(), 3, "{what}");
                let run = world.run_of("and you?").await;
                let steps = world.steps(&run.id).await;
                assert_eq!(alfred_tests::story(&steps), "compacted turn", "{what}");
                let row = world.chat_row().await;
                let (memory, chat) = (&expected.memory, &expected.chat);
                assert_eq!((&row.memory, &row.chat), (memory, chat), "{what}");
                injected += 1;
            }
        }
    }
    assert!(injected > 20, "{injected}");
}
