//! A reply as sentences of plain words, without what it only quotes, drafts or lists.

use super::words::{ADVERBS, CONDITIONS, SEPARATORS, any_of};

/// Stands for what was quoted.
const QUOTED: char = '❝';
/// Longer sentences are cut, so that looking around in one stays cheap.
const MAX_WORDS: usize = 60;
/// The longest text between single quotes, in characters.
const MAX_SINGLE_QUOTE: usize = 300;

/// A word in lower case, or a separator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    /// Written with a capital.
    pub name: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Sentence {
    pub words: Vec<Word>,
    pub question: bool,
    /// An entry of a list that reports what was found.
    pub listed: bool,
}

impl Sentence {
    pub fn at(&self, i: usize) -> &str {
        self.words.get(i).map_or("", |word| &word.text)
    }

    /// The words of a range, for looking through them.
    pub fn range(&self, from: usize, to: usize) -> impl Iterator<Item = &str> {
        let to = to.min(self.words.len());
        self.words[from.min(to)..to].iter().map(|w| w.text.as_str())
    }

    pub fn has(&self, set: &str, from: usize, to: usize) -> bool {
        self.range(from, to).any(|word| any_of(set, word))
    }

    /// Whether a range begins a condition: "if", "once", "as soon as".
    pub fn conditional(&self, from: usize, to: usize) -> bool {
        let to = to.min(self.words.len());
        let soon = |k: usize| self.at(k) == "soon" && self.at(k + 1) == "as";
        // "Had I sent it, …", "Should they be moved, …"
        let inverted = |k: usize| {
            self.clause_start(k) == k
                && any_of("had were should", self.at(k))
                && any_of("i we you it they he she", self.at(k + 1))
        };
        self.has(CONDITIONS, from, to) || (from..to).any(|k| soon(k) || inverted(k))
    }

    /// The end of the clause around a word: the next separator, or a word that begins another.
    pub fn clause_end(&self, i: usize) -> usize {
        let ends =
            |k: &usize| any_of(SEPARATORS, self.at(*k)) || any_of("but so because", self.at(*k));
        (i..self.words.len()).find(ends).unwrap_or(self.words.len())
    }

    /// The start of the clause that a word stands in.
    pub fn clause_start(&self, i: usize) -> usize {
        let starts = |k: &usize| {
            any_of(SEPARATORS, self.at(*k)) || any_of("but so because and then", self.at(*k))
        };
        (0..i).rev().find(starts).map_or(0, |k| k + 1)
    }

    /// The nearest word before `i` that isn't an adverb.
    pub fn before_adverbs(&self, i: usize) -> Option<usize> {
        let mut k = i.checked_sub(1)?;
        loop {
            if self.at(k) == "and" && k > 0 && self.at(k - 1) == "ahead" {
                k = k.checked_sub(3)?;
            } else if any_of(ADVERBS, self.at(k)) {
                k = k.checked_sub(1)?;
            } else {
                return Some(k);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Plain,
    Report,
    Draft,
}

/// The sentences a reply says itself. `acts` tells whether an introduction speaks of effects.
pub fn sentences(text: &str, acts: impl Fn(&Sentence) -> bool) -> Vec<Sentence> {
    let mut all = Vec::new();
    let mut block = Block::Plain;
    for line in unquoted(text).lines().map(str::trim) {
        let (bullet, rest) = without_bullet(line);
        let rule = line.len() > 2 && line.chars().all(|c| "-*_".contains(c));
        let quoted = !line.is_empty() && line.chars().all(|c| c == QUOTED || c.is_whitespace());
        if block == Block::Draft && !line.is_empty() && (rule || quoted) {
            block = Block::Plain;
        }
        if line.is_empty() || rule || block == Block::Draft {
            continue;
        }
        if !bullet {
            block = Block::Plain;
        }
        let mut found = split(rest);
        for sentence in &mut found {
            sentence.listed = bullet && block == Block::Report;
            drop_draft(sentence);
        }
        let intro = rest.trim_end_matches(['*', '_', ' ']).ends_with(':');
        if let Some(last) = found.last().filter(|_| intro) {
            block = match () {
                () if last.has(DRAFTS, 0, last.words.len()) && !acts(last) => Block::Draft,
                () if acts(last) || last.has(ACTIONS, 0, last.words.len()) => Block::Plain,
                () => Block::Report,
            };
        }
        all.append(&mut found);
    }
    all
}

const DRAFTS: &str =
    "draft drafts proposed suggested suggestion wording proposal drafted template version";
const ACTIONS: &str =
    "done did changed changes actions action completed steps ok okay sure yes sorted";

/// Cuts "Here is a draft: …" behind its colon.
fn drop_draft(sentence: &mut Sentence) {
    let colon = (0..sentence.words.len()).find(|&k| sentence.at(k) == ":");
    if let Some(colon) = colon.filter(|&colon| sentence.has(DRAFTS, 0, colon)) {
        sentence.words.truncate(colon + 1);
    }
}

fn without_bullet(line: &str) -> (bool, &str) {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() < line.len()
        && let Some(rest) = rest.strip_prefix(". ").or(rest.strip_prefix(") "))
    {
        return (true, rest);
    }
    let bullet = ["- ", "• ", "* ", "+ ", "◦ ", "– "];
    let rest = bullet.iter().find_map(|mark| line.strip_prefix(mark));
    rest.map_or((false, line), |rest| (true, rest))
}

/// The text with a mark in place of block quotes, code, and text in quotation marks.
fn unquoted(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    for line in text.lines() {
        let quote = line.trim_start();
        let quote = quote.starts_with('>') || quote.starts_with("&gt;");
        match quote {
            true => lines.push(QUOTED),
            false => lines.push_str(line),
        }
        lines.push('\n');
    }
    let chars: Vec<char> = lines.replace("```", "⟦").chars().collect();
    let mut plain = String::with_capacity(lines.len());
    let (mut i, mut unclosed) = (0, Vec::new());
    while let Some(&c) = chars.get(i) {
        let free = i == 0 || !chars[i - 1].is_alphanumeric();
        let end = closing(c)
            .filter(|close| free && !unclosed.contains(close))
            .and_then(|close| {
                let end = end_of_quote(&chars, i, close);
                // A mark that never closes is looked for once; single quotes are bounded instead.
                if end.is_none() && !"'’".contains(close) {
                    unclosed.push(close);
                }
                end
            });
        match end {
            Some(end) => {
                plain.extend([' ', QUOTED, ' ']);
                // What ended inside the quotation ends the sentence around it too.
                plain.extend(chars[end - 1..end].iter().filter(|c| "?!.".contains(**c)));
                i = end + 1;
            }
            None => {
                plain.push(c);
                i += 1;
            }
        }
    }
    plain
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '"' => '"',
        '“' | '„' => '”',
        '«' => '»',
        '‘' => '’',
        '\'' => '\'',
        '`' => '`',
        '⟦' => '⟦',
        _ => return None,
    })
}

fn end_of_quote(chars: &[char], open: usize, close: char) -> Option<usize> {
    let single = "'’".contains(close);
    let limit = if single {
        MAX_SINGLE_QUOTE
    } else {
        chars.len()
    };
    let rest = chars.iter().enumerate().skip(open + 1).take(limit);
    for (k, &c) in rest {
        if single && c == '\n' {
            return None;
        }
        let inside = chars.get(k + 1).is_some_and(|next| next.is_alphanumeric());
        if (c == close || (close == '”' && c == '“')) && k > open + 1 && !(inside && close != '⟦')
        {
            return Some(k);
        }
    }
    None
}

fn split(line: &str) -> Vec<Sentence> {
    let mut all = vec![Sentence::default()];
    for chunk in spaced(line).split_whitespace() {
        let core = chunk.trim_matches(|c: char| !c.is_alphanumeric() && c != QUOTED && c != '@');
        let head = chunk.split(core).next().unwrap_or_default();
        let tail = chunk.get(head.len() + core.len()..).unwrap_or_default();
        let full = all.last().is_some_and(|last| last.words.len() >= MAX_WORDS);
        if full || (head.chars().any(is_symbol) && !core.is_empty()) {
            all.push(Sentence::default());
        }
        let Some(last) = all.last_mut() else { continue };
        if core.is_empty() {
            // A chunk of marks alone: what would be its head ends or parts the sentence.
            end(&mut all, chunk);
            continue;
        }
        if head.contains('(') {
            last.words.push(separator(","));
        }
        last.words.extend(parts(core));
        end(&mut all, tail);
    }
    all.retain(|sentence| sentence.words.iter().any(|w| !any_of(SEPARATORS, &w.text)));
    all
}

fn separator(mark: &str) -> Word {
    Word {
        text: mark.to_owned(),
        name: false,
    }
}

/// Emoji and check marks, which end a sentence.
fn is_symbol(c: char) -> bool {
    !c.is_alphanumeric() && c as u32 > 0x2190 && c != QUOTED
}

/// What the marks behind a word do.
fn end(all: &mut Vec<Sentence>, marks: &str) {
    let Some(last) = all.last_mut() else { return };
    if marks.contains(['.', '!', '?', ';', '…']) || marks.chars().any(is_symbol) {
        last.question = marks.contains('?');
        all.push(Sentence::default());
    } else if marks.contains(':') {
        last.words.push(separator(":"));
    } else if marks.contains('—') {
        last.words.push(separator("—"));
    } else if marks.contains([',', ')', '(']) {
        last.words.push(separator(","));
    }
}

/// The line with dashes and named emoji set apart, and without marks of emphasis.
fn spaced(line: &str) -> String {
    let line = line
        .replace('—', " — ")
        .replace(" – ", " — ")
        .replace(" - ", " — ")
        .replace(" -- ", " — ")
        .replace(['’', 'ʼ'], "'")
        .replace(['*', '~', '#'], "")
        .replace('&', " and ")
        .replace('❝', " ❝ ");
    let named = |chunk: &str| {
        let inner = chunk.strip_prefix(':').and_then(|c| c.strip_suffix(':'));
        inner.is_some_and(|name| name.len() > 1 && !name.contains(':'))
    };
    let chunks = line.split_whitespace();
    let chunks = chunks.map(|chunk| if named(chunk) { "✅" } else { chunk });
    chunks.collect::<Vec<_>>().join(" ")
}

/// A chunk as words: lower case, no hyphens, contractions apart.
fn parts(core: &str) -> Vec<Word> {
    let name = core.chars().next().is_some_and(char::is_uppercase);
    let lower = core.to_lowercase().replace('-', "");
    let word = |text: &str| Word {
        text: text.to_owned(),
        name,
    };
    let small = |text: &str| Word {
        text: text.to_owned(),
        name: false,
    };
    let pronoun = |stem: &str| any_of("i you he she it we they that there who", stem);
    match lower.as_str() {
        "cannot" => return vec![small("can"), small("not")],
        "can't" => return vec![small("can"), small("not")],
        "won't" => return vec![small("will"), small("not")],
        "ive" => return vec![word("i"), small("have")],
        _ => {}
    }
    if let Some(stem) = lower.strip_suffix("n't") {
        return vec![small(stem), small("not")];
    }
    match lower.rsplit_once('\'') {
        Some((stem, "ve")) => vec![word(stem), small("have")],
        Some((stem, "ll")) => vec![word(stem), small("will")],
        Some((stem, "re")) => vec![word(stem), small("are")],
        Some((stem, "m")) => vec![word(stem), small("am")],
        Some((stem, "s")) => vec![word(stem), small("'s")],
        Some((stem, "d")) if pronoun(stem) => vec![word(stem), small("would")],
        _ => vec![word(&lower.replace('\'', ""))],
    }
}
