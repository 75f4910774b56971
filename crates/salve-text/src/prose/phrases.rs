//! The phrases of chat, in one table, and what they say about a sentence.
//!
//! In: a line. Out: how surely chats begin or end like that, announce the rest of a text or refuse
//! it. Never matches in the middle of a word, and never looks at what surrounds the line.

use super::{Talk, has_code_signs};
use crate::lines::head;

// What a phrase is for. A phrase may have several of these.
type Roles = u16;
// Said before anything else: a sentence of its own, or followed by what was made.
const INTERJECTION: Roles = 1;
// Follows an interjection, or begins a sentence that presents the content.
const PRESENTING: Roles = 1 << 1;
// Begins a sentence about what the speaker or the reader does.
const SPEAKER: Roles = 1 << 2;
// Begins a sentence about the content; documents begin like this too.
const TOPIC: Roles = 1 << 3;
// Ends a chat, wherever it is.
const CLOSING: Roles = 1 << 4;
// Begins talk after code; too common in documents to go by alone.
const EXPLAINING: Roles = 1 << 5;
// Announces the rest of a text.
const RESUMING: Roles = 1 << 6;
// Announces it so plainly that it is no content even between sentences.
const PLAIN: Roles = 1 << 7;
// Says that the rest is there; `done` and `end` are code too, so only after a continuation.
const ENDING: Roles = 1 << 8;
// Apologises, refuses or asks back.
const REFUSING: Roles = 1 << 9;

const ANNOUNCING: Roles = INTERJECTION | PRESENTING | RESUMING;

// In small letters, with straight apostrophes.
#[rustfmt::skip]
const PHRASES: &[(Roles, &[&str])] = &[
    (INTERJECTION, &[
        "sure thing", "definitely", "ok", "alright", "all right", "great question",
        "good question", "great", "happy to help", "i would be happy to", "glad to help", "thanks",
        "thank you", "you're right", "you are right", "good catch", "yes", "hi", "hello", "hey",
        "perfect", "good point", "right", "ah", "with pleasure", "you're absolutely right",
        "you are absolutely right", "klar", "natürlich", "gerne", "gern", "selbstverständlich",
        "sicher", "in ordnung", "bien sûr", "certainement", "d'accord", "avec plaisir",
        "volontiers", "absolument", "désolé", "claro", "por supuesto", "desde luego",
        "con gusto", "de acuerdo", "perfecto", "entendido", "lo siento", "claro que sí",
        "com certeza", "certo", "certamente", "desculpe", "当然", "好的", "没问题", "可以", "明白了", "抱歉",
        "了解", "はい", "もちろん", "承知しました", "かしこまりました", "네", "물론",
    ]),
    (INTERJECTION | PLAIN, &[
        "sure", "certainly", "of course", "absolutely", "okay", "got it", "understood",
        "no problem", "apologies", "sorry",
    ]),
    (INTERJECTION | CLOSING, &["i'd be happy to", "i'm happy to"]),
    (INTERJECTION | PLAIN | REFUSING, &["my apologies"]),
    (INTERJECTION | REFUSING, &["i apologize"]),
    (INTERJECTION | ENDING, &["done"]),
    (PRESENTING | PLAIN, &["here is", "here's"]),
    (PRESENTING, &[
        "here are", "here you go", "here it is", "below is", "below are", "below you",
        "the following is", "the following are", "this is the", "these are the", "please find",
        "find below", "as requested", "as you requested", "as you asked", "per your request",
        "based on your", "given your", "following your", "hier ist", "hier sind", "hier der",
        "hier die", "hier das", "hier kommt", "anbei", "nachfolgend", "im folgenden", "voici",
        "voilà", "ci-dessous", "aquí tienes", "aquí está", "aquí están", "aquí te",
        "a continuación", "he aquí", "aqui está", "aqui estão", "segue", "ecco", "以下是", "这是",
        "这里是", "下面是", "以下のとおり", "以下に", "こちらが", "다음은", "여기",
    ]),
    (SPEAKER | EXPLAINING, &[
        "i've", "i have", "i made", "i added", "i updated", "i fixed", "i changed", "i used",
    ]),
    (SPEAKER, &[
        "i'll", "i will", "i can", "i'm", "i am", "i created", "i wrote", "i implemented",
        "i refactored", "i went ahead", "i see", "i noticed", "i understand", "i think", "i would",
        "i'd", "let me", "let's", "as a language model", "my solution", "my answer", "ich habe",
        "ich werde", "j'ai", "je vais", "he actualizado", "he creado", "he añadido", "我已", "我将",
        "我修改", "我更新",
    ]),
    (SPEAKER | REFUSING, &["as an ai"]),
    (TOPIC, &[
        "we can", "we need", "we'll", "you'll", "you could", "to fix", "to solve", "to implement",
        "to do this", "to achieve", "to make", "to add", "to create", "to handle", "the issue",
        "the problem", "the bug", "the error", "the updated", "the fixed", "the corrected",
        "the complete", "the full", "the file", "the script", "the json", "the output",
        "the result", "the answer", "this is a", "this is an", "below", "updated code",
        "updated file", "fixed code", "full code", "complete code", "final code", "code", "output",
        "answer", "solution", "response", "result", "der code", "die datei", "le code",
        "el código", "代码",
    ]),
    (TOPIC | EXPLAINING, &[
        "you can", "you need", "you should", "the code", "the function", "this code",
        "this function", "this script", "this implementation", "this will", "this should",
        "this fixes", "this version",
    ]),
    (TOPIC | RESUMING, &["the following"]),
    (CLOSING, &[
        "let me know", "please let me know", "just let me know", "do let me know",
        "hope this helps", "hope that helps", "i hope", "hope it helps", "hoping this helps",
        "would you like me", "would you like to", "do you want me", "want me to", "shall i",
        "should i", "is there anything else", "anything else", "if you'd like me",
        "if you would like me", "if you want me", "if you'd like, i", "if you want, i",
        "if you like, i", "if you need me", "i can also", "feel free to ask",
        "feel free to let me know", "feel free to reach out", "happy coding", "happy hacking",
        "good luck", "enjoy!", "cheers!", "you're welcome", "if you have any questions",
        "if you have any other questions", "if you have any further questions",
        "if you have questions", "if you have further", "if you need any", "if you need further",
        "if you need help", "if you need more", "if you need additional",
        "if there's anything else", "if there is anything else", "ich hoffe", "sag mir bescheid",
        "sag bescheid", "lass mich wissen", "lassen sie mich wissen", "wenn du fragen",
        "bei fragen", "falls du", "falls sie", "viel erfolg", "viel spaß", "j'espère",
        "n'hésitez pas", "n'hésite pas", "si vous avez", "si tu as", "faites-moi savoir",
        "bon courage", "espero que", "avísame", "déjame saber", "házmelo saber", "si tienes",
        "si necesitas", "no dudes en", "¿quieres que", "希望", "如果你", "如果您", "如有", "如需", "请告诉我",
        "お役に立て", "何か", "도움이",
    ]),
    (EXPLAINING, &[
        "this solution", "this program", "this example", "this ensures", "this way", "this change",
        "this class", "this component", "this approach", "this query", "this creates", "this uses",
        "this gives", "explanation",
        "notes:", "note:", "note that", "**note", "please note", "important:", "the above",
        "the code above", "the key", "the main", "the change", "the fix", "in this code",
        "in this example", "in this implementation", "in this version", "in the code above",
        "in the above", "here's how", "here's what", "here is how", "here is what", "how it works",
        "changes made", "**changes",
        "### changes", "## changes", "key changes", "**key", "### key", "## key", "what changed",
        "summary of changes", "### summary", "## summary", "**summary",
        "i removed", "i also", "now you", "now the", "you may", "you will", "to run", "to use",
        "to test", "to compile", "make sure", "remember to", "don't forget", "feel free", "if you",
        "example usage", "usage:", "**usage", "diese funktion", "dieser code", "hinweis",
        "erklärung", "cette fonction", "ce code", "remarque", "explication", "esta función",
        "este código", "nota:", "explicación", "这段代码", "这个函数", "说明", "注意",
    ]),
    (RESUMING | PLAIN, &[
        "continuing", "i'll continue", "i will continue", "let me continue", "picking up",
        "resuming",
    ]),
    (RESUMING, &[
        "continued", "continuation", "let's continue", "the rest of", "the remaining",
        "the continuation", "the code continues", "this is the rest", "to continue", "completing",
        "finishing", "i'm continuing", "i am continuing", "rest of the code",
    ]),
    (ENDING, &[
        "this completes", "that completes", "this finishes", "that's the rest", "that is the rest",
        "hope this", "hope that", "the code is now", "the file is now", "that should",
        "this concludes", "this continuation", "the component is now", "the implementation is",
        "this is the complete", "with this", "that's it", "that is it", "end of",
    ]),
    (REFUSING, &[
        "i'm sorry", "i am sorry", "sorry, but", "sorry, i", "apologies, but", "i can't",
        "i cannot", "i can not", "i'm unable", "i am unable", "i'm not able", "i am not able",
        "unfortunately", "i don't have", "i do not have", "i don't see", "i do not see",
        "could you", "can you please", "please provide", "please share", "it looks like",
        "it seems", "there is nothing", "there's nothing", "what would you like", "how can i",
        "i need more", "i would need", "i'd need", "i won't", "i will not", "i must decline",
        "the request", "error:",
    ]),
];

// No phrase is longer.
const LONGEST: usize = 120;

// What a sentence about continuing has in it.
#[rustfmt::skip]
const CONTINUING: &[&str] = &[
    "continu", "picking up", "stopped", "resum", "rest of", "remaining", "remainder", "left off",
    "cut off", "cutoff", "complete", "the rest",
];

// What a question about the conversation has in it.
#[rustfmt::skip]
const CONVERSING: &[&str] = &[
    "continu", "start over", "go on", "interrupted", "cut off", "response", "message", "would you like",
    "do you want", "anything else", "which part", "paste", "resend", "proceed", "should i", "shall i",
];

// Headings of an answer, not of a document.
#[rustfmt::skip]
const ANSWER_PARTS: &[&str] = &[
    "solution", "answer", "code", "the code", "implementation", "explanation", "updated code",
    "fixed code", "corrected code", "full code", "complete code", "final code", "changes",
    "changes made", "what changed", "key changes", "summary", "summary of changes", "how it works",
    "result", "output", "example", "example usage", "response", "final answer", "refactored code",
    "improved code", "updated file", "complete solution", "corrected version", "updated version",
    "fixed version", "fix", "the fix", "the problem", "the issue", "problem", "issue", "analysis",
    "notes", "note", "why", "what i changed", "what was wrong", "key points", "improvements",
    "lösung", "antwort", "erklärung", "réponse", "explication", "solución", "respuesta",
    "explicación",
];

/// Judges a line at the head of a text. Where code was asked for, a sentence about the content is
/// talk even without a colon.
pub(crate) fn opening(line: &str, code_wanted: bool) -> Talk {
    let sentence = lower(line);
    let sentence = sentence.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '¿');
    let goes_on = sentence.ends_with([':', '…', '：']) || sentence.ends_with("...");
    if let Some(rest) = after(INTERJECTION, sentence) {
        let next = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let alone = next.is_empty() && !rest.trim_start().starts_with(['=', '(', '[', '<']);
        let spoken =
            rest.starts_with(['!', ',', '.', '—', '-', ' ', ':', '！', '，', '。', '、', '：']);
        let ends = goes_on || sentence.ends_with(['!', '！']);
        let presents = after(PRESENTING | SPEAKER, next).is_some();
        return if alone || (spoken && (presents || ends)) { Talk::Surely } else { Talk::Perhaps };
    }
    if after(PRESENTING, sentence).is_some() {
        return if goes_on { Talk::Surely } else { Talk::Perhaps };
    }
    let topic = (goes_on || code_wanted) && after(TOPIC, sentence).is_some();
    if topic || after(SPEAKER, sentence).is_some() { Talk::Perhaps } else { Talk::No }
}

/// Judges the first line of a paragraph at the foot of a text.
pub(crate) fn closing(line: &str) -> Talk {
    let sentence = lower(line);
    let bare = sentence.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '¿');
    if after(CLOSING, bare).is_some() {
        return Talk::Surely;
    }
    let explains = after(EXPLAINING, bare).is_some() || after(EXPLAINING, &sentence).is_some();
    if explains { Talk::Perhaps } else { Talk::No }
}

/// Judges a line before a continuation: does it announce the rest, as in "Sure, continuing:"? Surely
/// when it speaks of continuing, which no content does.
pub(crate) fn announcement(line: &str) -> Talk {
    const MOST: usize = 300;
    let words = line.trim().trim_matches(['*', '_', '#', ' ']);
    if words.len() > MOST || !words.ends_with([':', '.', '!', '…', ')']) || has_code_signs(words)
    {
        return Talk::No;
    }
    let sentence = lower(words);
    let Some(rest) = after(ANNOUNCING, &sentence) else { return Talk::No };
    // `right:` is a key of data; "Right:" is said.
    if rest == ":" && words.starts_with(char::is_lowercase) {
        return Talk::No;
    }
    let plain = after(PLAIN, &sentence).is_some() && !sentence.ends_with(')');
    let continues = CONTINUING.iter().any(|word| sentence.contains(word));
    if plain && continues { Talk::Surely } else { Talk::Perhaps }
}

/// Returns whether a text begins with words that are about what follows.
pub(crate) fn begins_like_announcement(text: &str) -> bool {
    after(ANNOUNCING, &lower(head(text.trim_start(), LONGEST))).is_some()
}

/// Returns whether a text begins like an apology, a refusal or a question to the user.
pub(crate) fn is_refusal(text: &str) -> bool {
    after(REFUSING, &lower(head(text.trim_start(), LONGEST))).is_some()
}

/// Returns whether a whole text is a question to the user about the conversation, not about the content:
/// "Which part should I continue?"
pub(crate) fn asks_back(text: &str) -> bool {
    const MOST: usize = 400;
    let text = text.trim();
    if text.len() > MOST || !text.ends_with(['?', '？']) || has_code_signs(text) {
        return false;
    }
    let text = lower(text);
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let spoken = words.any(|word| matches!(word, "i" | "me" | "you" | "your" | "i'll" | "i'd"));
    spoken && CONVERSING.iter().any(|word| text.contains(word))
}

/// Returns whether a line begins talk that comes after a continuation.
pub(crate) fn is_farewell(line: &str) -> bool {
    let sentence = lower(line);
    let sentence = sentence.trim_start_matches(['*', '#', ' ']);
    after(CLOSING | EXPLAINING | ENDING, sentence).is_some() && !has_code_signs(line)
}

/// Returns whether the words are a heading by which answers are divided.
pub(crate) fn names_part_of_answer(words: &str) -> bool {
    let words = words.to_lowercase();
    let words = words.trim_matches(|c: char| !c.is_alphanumeric());
    let words = words.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
    ANSWER_PARTS.contains(&words) || words.starts_with("step ") || words.starts_with("option ")
}

fn lower(text: &str) -> String {
    text.trim().to_lowercase().replace('’', "'")
}

// The rest of the sentence after the longest phrase of these roles that it begins with.
fn after(roles: Roles, sentence: &str) -> Option<&str> {
    let rows = PHRASES.iter().filter(|(role, _)| role & roles != 0);
    rows.flat_map(|(_, phrases)| *phrases)
        .filter_map(|phrase| {
            let rest = sentence.strip_prefix(phrase)?;
            // Scripts without spaces have no word ends to look for.
            let whole = !phrase.ends_with(|c: char| c.is_ascii_alphanumeric())
                || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            whole.then_some(rest)
        })
        .min_by_key(|rest| rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t27_announcements_are_told_from_code() {
        for line in [
            "Sure, continuing:",
            "Here is the rest of the code:",
            "Certainly! Here’s the continuation from where it was cut off:",
            "Continuing from the cutoff point...",
            "**Continuing from line 42:**",
        ] {
            assert_ne!(announcement(line), Talk::No, "{line}");
        }
        for line in [
            "continue;",
            "sure = check()",
            "    }",
            "here.is(x)",
            "let rest = of;",
            "ok: true,",
            "right:",
        ] {
            assert_eq!(announcement(line), Talk::No, "{line}");
        }
        assert_eq!(announcement("Sure, continuing:"), Talk::Surely);
        assert_eq!(announcement("The remaining steps:"), Talk::Perhaps);
    }

    #[test]
    fn refusals_are_told_from_code() {
        assert!(is_refusal("I’m sorry, but I cannot help with that."));
        assert!(!is_refusal("i += 1;"));
    }
}
