//! Sites over TLS on one port of this machine, names that lead there, and a port that nothing may reach.

use alfred_http::{Guard, Names, Rule, is_public};
use alfred_testkit::stand_in::{Asked, read_request};
use alfred_web::WebPages;
use async_trait::async_trait;
use reqwest::Certificate;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tokio::net::TcpSocket;

const SEND_BUFFER: u32 = 64 * 1024;
const HOSTS: [&str; 4] = [
    "site.example",
    "other.example",
    "turns.example",
    "mixed.example",
];

#[derive(Clone)]
pub struct Answer {
    pub bytes: Vec<u8>,
    pub end: End,
}

#[derive(Clone, Copy)]
pub enum End {
    Close,
    /// More words until the client has had enough.
    Endless,
    /// Nothing until the client leaves.
    Wait,
}

/// A whole answer. Each header ends with a line end.
pub fn whole(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// Names, each with what it is bound to at its first look-up, its second, and so on; the last stays.
type Bound = HashMap<String, Vec<Vec<SocketAddr>>>;

#[derive(Default)]
struct PlayedNames(Mutex<Bound>);

#[async_trait]
impl Names for PlayedNames {
    async fn addresses(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        let mut bound = self.0.lock().unwrap();
        let Some(answers) = bound.get_mut(host) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        match answers.len() {
            1 => Ok(answers[0].clone()),
            _ => Ok(answers.remove(0)),
        }
    }
}

#[derive(Default)]
pub struct Served {
    paths: Mutex<HashMap<String, Answer>>,
    pub asked: Mutex<Vec<Asked>>,
    /// Bytes that were written of what has no end.
    pub written: AtomicUsize,
    /// Connections to where nothing may arrive.
    pub reached: AtomicUsize,
}

pub struct Site {
    pub address: SocketAddr,
    pub served: Arc<Served>,
    /// Where nothing may arrive.
    pub inward: SocketAddr,
    names: Arc<PlayedNames>,
    root: Certificate,
}

impl Site {
    /// Serves its paths on each of its hosts, and under `/to/` redirects to the address that follows.
    pub fn new() -> Self {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let made = rcgen::generate_simple_self_signed(HOSTS.map(str::to_owned)).unwrap();
        let certificate: CertificateDer<'static> = made.cert.der().clone();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key);
        let served = Arc::<Served>::default();
        let site = Self {
            address: listen(&served, Arc::new(config.unwrap())),
            inward: canary(&served),
            served,
            names: Arc::default(),
            root: Certificate::from_der(&certificate).unwrap(),
        };
        for host in HOSTS {
            site.bind(host, vec![vec![site.address]]);
        }
        site
    }

    pub fn serve(&self, path: &str, answer: Answer) {
        let mut paths = self.served.paths.lock().unwrap();
        paths.insert(path.to_owned(), answer);
    }

    pub fn bind(&self, host: &str, to: Vec<Vec<SocketAddr>>) {
        self.names.0.lock().unwrap().insert(host.to_owned(), to);
    }

    /// Pages as they are read: the real rule, and beside it this one port.
    pub fn pages(&self) -> WebPages {
        let own = self.address;
        self.pages_by(Arc::new(move |to| to == own || is_public(to.ip())))
    }

    /// The same by another rule.
    pub fn pages_by(&self, rule: Rule) -> WebPages {
        WebPages::new(Guard::new(self.names.clone(), rule))
            .trusting(vec![self.root.clone()])
            .within(Duration::from_secs(10))
    }
}

fn listen(served: &Arc<Served>, config: Arc<ServerConfig>) -> SocketAddr {
    let socket = TcpSocket::new_v4().unwrap();
    // Little is on its way unread when a client goes.
    socket.set_send_buffer_size(SEND_BUFFER).unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let listener = socket.listen(128).unwrap().into_std().unwrap();
    listener.set_nonblocking(false).unwrap();
    let address = listener.local_addr().unwrap();
    let served = served.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let session = ServerConnection::new(config.clone()).unwrap();
            let stream = StreamOwned::new(session, stream.unwrap());
            let served = served.clone();
            thread::spawn(move || served.answer(stream));
        }
    });
    address
}

fn canary(served: &Arc<Served>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let served = served.clone();
    thread::spawn(move || {
        for _ in listener.incoming() {
            served.reached.fetch_add(1, Ordering::SeqCst);
        }
    });
    address
}

impl Served {
    fn answer(&self, mut stream: StreamOwned<ServerConnection, TcpStream>) {
        // Nothing is asked by a client that doesn't trust the certificate.
        let Some(asked) = read_request(&mut BufReader::new(&mut stream)) else {
            return;
        };
        let path = asked.path.clone();
        self.asked.lock().unwrap().push(asked);
        let known = self.paths.lock().unwrap().get(&path).cloned();
        let answer = known.unwrap_or_else(|| Answer {
            bytes: match path.strip_prefix("/to/") {
                Some(to) => whole(
                    "302 Found",
                    &format!("Location: {to}\r\nSet-Cookie: seen=1\r\n"),
                    b"",
                ),
                None => whole("404 Not Found", "", b""),
            },
            end: End::Close,
        });
        // The client may leave before it has read everything.
        let _ = stream.write_all(&answer.bytes);
        match answer.end {
            End::Close => {
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
            End::Endless => {
                let words = b"and words ".repeat(2_000);
                while stream.write_all(&words).is_ok() {
                    self.written.fetch_add(words.len(), Ordering::SeqCst);
                }
            }
            End::Wait => drop(stream.read(&mut [0])),
        }
    }
}
