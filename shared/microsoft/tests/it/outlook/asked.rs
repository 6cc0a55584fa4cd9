//! A request as it came, and the rules of Graph that hold for every request.

use crate::models::GraphCall;
use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::HeaderMap;
use reqwest::Url;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The most bytes of a request (<https://learn.microsoft.com/graph/api/user-post-messages>).
const MAX_BODY: usize = 4 * 1024 * 1024;
const OPTIONS: &str =
    "$select $filter $orderby $top $search $count $expand $skiptoken startDateTime endDateTime";
/// Fields that are only answered if they are selected or expanded.
const ON_REQUEST: &str =
    "singleValueExtendedProperties internetMessageHeaders attachments exceptionOccurrences";

pub struct Asked {
    pub call: &'static GraphCall,
    pub path: Vec<String>,
    query: BTreeMap<String, String>,
    headers: HeaderMap,
    /// Null unless it is JSON.
    pub body: Value,
    pub bytes: Bytes,
}

impl Asked {
    pub async fn read(request: Request) -> Self {
        let (head, body) = request.into_parts();
        let bytes = to_bytes(body, MAX_BODY).await.unwrap();
        let url = Url::parse(&format!("http://graph{}", head.uri)).unwrap();
        let path = url.path_segments().unwrap().map(str::to_owned);
        let path: Vec<String> = path.skip_while(|part| part == "v1.0").collect();
        let call = GraphCall::of(head.method.as_str(), &path);
        Self {
            call: call.unwrap_or_else(|| panic!("{} {url} isn't known", head.method)),
            path,
            query: url.query_pairs().into_owned().collect(),
            headers: head.headers,
            body: serde_json::from_slice(&bytes).unwrap_or_default(),
            bytes,
        }
    }

    pub fn query(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }

    /// All values of a header.
    pub fn header(&self, name: &str) -> String {
        let values = self.headers.get_all(name).iter();
        let values = values.map(|value| value.to_str().unwrap());
        values.collect::<Vec<_>>().join(" ")
    }

    /// The selected fields. Empty for the usual ones.
    pub fn fields(&self) -> Vec<&str> {
        let fields = self.query("$select").split(',');
        fields.filter(|field| !field.is_empty()).collect()
    }

    /// The part of the path at this place, which is an id.
    pub fn id(&self, at: usize) -> &str {
        self.path.get(at).map_or("", String::as_str)
    }

    /// Whether the token names the permission that the call needs.
    pub fn is_permitted(&self) -> bool {
        let (token, needed) = (self.header("authorization"), self.call.permission);
        needed == "-" || token.split([' ', ',']).any(|granted| granted == needed)
    }

    /// Broken rules of Graph.
    pub fn wrong(&self) -> Vec<String> {
        let [filter, order, search, count] =
            ["$filter", "$orderby", "$search", "$count"].map(|name| self.query(name));
        let is_upload = self.call.permission == "-";
        let immutable = self.header("prefer").contains(r#"IdType="ImmutableId""#);
        let unsigned = self.header("authorization").is_empty();
        let first = filter.is_empty() || filter.starts_with("receivedDateTime ");
        let alone = [filter, order, count].concat().is_empty();
        let known = |name: &String| OPTIONS.split(' ').any(|known| known == name);
        let rules = [
            ("ids aren't immutable", immutable || is_upload),
            ("a token goes to an upload", unsigned || !is_upload),
            (
                "the field of the order isn't first",
                first || order.is_empty(),
            ),
            ("a search is filtered", alone || search.is_empty()),
            ("an unknown option", self.query.keys().all(known)),
        ];
        let broken = rules.iter().filter(|(_, holds)| !holds);
        let named = broken.map(|(rule, _)| format!("{}: {rule}", self.call.name));
        named.collect()
    }

    pub fn page(&self, all: &[Value]) -> Value {
        let [top, skip] = ["$top", "$skiptoken"].map(|name| self.query(name).parse().ok());
        let (top, skip): (usize, usize) = (top.unwrap_or(10), skip.unwrap_or(0));
        let page: Vec<&Value> = all.iter().skip(skip).take(top).collect();
        let mut answer = json!({"value": page});
        if self.query("$count") == "true" {
            answer["@odata.count"] = json!(all.len());
        }
        if skip + top < all.len() {
            let mut query = self.query.clone();
            query.insert("$skiptoken".into(), (skip + top).to_string());
            let page = format!(
                "http://{}/v1.0/{}",
                self.header("host"),
                self.path.join("/")
            );
            let next = Url::parse_with_params(&page, query).unwrap();
            answer["@odata.nextLink"] = json!(next.as_str());
        }
        answer
    }

    /// A resource, or each of a page, with the fields that were asked for.
    pub fn selected(&self, mut shown: Value) -> Value {
        let (named, expanded) = (self.fields(), self.query("$expand"));
        if let Some(Value::Array(page)) = shown.get_mut("value") {
            let each = page.iter_mut();
            each.for_each(|one| *one = self.selected(one.take()));
        } else if let Some(fields) = shown.as_object_mut() {
            fields.retain(|name, _| {
                let always = name == "id" || name.starts_with('@');
                let usual = named.is_empty() && ON_REQUEST.split(' ').all(|other| other != name);
                always || usual || named.contains(&&**name) || expanded.starts_with(&**name)
            });
            if let Some(Value::Array(properties)) = fields.get_mut("singleValueExtendedProperties")
            {
                properties.retain(|property| expanded.contains(property["id"].as_str().unwrap()));
            }
        }
        shown
    }
}
