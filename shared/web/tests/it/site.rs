//! Sites over TLS on one port of this machine, names that lead there, and a port that nothing may reach.

use alfred_http::{Guard, Names, Rule, is_public};
use alfred_web::WebPages;
use async_trait::async_trait;
use reqwest::Certificate;
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

const SEND_BUFFER: u32 = 64 * 1024;
/// Hosts for which the certificate is good.
const HOSTS: [&str; 4] = [
    "site.example",
    "other.example",
    "turns.example",
    "mixed.example",
];

/// What a path answers.
#[derive(Clone)]
pub enum Answer {
    /// These bytes, head included.
    Bytes(Vec<u8>),
    /// A head, then words until the client has had enough.
    Endless,
    /// A head, and nothing more.
    Stalled,
    /// Nothing at all.
    Silent,
}

impl Answer {
    pub fn of(status: &str, headers: &[&str], body: &[u8]) -> Self {
        let headers: String = headers
            .iter()
            .map(|header| format!("{header}\r\n"))
            .collect();
        let head = format!(
            "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        Self::Bytes([head.as_bytes(), body].concat())
    }

    pub fn to(location: &str) -> Self {
        let location = format!("Location: {location}");
        Self::of("302 Found", &[&location, "Set-Cookie: seen=1"], b"")
    }
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

type Paths = Arc<Mutex<HashMap<String, Answer>>>;

pub struct Site {
    pub address: SocketAddr,
    paths: Paths,
    /// Requests, in order.
    asked: Arc<Mutex<Vec<String>>>,
    /// Bytes that were written of what has no end.
    pub written: Arc<AtomicUsize>,
    /// Where nothing may arrive.
    pub inward: SocketAddr,
    reached: Arc<AtomicUsize>,
    names: Arc<PlayedNames>,
    root: Certificate,
}

impl Site {
    /// Serves its paths on each of its hosts, and under `/to/` redirects to the address that follows.
    pub async fn new() -> Self {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let hosts: Vec<String> = HOSTS.map(str::to_owned).to_vec();
        let made = rcgen::generate_simple_self_signed(hosts).unwrap();
        let certificate: CertificateDer<'static> = made.cert.der().clone();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let socket = TcpSocket::new_v4().unwrap();
        // Little is on its way unread when a client goes.
        socket.set_send_buffer_size(SEND_BUFFER).unwrap();
        socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
        let listener = socket.listen(128).unwrap();
        let address = listener.local_addr().unwrap();
        let (inward, reached) = canary().await;
        let site = Self {
            address,
            paths: Paths::default(),
            asked: Arc::default(),
            written: Arc::default(),
            inward,
            reached,
            names: Arc::default(),
            root: Certificate::from_der(&certificate).unwrap(),
        };
        for host in HOSTS {
            site.bind(host, vec![vec![address]]);
        }
        let (paths, asked) = (site.paths.clone(), site.asked.clone());
        let written = site.written.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let connection = acceptor.accept(stream);
                let (paths, asked, written) = (paths.clone(), asked.clone(), written.clone());
                tokio::spawn(async move {
                    if let Ok(stream) = connection.await {
                        answer(stream, &paths, &asked, &written).await;
                    }
                });
            }
        });
        site
    }

    pub fn serve(&self, path: &str, answer: Answer) {
        self.paths.lock().unwrap().insert(path.to_owned(), answer);
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

    /// Connections to where nothing may arrive.
    pub fn reached(&self) -> usize {
        self.reached.load(Ordering::SeqCst)
    }

    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn canary() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let reached = Arc::new(AtomicUsize::new(0));
    let counts = reached.clone();
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counts.fetch_add(1, Ordering::SeqCst);
        }
    });
    (address, reached)
}

async fn answer(
    mut stream: TlsStream<TcpStream>,
    paths: &Paths,
    asked: &Mutex<Vec<String>>,
    written: &AtomicUsize,
) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).await.is_ok() {
        head.push(byte[0]);
    }
    let length = String::from_utf8_lossy(&head).to_lowercase();
    let length = length.split("content-length: ").nth(1);
    let length = length.and_then(|rest| rest.split("\r\n").next()?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.unwrap();
    head.extend(body);
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.lock().unwrap().push(head);
    let open = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>words ";
    let missing = Answer::of("404 Not Found", &[], b"");
    let redirect = path.strip_prefix("/to/").map(Answer::to);
    let known = redirect.or_else(|| paths.lock().unwrap().get(&path).cloned());
    match known.unwrap_or(missing) {
        Answer::Bytes(bytes) => {
            // The client may go before it has read everything.
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Answer::Endless => {
            let _ = stream.write_all(open).await;
            let words = b"and words ".repeat(2_000);
            while stream.write_all(&words).await.is_ok() {
                written.fetch_add(words.len(), Ordering::SeqCst);
            }
        }
        Answer::Stalled => {
            let _ = stream.write_all(open).await;
            let _ = stream.flush().await;
            std::future::pending::<()>().await;
        }
        Answer::Silent => std::future::pending().await,
    }
}
