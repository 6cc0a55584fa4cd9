//! A strict SMTP server on this machine (RFC 5321, 4954), which can be told to fail at any point.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use crate::wait::{LIMIT, received};

/// A step of a conversation; the server fails in place of its answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    Greeting,
    Ehlo,
    Auth,
    Mail,
    Rcpt,
    Data,
    /// After some bytes of the mail.
    Within,
    Content,
    /// After the answer to the last byte.
    Accepted,
    Quit,
}

/// What the server does at a point instead of its answer.
#[derive(Clone, Debug)]
pub enum Act {
    Say(&'static str),
    Drop,
    /// Is silent until the client closes the connection.
    Hang,
    /// Answers as usual after the next message of the channel.
    Wait(Arc<Mutex<Receiver<()>>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub from: String,
    pub to: Vec<String>,
    /// What follows `MAIL FROM:<…>`.
    pub parameters: String,
    pub bytes: Vec<u8>,
}

#[derive(Default)]
struct State {
    faults: VecDeque<(Point, Act)>,
    refused: Option<(String, &'static str)>,
    extensions: Vec<&'static str>,
    taken: Vec<Taken>,
    logins: Vec<String>,
    connections: usize,
    wrong: Vec<String>,
}

/// The server; it listens on 127.0.0.1 until the process ends.
pub struct Server {
    pub port: u16,
    state: Arc<Mutex<State>>,
    reached: Mutex<Receiver<Point>>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State::default()));
        let (tell, reached) = mpsc::channel();
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (shared, tell) = (shared.clone(), tell.clone());
                thread::spawn(move || Talk::new(stream.unwrap(), shared, tell).talk());
            }
        });
        Self {
            port,
            state,
            reached: Mutex::new(reached),
        }
    }

    /// As `ALFRED_SMTP_URL` names it.
    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Adds a fault. Each connection takes one, in this order; without one it goes well.
    pub fn fail(&self, at: Point, act: Act) {
        self.state().faults.push_back((at, act));
    }

    pub fn refuse(&self, address: &str, answer: &'static str) {
        self.state().refused = Some((address.into(), answer));
    }

    pub fn offer(&self, extensions: &[&'static str]) {
        self.state().extensions = extensions.to_vec();
    }

    /// The mails that arrived whole. Panics if a client broke the protocol.
    pub fn taken(&self) -> Vec<Taken> {
        let state = self.state();
        assert_eq!(state.wrong, [] as [String; 0]);
        state.taken.clone()
    }

    pub fn logins(&self) -> Vec<String> {
        self.state().logins.clone()
    }

    pub fn connections(&self) -> usize {
        self.state().connections
    }

    /// Waits until a conversation is at its fault.
    pub fn reached(&self) -> Point {
        self.reached_within(LIMIT)
    }

    fn reached_within(&self, limit: Duration) -> Point {
        let reached = self.reached.lock().unwrap();
        received(limit, "an SMTP conversation to come to its fault", &reached)
    }
}

struct Talk {
    lines: BufReader<TcpStream>,
    out: TcpStream,
    state: Arc<Mutex<State>>,
    tell: Sender<Point>,
    fault: Option<(Point, Act)>,
}

struct Over;

impl Talk {
    fn new(stream: TcpStream, state: Arc<Mutex<State>>, tell: Sender<Point>) -> Self {
        let fault = {
            let mut state = state.lock().unwrap();
            state.connections += 1;
            state.faults.pop_front()
        };
        Self {
            lines: BufReader::new(stream.try_clone().unwrap()),
            out: stream,
            state,
            tell,
            fault,
        }
    }

    fn talk(mut self) {
        // However it ended, the socket closes here.
        let _ended = self.conversation();
    }

    fn conversation(&mut self) -> Result<(), Over> {
        self.answer(Point::Greeting, "220 mail.example ESMTP")?;
        let (mut greeted, mut from, mut to) = (false, None, Vec::new());
        loop {
            let line = self.line()?;
            let verb = line.split([' ', ':']).next().unwrap_or_default();
            match verb.to_ascii_uppercase().as_str() {
                "EHLO" => {
                    greeted = true;
                    // Each line but the last has a hyphen after the code.
                    let mut lines = String::new();
                    for extension in &self.state.lock().unwrap().extensions {
                        lines += &format!("250-{extension}\r\n");
                    }
                    self.answer(Point::Ehlo, &format!("{lines}250 mail.example"))?;
                }
                "AUTH" if greeted => {
                    self.state.lock().unwrap().logins.push(line);
                    self.answer(Point::Auth, "235 welcome")?;
                }
                "MAIL" if greeted && from.is_none() => {
                    from = Some(self.path(&line, "MAIL FROM:<")?);
                    self.answer(Point::Mail, "250 ok")?;
                }
                "RCPT" if from.is_some() => {
                    let (address, _) = self.path(&line, "RCPT TO:<")?;
                    let refused = self.state.lock().unwrap().refused.clone();
                    match refused {
                        Some((no, answer)) if no == address => self.say(answer)?,
                        _ => {
                            self.answer(Point::Rcpt, "250 ok")?;
                            to.push(address);
                        }
                    }
                }
                "DATA" if !to.is_empty() => {
                    self.answer(Point::Data, "354 go on")?;
                    let bytes = self.content()?;
                    let (from, parameters) = from.take().unwrap();
                    let mail = Taken {
                        from,
                        to: std::mem::take(&mut to),
                        parameters,
                        bytes,
                    };
                    self.take(mail)?;
                }
                "QUIT" => {
                    self.answer(Point::Quit, "221 bye")?;
                    return Err(Over);
                }
                _ => return Err(self.wrong(format!("out of order: {line}"))),
            }
        }
    }

    /// Keeps the mail, also when the connection is closed after the last byte.
    fn take(&mut self, mail: Taken) -> Result<(), Over> {
        let refuses = matches!(&self.fault, Some((Point::Content, Act::Say(_))));
        if !refuses {
            self.state.lock().unwrap().taken.push(mail);
        }
        self.answer(Point::Content, "250 taken")?;
        if matches!(self.fault, Some((Point::Accepted, _))) {
            self.act(Point::Accepted)?;
        }
        Ok(())
    }

    /// Splits the line of a path into its address and its parameters.
    fn path(&mut self, line: &str, start: &str) -> Result<(String, String), Over> {
        let rest = line.strip_prefix(start);
        match rest.and_then(|rest| rest.split_once('>')) {
            Some((address, more)) if !address.contains([' ', '<']) => {
                Ok((address.to_owned(), more.trim_start().to_owned()))
            }
            _ => Err(self.wrong(format!("no path: {line}"))),
        }
    }

    /// Up to the dot, without the dots that were added.
    fn content(&mut self) -> Result<Vec<u8>, Over> {
        let mut bytes = Vec::new();
        loop {
            let line = self.bytes()?;
            if matches!(self.fault, Some((Point::Within, _))) {
                self.act(Point::Within)?;
            }
            if line == b".\r\n" {
                return Ok(bytes);
            }
            if line.len() > 1_000 {
                return Err(self.wrong(format!("a line of {} bytes", line.len())));
            }
            bytes.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
        }
    }

    fn line(&mut self) -> Result<String, Over> {
        let bytes = self.bytes()?;
        let line = String::from_utf8(bytes).unwrap();
        Ok(line.trim_end().to_owned())
    }

    fn bytes(&mut self) -> Result<Vec<u8>, Over> {
        let mut line = Vec::new();
        // A line without its end was cut off by whoever died.
        match self.lines.read_until(b'\n', &mut line) {
            Ok(_) if line.ends_with(b"\n") => {}
            Ok(_) | Err(_) => return Err(Over),
        }
        let text = line.strip_suffix(b"\r\n");
        if text.is_none_or(|text| text.contains(&b'\r')) {
            return Err(self.wrong(format!("a bare line break: {line:?}")));
        }
        Ok(line)
    }

    fn answer(&mut self, at: Point, well: &str) -> Result<(), Over> {
        match &self.fault {
            Some((point, Act::Wait(go_on))) if *point == at => {
                let go_on = go_on.clone();
                self.tell.send(at).map_err(|_| Over)?;
                // The test has ended, or waits for something else in vain.
                let waited = go_on.lock().unwrap().recv_timeout(LIMIT);
                waited.map_err(|_| Over)?;
                self.say(well)
            }
            Some((point, _)) if *point == at => self.act(at),
            _ => self.say(well),
        }
    }

    fn act(&mut self, at: Point) -> Result<(), Over> {
        let act = self.fault.take().map(|(_, act)| act);
        self.tell.send(at).map_err(|_| Over)?;
        match act {
            Some(Act::Say(answer)) => self.say(answer),
            Some(Act::Hang) => {
                while !self.bytes()?.is_empty() {}
                Err(Over)
            }
            Some(Act::Drop | Act::Wait(_)) | None => Err(Over),
        }
    }

    fn say(&mut self, answer: &str) -> Result<(), Over> {
        let said = self.out.write_all(format!("{answer}\r\n").as_bytes());
        said.map_err(|_| Over)
    }

    fn wrong(&mut self, what: String) -> Over {
        self.state.lock().unwrap().wrong.push(what);
        Over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "waited 0.05 s for an SMTP conversation to come to its fault")]
    fn conversation_that_never_comes_fails_with_its_name() {
        let server = Server::start();
        server.fail(Point::Mail, Act::Hang);
        server.reached_within(Duration::from_millis(50));
    }
}
