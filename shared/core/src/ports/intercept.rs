//! Wraps ports with an interceptor: for metering, and in tests to fail calls.

use async_trait::async_trait;
use serde_json::Value;
use std::sync::Arc;

use super::{
    Chat, ChatChannel, ChatError, ChatMessage, ChatUser, Commit, Domains, Found, Image, Item, Key,
    Live, LivePlace, Look, MessageBody, Model, ModelError, Outgoing, Page, PageError, Pages, Post,
    Posted, Progress, Query, Queue, QueueError, Search, SearchError, Status, Store, StoreError,
    Turn, TurnRequest, Usage, WebPage,
};
use crate::id::{ChannelId, FileId, TeamId, UserId};

#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Port and method, such as `store.get` or `mail.set_status`.
    pub name: &'static str,
    /// The subject of the call: a partition, a conversation, a mail id; empty if there is none.
    pub about: &'a str,
}

/// Intercepts port calls: it can pass, delay or fail them.
pub trait Intercept: Send + Sync {
    fn call<T: Send, E: Send + 'static>(
        &self,
        call: Call<'_>,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> impl Future<Output = Result<T, E>> + Send;

    /// Handles a model turn (`model.turn`), with its request.
    fn turn(
        &self,
        _request: &TurnRequest,
        work: impl Future<Output = Result<Turn, ModelError>> + Send,
    ) -> impl Future<Output = Result<Turn, ModelError>> + Send {
        let (name, about) = ("model.turn", "");
        self.call(Call { name, about }, work)
    }
}

impl<I: Intercept> Intercept for Arc<I> {
    fn call<T: Send, E: Send + 'static>(
        &self,
        call: Call<'_>,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> impl Future<Output = Result<T, E>> + Send {
        (**self).call(call, work)
    }

    fn turn(
        &self,
        request: &TurnRequest,
        work: impl Future<Output = Result<Turn, ModelError>> + Send,
    ) -> impl Future<Output = Result<Turn, ModelError>> + Send {
        (**self).turn(request, work)
    }
}

#[derive(Debug)]
pub struct Intercepted<P: ?Sized, I> {
    pub by: I,
    pub port: Arc<P>,
}

macro_rules! intercepted {
    ($port:ident, $error:ty, $prefix:literal;
     $($method:ident($($name:ident: $type:ty),*) -> $out:ty, $about:expr;)*) => {
        #[async_trait]
        impl<P: $port + ?Sized, I: Intercept> $port for Intercepted<P, I> {
            $(async fn $method(&self, $($name: $type),*) -> Result<$out, $error> {
                let call = Call {
                    name: concat!($prefix, ".", stringify!($method)),
                    about: $about,
                };
                self.by.call(call, self.port.$method($($name),*)).await
            })*
        }
    };
}

intercepted! { Store, StoreError, "store";
    get(key: &Key) -> Option<Item>, &key.partition;
    query(query: &Query) -> Page, &query.partition;
    commit(commit: &Commit) -> (), "";
}

intercepted! { Queue, QueueError, "queue";
    send(message: &Outgoing) -> (), message.queue.as_str();
}

intercepted! { Chat, ChatError, "chat";
    team() -> TeamId, "";
    direct_message(user: &UserId) -> ChannelId, user.as_str();
    post(post: &Post) -> Posted, post.channel.as_str();
    upload(image: &Image) -> FileId, "";
    download(file: &FileId, most: u64) -> Vec<u8>, file.as_str();
    update(posted: &Posted, text: &str, blocks: &[Value]) -> (), posted.channel.as_str();
    ephemeral(user: &UserId, post: &Post) -> (), post.channel.as_str();
    before(channel: &ChannelId, thread_ts: Option<&str>, ts: &str, limit: usize) -> Vec<ChatMessage>, channel.as_str();
    set_status(channel: &ChannelId, thread_ts: &str, status: &Status) -> (), channel.as_str();
    start_live(place: &LivePlace, progress: &Progress) -> Live, place.channel.as_str();
    show_live(live: &Live, shown: &Progress, progress: &Progress) -> (), live.at.channel.as_str();
    complete_live(live: &Live, post: &Post) -> (), live.at.channel.as_str();
    delete_live(live: &Live) -> (), live.at.channel.as_str();
    message(posted: &Posted, thread_ts: Option<&str>) -> Option<MessageBody>, posted.channel.as_str();
    find(look: &Look) -> Option<Posted>, look.channel.as_str();
    thread(channel: &ChannelId, thread_ts: &str, limit: usize) -> Vec<ChatMessage>, channel.as_str();
    user(user: &UserId) -> Option<ChatUser>, user.as_str();
    channels(member: &UserId) -> Vec<ChatChannel>, member.as_str();
    open_view(trigger_id: &str, view: &Value) -> String, trigger_id;
    update_view(view_id: &str, view: &Value) -> (), view_id;
    publish_home(user: &UserId, blocks: &[Value]) -> (), user.as_str();
}

// Calls are reported without queries and addresses, since these don't belong in logs.
intercepted! { Search, SearchError, "search";
    search(query: &str, domains: &Domains, limit: usize) -> Found, "";
}

intercepted! { Pages, PageError, "pages";
    fetch(url: &str) -> WebPage, "";
    leave_list(url: &str) -> (), "";
}

#[async_trait]
impl<P: Model + ?Sized, I: Intercept + Clone + 'static> Model for Intercepted<P, I> {
    async fn turn(&self, request: &TurnRequest, wasted: &mut Usage) -> Result<Turn, ModelError> {
        self.by.turn(request, self.port.turn(request, wasted)).await
    }

    fn name(&self) -> String {
        self.port.name()
    }

    fn costs_at_most(&self, usage: &Usage) -> Option<u64> {
        self.port.costs_at_most(usage)
    }

    fn named(&self, name: &str) -> Option<Arc<dyn Model>> {
        let (by, port) = (self.by.clone(), self.port.named(name)?);
        Some(Arc::new(Intercepted { by, port }))
    }
}
