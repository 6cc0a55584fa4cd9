use super::*;

const LIST: &str = "GET gmail.users.messages.list /gmail/v1/users/me/messages";

/// What is wrong with a call. Its words are verb, id, URL, body, answer, and the status if it isn't 200.
fn wrong(discovery: &Discovery, call: &str) -> String {
    let call = call.replace("LIST", LIST);
    let words: Vec<&str> = call.split(' ').collect();
    let (path, query) = words[2].split_once('?').unwrap_or((words[2], ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query = pairs.map(|(name, value)| (name.into(), value.into()));
    let json = |text: &str| text.parse::<Value>().unwrap();
    let call = Seen {
        id: words[1].to_owned().leak(),
        verb: words[0].into(),
        path: path.into(),
        query: query.collect(),
        body: json(words[3]),
        status: words.get(5).map_or(200, |status| status.parse().unwrap()),
        answer: json(words[4]),
    };
    discovery.check(&call).err().unwrap_or("nothing".into())
}

#[test]
fn a_call_is_held_against_the_documents() {
    let discovery = Discovery::new(alfred_testkit::discovery::calls());
    for line in include_str!("discovery.txt").lines() {
        let (call, expected) = line.split_once(" -- ").unwrap();
        let wrong = wrong(&discovery, call);
        assert!(wrong.contains(expected), "{call}: {wrong}");
    }
}
