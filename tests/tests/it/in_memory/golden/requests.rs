//! Ten requests for each team. Marketing has its own table.

pub struct Golden {
    pub team: &'static str,
    pub asks: &'static str,
    /// Workers the manager calls in order, and the turns of each: `TOOL {…}`, then `: WORDS`.
    pub parts: &'static [(&'static str, &'static [&'static str])],
    pub asks_as: &'static [&'static str],
    pub says: &'static [&'static str],
    pub sends: usize,
    /// Calendar blocks at the end; none may overlap.
    pub blocks: usize,
    /// Which of the two pages the reply cites.
    pub cites: [bool; 2],
}

const fn of(team: &'static str) -> Golden {
    Golden {
        team,
        asks: "",
        parts: &[],
        asks_as: &[],
        says: &[],
        sends: 0,
        blocks: 0,
        cites: [false; 2],
    }
}

pub const COMMUNICATIONS: Golden = of("communications");
const RESEARCH: Golden = of("research");
const SCHEDULING: Golden = of("scheduling");
const DATA: Golden = of("data");

const FIND_BEN: &str = r#"email_viewEmails {"from": "Ben"}"#;
const READ_BUDGET: &str = r#"email_readEmail {"emailId": "Budget for the spring"}"#;
const READ_LUNCH: &str = r#"email_readEmail {"emailId": "Lunch?"}"#;
const ANSWER_LUNCH: &str = r#"email_processEmail {"emailId": "Lunch?", "action": "send_reply", "replyText": "At noon, then."}"#;
pub const TELL_BEN: &str = r#"slack_sendMessage {"to": "Ben", "text": "The numbers are fine."}"#;
const MAIL_BEN: &str =
    r#"email_sendEmail {"to": ["Ben"], "subject": "Spring", "text": "The numbers are fine."}"#;
const SEARCH: &str = r#"web_search {"query": "price of oak"}"#;
const NOTES: &str = r#"docs_readDocument {"documentId": "Offsite notes"}"#;
const SALES: &str = r#"sheets_readSheet {"sheetId": "Sales"}"#;

#[rustfmt::skip]
pub const GOLDEN: &[Golden] = &[
    Golden { asks: "What does Ben want of me, and what is open?", parts: &[("reader", &[FIND_BEN, READ_BUDGET, ": Ben wants the numbers looked at by Monday."])], says: &["by Monday"], ..COMMUNICATIONS },
    Golden { asks: "Read Chiyo's mail about lunch and say yes to noon", parts: &[("reader", &[READ_LUNCH, ": Chiyo asks: at noon?"]), ("correspondent", &[ANSWER_LUNCH, ": Answered Chiyo."])], asks_as: &["correspondent"], says: &["Answered Chiyo"], sends: 1, ..COMMUNICATIONS },
    Golden { asks: "Look at Ben's budget mail and tell him on Slack that it is fine", parts: &[("reader", &[READ_BUDGET, ": Numbers by Monday."]), ("correspondent", &[TELL_BEN, ": Told Ben."])], asks_as: &["correspondent"], says: &["Told Ben"], sends: 1, ..COMMUNICATIONS },
    Golden { asks: "Write Ben a mail that the spring numbers are fine, after reading what he asked", parts: &[("reader", &[READ_BUDGET, ": Numbers by Monday."]), ("correspondent", &[MAIL_BEN, ": Written to Ben."])], asks_as: &["correspondent"], sends: 1, ..COMMUNICATIONS },
    Golden { asks: "Draft answers to Ben and Chiyo", parts: &[("reader", &[READ_BUDGET, READ_LUNCH, ": Both wait."]), ("correspondent", &[r#"email_draftReplies {"drafts": [{"emailId": "Budget for the spring", "text": "By Monday."}, {"emailId": "Lunch?", "text": "At noon."}]}"#, ": Two drafts."])], says: &["Two drafts"], ..COMMUNICATIONS },
    Golden { asks: "Answer Chiyo and tell Ben, both about lunch at noon", parts: &[("correspondent", &[ANSWER_LUNCH, ": Answered Chiyo."]), ("correspondent", &[r#"slack_sendMessage {"to": "Ben", "text": "Lunch at noon."}"#, ": Told Ben."])], asks_as: &["correspondent", "correspondent"], says: &["Answered Chiyo", "Told Ben"], sends: 2, ..COMMUNICATIONS },
    Golden { asks: "Who waits for an answer of mine, and since when?", parts: &[("reader", &[r#"email_viewEmails {"status": ["unread"]}"#, ": Chiyo since 08:00, Ben since yesterday."])], says: &["Chiyo since 08:00"], ..COMMUNICATIONS },
    Golden { asks: "Keep a mail to Ben about the spring as a draft", parts: &[("correspondent", &[r#"email_sendEmail {"to": ["Ben"], "subject": "Spring", "text": "Soon.", "asDraft": true}"#, ": Kept as a draft."])], asks_as: &[], says: &["draft"], ..COMMUNICATIONS },
    Golden { asks: "Find out who Ben is, then tell him on Slack that the numbers are fine", parts: &[("correspondent", &[r#"user_lookup {"query": "Ben"}"#, TELL_BEN, ": Told Ben."])], asks_as: &["correspondent"], sends: 1, ..COMMUNICATIONS },
    Golden { asks: "Sum up the mails of this week by who they come from", parts: &[("reader", &[r#"email_viewEmails {"since": "2026-11-16"}"#, READ_BUDGET, READ_LUNCH, ": Ben, Chiyo, Zoë and a letter."])], says: &["Zoë"], ..COMMUNICATIONS },

    Golden { asks: "What does oak cost, with sources?", parts: &[("searcher", &[SEARCH, ": Oak costs 12 {oak}."])], cites: [true, false], ..RESEARCH },
    Golden { asks: "Compare two reports on the price of oak", parts: &[("searcher", &[SEARCH, ": Both say 12 {oak}{ash}."])], cites: [true, true], ..RESEARCH },
    Golden { asks: "What did we note about the offsite?", parts: &[("reader", &[NOTES, ": House and train are open (Offsite notes)."])], says: &["Offsite notes"], ..RESEARCH },
    Golden { asks: "What does oak cost, and what do our sales say?", parts: &[("searcher", &[SEARCH, ": Oak costs 12 {oak}."]), ("reader", &[SALES, ": We sold it at 0.1 (Sales, B1)."])], says: &["Sales, B1"], cites: [true, false], ..RESEARCH },
    Golden { asks: "Is it true that oak costs 99? Say where that stands", parts: &[("searcher", &[SEARCH, ": No page says 99 [s000000]; it is 12 {ash}."])], cites: [false, true], ..RESEARCH },
    Golden { asks: "Find the price of oak, then check it on a second page", parts: &[("searcher", &[SEARCH, ": 12 {oak}."]), ("searcher", &[SEARCH, ": 12 as well {ash}."])], cites: [true, true], ..RESEARCH },
    Golden { asks: "Which documents do we have about the offsite?", parts: &[("reader", &[r#"docs_findDocuments {"words": "offsite"}"#, ": Offsite notes."])], says: &["Offsite notes"], ..RESEARCH },
    Golden { asks: "Read what the first page on oak says, word by word", parts: &[("searcher", &[SEARCH, r#"web_readPage {"url": "https://oak.example/prices"}"#, ": It says that oak costs 12 {oak}, and again {oak}."])], cites: [true, false], ..RESEARCH },
    Golden { asks: "What is known about oak in general?", parts: &[("searcher", &[SEARCH, ": Its price is 12 {oak}; the rest wasn't found."])], says: &["wasn't found"], cites: [true, false], ..RESEARCH },
    Golden { asks: "Compare our notes with our sales", parts: &[("reader", &[NOTES, SALES, ": They have nothing in common."])], says: &["nothing in common"], ..RESEARCH },

    Golden { asks: "Block two hours for the report and one for mail on Monday", parts: &[("planner", &[r#"schedule_viewSchedule {"date": "2026-11-23"}"#, r#"schedule_batchCreateBlocks {"date": "2026-11-23", "blocks": [{"type": "work", "title": "Report", "startTime": "09:00", "endTime": "11:00"}, {"type": "email", "title": "Mail", "startTime": "11:00", "endTime": "12:00"}]}"#, ": Both stand."])], blocks: 2, ..SCHEDULING },
    Golden { asks: "Plan three blocks on Monday from nine, two hours each, whatever fits before noon", parts: &[("planner", &[r#"schedule_batchCreateBlocks {"date": "2026-11-23", "blocks": [{"type": "work", "title": "A", "startTime": "09:00", "endTime": "11:00"}, {"type": "work", "title": "B", "startTime": "10:00", "endTime": "12:00"}]}"#, ": A stands, B overlaps it."])], says: &["B overlaps"], blocks: 1, ..SCHEDULING },
    Golden { asks: "Meet with Ben on Monday at ten, and give me an hour before it", parts: &[("secretary", &[r#"calendar_scheduleMeeting {"attendees": ["Ben"], "preferredTimes": ["2026-11-23T10:00"]}"#, ": With Ben at ten."]), ("planner", &[r#"schedule_batchCreateBlocks {"date": "2026-11-23", "blocks": [{"type": "work", "title": "Ready", "startTime": "09:00", "endTime": "10:00"}]}"#, ": An hour before it."])], asks_as: &["secretary", "planner"], says: &["With Ben at ten"], blocks: 1, ..SCHEDULING },
    Golden { asks: "When could Ben and I meet next week?", parts: &[("secretary", &[r#"calendar_findTimes {"attendees": ["Ben"], "from": "2026-11-23", "until": "2026-11-25"}"#, ": Monday at nine."])], says: &["Monday at nine"], ..SCHEDULING },
    Golden { asks: "Remind me tomorrow at nine to call Ben, and make it a task", parts: &[("secretary", &[r#"job_createJob {"date": "2026-11-22", "time": "09:00", "say": "Call Ben"}"#, ": I'll remind you."]), ("planner", &[r#"task_createTask {"title": "Call Ben"}"#, ": It is on your list."])], says: &["on your list"], ..SCHEDULING },
    Golden { asks: "Where is an hour free on Monday? Take the first", parts: &[("planner", &[r#"schedule_findGaps {"date": "2026-11-23", "minDuration": 60}"#, r#"schedule_batchCreateBlocks {"date": "2026-11-23", "blocks": [{"type": "work", "title": "Free", "startTime": "09:00", "endTime": "10:00"}]}"#, ": At nine."])], blocks: 1, ..SCHEDULING },
    Golden { asks: "Plan Monday and Tuesday, a block each", parts: &[("planner", &[r#"schedule_batchCreateBlocks {"date": "2026-11-23", "blocks": [{"type": "work", "title": "A", "startTime": "09:00", "endTime": "11:00"}]}"#, r#"schedule_batchCreateBlocks {"date": "2026-11-24", "blocks": [{"type": "work", "title": "B", "startTime": "09:00", "endTime": "11:00"}]}"#, ": Two days, two blocks."])], blocks: 2, ..SCHEDULING },
    Golden { asks: "What is on this week, meetings and blocks?", parts: &[("secretary", &["calendar_viewMeetings {}", ": No meetings."]), ("planner", &["schedule_viewWeek {}", ": No blocks."])], says: &["No meetings", "No blocks"], ..SCHEDULING },
    Golden { asks: "Block Monday morning twice, once for the report and once for mail", parts: &[("planner", &[r#"schedule_batchCreateBlocks {"date": "2026-11-23", "blocks": [{"type": "work", "title": "Report", "startTime": "09:00", "endTime": "12:00"}]}"#, ": Report stands."]), ("planner", &[r#"schedule_batchCreateBlocks {"date": "2026-11-23", "blocks": [{"type": "email", "title": "Mail", "startTime": "11:30", "endTime": "12:30"}]}"#, ": Mail doesn't fit."])], says: &["Mail doesn't fit"], blocks: 1, ..SCHEDULING },
    Golden { asks: "Meet with Ben on Tuesday at two for an hour", parts: &[("secretary", &[r#"user_lookup {"query": "Ben"}"#, r#"calendar_scheduleMeeting {"attendees": ["Ben"], "duration": 60, "preferredTimes": ["2026-11-24T14:00"]}"#, ": With Ben at two."])], asks_as: &["secretary"], ..SCHEDULING },

    Golden { asks: "What do the prices in Sales add up to?", parts: &[("analyst", &[SALES, r#"figures {"values": [0.1, 0.2, 1012.35]}"#, ": {sum} (Sales, B1:B3)."])], says: &["1012.65"], ..DATA },
    Golden { asks: "What did we earn, price times pieces?", parts: &[("analyst", &[SALES, r#"figures {"values": [0.1, 0.2, 1012.35], "weights": [3, 7, 2]}"#, ": {sum} in all."])], says: &["2026.4 in all"], ..DATA },
    Golden { asks: "What is a tenth and two tenths?", parts: &[("analyst", &[r#"figures {"values": [0.1, 0.2]}"#, ": Exactly {sum}."])], says: &["Exactly 0.3."], ..DATA },
    Golden { asks: "The mean of the pieces in Sales, please", parts: &[("analyst", &[SALES, r#"figures {"values": [3, 7, 2]}"#, ": {mean} pieces."])], says: &["4 pieces"], ..DATA },
    Golden { asks: "Which price is the largest?", parts: &[("analyst", &[SALES, r#"figures {"values": [0.1, 0.2, 1012.35]}"#, ": Elm, {largest}."])], says: &["Elm, 1012.35."], ..DATA },
    Golden { asks: "Add the sum of the prices to Sales as a row", parts: &[("analyst", &[SALES, r#"figures {"values": [0.1, 0.2, 1012.35]}"#, ": {sum}."]), ("recorder", &[r#"sheets_appendRows {"sheetId": "Sales", "rows": [["All", "1012.65"]]}"#, ": A row for all."])], asks_as: &["recorder"], says: &["1012.65", "A row for all"], ..DATA },
    Golden { asks: "Mend the price of ash to 0.25", parts: &[("recorder", &[SALES, r#"sheets_updateCells {"sheetId": "Sales", "range": "B2", "values": [["0.25"]]}"#, ": Mended B2."])], asks_as: &["recorder"], says: &["Mended B2"], ..DATA },
    Golden { asks: "Make a sheet for autumn with the same columns", parts: &[("recorder", &[SALES, r#"sheets_createSheet {"title": "Autumn", "header": ["Wood", "Price", "Pieces"]}"#, ": Autumn is there."])], says: &["Autumn is there"], ..DATA },
    Golden { asks: "Losses count too: what are -1.05 and 0.05?", parts: &[("analyst", &[r#"figures {"values": [-1.05, 0.05]}"#, ": {sum}, a mean of {mean}."])], says: &["-1, a mean of -0.5."], ..DATA },
    Golden { asks: "Which sheets do we have, and what is in Sales?", parts: &[("analyst", &["sheets_findSheets {}", SALES, ": Sales alone, three rows."])], says: &["three rows"], ..DATA },
];
