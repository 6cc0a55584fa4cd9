use alfred_testkit::LIMIT;
use std::io::{Read, Write};
use std::net::TcpStream;

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// Looks up a lower-case header name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut fields = self.head.lines().filter_map(|line| line.split_once(": "));
        let field = fields.find(|(field, _)| *field == name);
        field.map(|(_, value)| value)
    }
}

pub fn host(address: &str) -> &str {
    address.strip_prefix("http://").unwrap()
}

/// Sends one request. Adds `Host` unless one is given; an empty one is left out.
pub fn ask(url: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        head += &format!("host: {}\r\n", host(url));
    }
    for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
        head += &format!("{name}: {value}\r\n");
    }
    if method != "GET" {
        head += &format!("content-length: {}\r\n", body.len());
    }
    let mut stream = TcpStream::connect(host(url)).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let request = format!("{head}\r\n{body}");
    stream.write_all(request.as_bytes()).unwrap();
    let mut said = Vec::new();
    let read = stream.read_to_end(&mut said);
    read.expect("the process answers");
    let said = String::from_utf8_lossy(&said);
    let (head, body) = said.split_once("\r\n\r\n").expect("an HTTP answer");
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    Answer {
        status: status.expect("a status"),
        head: head.to_lowercase(),
        body: body.to_owned(),
    }
}
