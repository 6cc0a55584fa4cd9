//! The vocabulary of effects. Sets are words between spaces; a word has no hyphens
//! ("e-mailed" is "emailed"), and contractions are split ("won't" is "will not").

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a verb needs beside it to be a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Hands something over: "sent". Its object may be anything.
    Send,
    /// Changes a thing: "created". A draft or an overview as its object is part of the reply.
    Change,
    /// As `Change`, but its participle also describes a state: "is booked".
    State,
    /// Speaks to somebody: "told". No effect if that is the reader.
    Tell,
    /// A verb of many meanings, an effect only with one of these words soon after it.
    With(&'static str),
}

/// Bases of regular verbs, `base/past/participle` of others; `+` doubles the last letter.
const SEND: &str = "send/sent/sent resend/resent/resent mail email message text dm/dmed/dmed post repost \
    forward deliver dispatch transmit broadcast/broadcast/broadcast upload \
    reply/replied/replied respond fax relay cc/ccd/ccd bcc/bccd/bccd wire transfer+ refund \
    reimburse rsvp/rsvpd/rsvpd retweet tweet escalate";
const CHANGE: &str = "create add delete remove move update rename edit modify change adjust revise amend alter \
    replace swap+ shift postpone delay bump+ insert append erase purge wipe trash discard \
    empty clear fix correct restore undo/undid/undone revert reset/reset/reset clean tidy \
    reopen resolve merge switch renew upgrade downgrade deploy commit+ submit+ push copy \
    duplicate import export decline reject grant revoke withdraw/withdrew/withdrawn \
    unsubscribe uninvite delegate hand rebook reschedule unblock unpin+ unmute unarchive \
    dismiss snooze finalise finalize";
const STATE: &str = "book schedule pay/paid/paid order purchase buy/bought/bought announce publish attach \
    accept protect subscribe register enroll enrol+ invite introduce extend sync install \
    set/set/set reserve block cancel cancel+ share assign reassign mark archive close complete \
    confirm save store file pin+ mute star tag+ label log+ record enable disable activate \
    deactivate lock unlock connect disconnect link unlink plan+ arrange organise organize \
    settle handle automate pause resume configure customise customize sort";
const TELL: &str = "tell/told/told inform answer notify remind ping alert nudge ask request brief update \
    contact phone ring/rang/rung call warn thank congratulate apologise apologize advise \
    instruct";
/// Verbs of many meanings: `past>words`, one of which follows within a few words.
const WITH: &str = "put>on,in,into,to,onto,through let>know turned>on,off took>care,down,off \
    taken>care,down,off \
    made>booking,reservation,appointment,change,changes,payment,edit,edits,entry,purchase,switch,adjustment,adjustments,note \
    left>comment,note,message,voicemail,reply \
    dropped>note,line,message,email,mail,from,it,into,file,in \
    gave>access,headsup,permission,permissions,go given>access,headsup,permission,permissions \
    wrote>to,back written>to,back got>headsup checked>off \
    crossed>off,out ticked>off struck>off,from passed>on,along,your,it,that looped>in \
    reached>out followed>up copied>on,in signed>up,off,you carved>out blocked>off,out \
    pulled>forward brought>forward freed>up cut>from dealt>with filled>in,out rolled>back,out \
    fired>off kicked>off pushed>back,to,out squared>away wrapped>up shot>over,him,her,them,a \
    spun>up wired>up penciled>in,you pencilled>in,you slotted>in,it popped>in,on,it plugged>in \
    noted>down,preference,preferences hit>send jotted>down chased>up,ben,him,her,them \
    ran>payment cc>in fixed>up lined>up applied>for held>the,your,a,it \
    placed>order,orders,hold,call,request,reservation";

/// Every past form and participle, with what it needs.
pub static VERBS: LazyLock<HashMap<String, Kind>> = LazyLock::new(|| {
    let mut verbs = HashMap::new();
    for (list, kind) in LISTS {
        for entry in list.split_whitespace() {
            let (_, past, participle) = forms(entry);
            verbs.insert(past, kind);
            verbs.insert(participle, kind);
        }
    }
    for (past, words) in WITH.split_whitespace().filter_map(|e| e.split_once('>')) {
        verbs.entry(past.to_owned()).or_insert(Kind::With(words));
    }
    verbs
});

/// Bases and progressives ("send", "sends", "sending") of the verbs, each with its base.
pub static BASES: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let mut bases = HashMap::new();
    for entry in LISTS.iter().flat_map(|(list, _)| list.split_whitespace()) {
        let (base, ..) = forms(entry);
        let doubled = entry.ends_with('+').then(|| base.chars().last()).flatten();
        let stem = base.strip_suffix('e').unwrap_or(&base).to_owned();
        let stem = doubled.map_or(stem, |last| format!("{base}{last}"));
        bases.insert(format!("{stem}ing"), base.clone());
        bases.insert(base.clone(), base);
    }
    bases
});

const LISTS: [(&str, Kind); 4] = [
    (TELL, Kind::Tell),
    (SEND, Kind::Send),
    (CHANGE, Kind::Change),
    (STATE, Kind::State),
];

fn forms(entry: &str) -> (String, String, String) {
    if let Some((base, (past, participle))) = entry
        .split_once('/')
        .and_then(|(base, rest)| Some((base, rest.split_once('/')?)))
    {
        return (base.into(), past.into(), participle.into());
    }
    let base = entry.trim_end_matches('+');
    let past = match (entry.ends_with('+'), base.chars().last()) {
        (true, Some(last)) => format!("{base}{last}ed"),
        (_, Some('e')) => format!("{base}d"),
        (_, Some('y')) if !base.ends_with("oy") => format!("{}ied", &base[..base.len() - 1]),
        _ => format!("{base}ed"),
    };
    (base.into(), past.clone(), past)
}

pub fn any_of(set: &str, word: &str) -> bool {
    set.split(' ').any(|one| one == word)
}

/// Adverbs that may stand inside a verb group or before an ellipsis.
pub const ADVERBS: &str = "just already now also then finally both all right away immediately even actually duly only \
    hereby therefore instead too at since newly freshly again successfully quickly officially \
    safely promptly directly personally automatically properly accordingly fully quietly";
pub const SEPARATORS: &str = ", : —";
pub const MODALS: &str = "will would shall should can could may might must to need";
/// Between a subject and its verb, these make it no claim.
pub const NEGATIONS: &str = "not never nothing no none neither nor nobody without unable failed fails hardly barely \
    almost nearly cannot rather";
pub const CONDITIONS: &str =
    "if unless until whether when whenever once before after assuming suppose wish till";
/// Before a subject, these make its clause part of another thing.
pub const RELATIVES: &str = "that which who whom whose where how what why whatever anything everything any each every \
    like";
/// Somebody else's words, or what was read.
pub const REPORTS: &str = "say says said wrote writes mention mentions mentioned states stated reports reported shows \
    showed claims claimed according apparently seems seemed appears appeared looks read reads \
    saw see sees noticed found learned learnt heard think thinks thought believe believed \
    assume assumed supposed remember recall per me us pretend pretended wrongly mistakenly \
    understand gather example instance explains explained means meaning suggests indicates \
    indicated confirms lists history";
/// What was looked at, when a colon or "that" follows.
pub const LOOKS: &str = "checked looked searched reviewed listed scanned compared counted thread page inbox subject \
    calendar";
/// Lead-ins of the writer's own announcements, which turn `REPORTS` and `RELATIVES` off.
pub const ANNOUNCES: &str =
    "confirm happy pleased glad delighted news assured rest note know report letting fyi";
pub const INTERJECTIONS: &str = "ok okay done great yes yep yup sure alright perfect right hi hey hello thanks thank good \
    news quick update status got it no problem there you go all set of course absolutely \
    certainly understood sorted will do one more thing and so as requested asked fyi voila \
    voilà excellent nice cool awesome boom ta da tada consider well happy to help my pleasure \
    result action actions";
/// Nouns an effect is done to.
pub const OBJECTS: &str = "❝ message messages mail mails email emails invite invites invitation invitations task \
    tasks room rooms meeting meetings event events reply replies response note notes reminder \
    reminders document documents doc docs file files calendar appointment appointments call \
    calls booking bookings reservation reservations invoice invoices payment payments entry \
    entries block blocks slot slots hold post comment comments request requests order orders \
    ticket tickets preferences preference settings setting change changes everything \
    subscription bill agenda report link links table flight flights hotel taxi update updates \
    channel page folder contact list summary timezone alarm notification notifications money \
    transfer deadline lunch dinner review sync standup interview session item items one ones \
    form application newsletter announcement cab car focus time rsvp slides deck contract \
    package photo photos presentation access permission permissions status";
/// Of those, what reaches a person.
pub const LETTERS: &str = "❝ message messages mail mails email emails invite invites invitation invitations reply \
    replies response note notes update reminder reminders payment notification headsup notice \
    announcement memo ping dm apology thanks apologies rsvp";
/// Objects that are part of the reply itself.
pub const WRITING: &str = "draft drafts overview plan outline comparison translation proposal suggestion suggestions \
    search analysis calculation check research wording tone answer sentence paragraph version \
    question questions summary lookup checks explanation options option step steps comparisons";
/// Where the reply itself is.
pub const IN_REPLY: &str = "below above bold here approval approve approving mistake error goahead signoff brackets \
    italics";
pub const PAST_TIMES: &str = "yesterday earlier previously ago originally formerly";
pub const HABITS: &str = "always usually often every each weekly daily monthly normally typically only automatically \
    generally sometimes never whenever regularly hourly by default";
pub const DAYS: &str = "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun \
    january february march april june july august september october november december jan feb \
    mar apr jun jul aug sep sept oct nov dec";
pub const DETERMINERS: &str = "the a an me us my your his her its our their this that these those both all one two three \
    four five six some another him them it everyone everybody somebody someone ❝ him us";
pub const FINITE: &str =
    "is are was were has have had can will do does did would should could may might must am 's";
