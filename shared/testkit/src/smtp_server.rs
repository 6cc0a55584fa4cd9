//! A strict SMTP server on this machine (RFC 5321, 4954), which can be told to fail at any point.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

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
                let talk = Talk::new(stream.unwrap(), shared.clone(), tell.clone());
                thread::spawn(move || drop(talk.conversation()));
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
        let reached = self.reached.lock().unwrap();
        received(LIMIT, "an SMTP conversation to come to its fault", &reached)
    }
}

struct Talk {
    lines: BufReader<TcpStream>,
    out: TcpStream,
    state: Arc<Mutex<State>>,
    tell: Sender<Point>,
    fault: Option<(Point, Act)>,
}

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

    /// However it ends, the socket is closed after it.
    fn conversation(mut self) -> io::Result<()> {
        self.answer(Point::Greeting, "220 mail.example ESMTP")?;
        let (mut greeted, mut from, mut to) = (false, None, Vec::new());
        loop {
            let line = self.line()?;
            let verb = line.split([' ', ':']).next().unwrap_or_default();
            match verb.to_ascii_uppercase().as_str() {
                "EHLO" => {
                    greeted = true;
                    // Each line but the last has a hyphen after the code.
                    let extensions = self.state.lock().unwrap().extensions.clone();
                    let lines = extensions.iter().map(|name| format!("250-{name}\r\n"));
                    let lines: String = lines.collect();
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
                    self.take(Taken {
                        from,
                        to: std::mem::take(&mut to),
                        parameters,
                        bytes,
                    })?;
                }
                "QUIT" => return self.answer(Point::Quit, "221 bye"),
                _ => return Err(self.wrong(format!("out of order: {line}"))),
            }
        }
    }

    /// Keeps the mail, also when the connection is closed after the last byte.
    fn take(&mut self, mail: Taken) -> io::Result<()> {
        if !matches!(&self.fault, Some((Point::Content, Act::Say(_)))) {
            self.state.lock().unwrap().taken.push(mail);
        }
        self.answer(Point::Content, "250 taken")?;
        self.act(Point::Accepted).map(drop)
    }

    /// Splits the line of a path into its address and its parameters.
    fn path(&self, line: &str, start: &str) -> io::Result<(String, String)> {
        let rest = line.strip_prefix(start);
        match rest.and_then(|rest| rest.split_once('>')) {
            Some((address, more)) if !address.contains([' ', '<']) => {
                Ok((address.to_owned(), more.trim_start().to_owned()))
            }
            _ => Err(self.wrong(format!("no path: {line}"))),
        }
    }

    /// Up to the dot, without the dots that were added.
    fn content(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let line = self.bytes()?;
            self.act(Point::Within)?;
            if line == b".\r\n" {
                return Ok(bytes);
            }
            if line.len() > 1_000 {
                return Err(self.wrong(format!("a line of {} bytes", line.len())));
            }
            bytes.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
        }
    }

    fn line(&mut self) -> io::Result<String> {
        let line = String::from_utf8(self.bytes()?).unwrap();
        Ok(line.trim_end().to_owned())
    }

    fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        // A line without its end was cut off by whoever died.
        self.lines.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let text = line.strip_suffix(b"\r\n");
        if text.is_none_or(|text| text.contains(&b'\r')) {
            return Err(self.wrong(format!("a bare line break: {line:?}")));
        }
        Ok(line)
    }

    fn answer(&mut self, at: Point, well: &str) -> io::Result<()> {
        if self.act(at)? {
            return Ok(());
        }
        self.say(well)
    }

    /// Carries out the fault of this point. Returns whether it gave an answer.
    fn act(&mut self, at: Point) -> io::Result<bool> {
        let Some((_, act)) = self.fault.take_if(|(point, _)| *point == at) else {
            return Ok(false);
        };
        self.tell.send(at).map_err(io::Error::other)?;
        match act {
            Act::Say(answer) => self.say(answer).map(|()| true),
            Act::Wait(go_on) => {
                // At the limit the test has ended, or waits for something else in vain.
                let waited = go_on.lock().unwrap().recv_timeout(LIMIT);
                waited.map(|()| false).map_err(io::Error::other)
            }
            Act::Hang => loop {
                self.bytes()?;
            },
            Act::Drop => Err(ErrorKind::ConnectionAborted.into()),
        }
    }

    fn say(&mut self, answer: &str) -> io::Result<()> {
        self.out.write_all(format!("{answer}\r\n").as_bytes())
    }

    fn wrong(&self, what: String) -> io::Error {
        self.state.lock().unwrap().wrong.push(what.clone());
        io::Error::other(what)
    }
}
