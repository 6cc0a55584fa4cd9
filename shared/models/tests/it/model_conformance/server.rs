//! A server on loopback that gives the answers of a case in turn.

use alfred_testkit::stand_in::{self, Reply};
use serde_json::Value;
use std::sync::{Arc, Mutex};

use crate::model_conformance::case::Answer;

pub struct Server {
    pub url: String,
    bodies: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    pub fn start(answers: Vec<Answer>) -> Self {
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let noted = bodies.clone();
        let (mut answers, mut last) = (answers.into_iter(), Answer::default());
        let url = stand_in::serve(move |asked| {
            noted.lock().unwrap().push(asked.json());
            // The last one again and again.
            last = answers.next().unwrap_or(std::mem::take(&mut last));
            reply(&last)
        });
        let url = format!("{url}/v1");
        Self { url, bodies }
    }

    /// What was posted.
    pub fn bodies(&self) -> Vec<Value> {
        self.bodies.lock().unwrap().clone()
    }
}

fn reply(answer: &Answer) -> Reply {
    let headers = answer.headers.iter();
    let headers = headers.map(|header| header.split_once(':').unwrap());
    Reply {
        status: answer.status.clone(),
        headers: headers
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        body: answer.bytes(),
        end: answer.end,
        bytewise: answer.bytewise,
    }
}
