use alfred_agent::model::Snapshot;
use alfred_agent::runner::admit::{Admitted, Request, admit};
use alfred_agent::store::claim::Origin;
use alfred_agent::store::dispatch;
use alfred_agent::{RunInput, RunState, Work};
use alfred_core::policy::Mode;
use alfred_core::ports::{Clock, QueueName};
use alfred_core::{Preferences, ResponseType, SessionId, SlackContext, WorkerInput};
use alfred_tests::person;

use crate::in_memory::world::{World, script, team};

const PLACE: &str = "T1/U1/terminal/chat-muse";

impl World {
    /// Ana's words begin a run of a program, as the terminal does it.
    pub async fn begin(&mut self, program: &Snapshot, chat: bool, words: &str) {
        let ana = person("U1", "Ana", alfred_core::Role::Member, self.clock.now());
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
        let session = self.session(PLACE).await;
        let keep = |run: &_| Ok(vec![program.write(&team(), run)?]);
        let admitted = admit(&self.ports, &origin, request, session, Some(&keep)).await;
        if let Admitted::New(loaded) = admitted.unwrap() {
            let sent = dispatch::send(&self.ports, &loaded.run, QueueName::Runs, 1, None);
            sent.await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_worker_file_that_is_shown_no_memory_has_none_of_its_taint() {
    let mut world = World::new(script(&[": Noted.", ": Noted."])).await;
    let muse = "---\nname: muse\nmode: chat\n---\nListen.";
    let chat = Snapshot::of("", [("muse.worker", muse)]);
    world.begin(&chat, true, "Hello").await;
    world.drain().await;
    let single = Snapshot::of("", [("muse.worker", "---\nname: muse\n---\nWork.")]);
    world.begin(&single, false, "Work").await;
    world.drain().await;
    let run = world.runs().await.pop().unwrap();
    assert!(matches!(run.state, RunState::Done { .. }));
    assert!(run.taint.private.is_empty(), "{:?}", run.taint);
}
