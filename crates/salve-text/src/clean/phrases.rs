//! The phrases by which chat is recognised, as data.
//!
//! In: the beginning of a sentence in small letters. Out: whether chats begin or end like that.
//! Never matches in the middle of a word.

/// How surely a sentence is chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Only before code that was asked for, or when it announces something with a colon.
    Faint,
    /// Only next to something that is clearly not prose.
    Weak,
    /// On its own.
    Strong,
}

// Said before anything else; a sentence of their own or followed by what was made.
#[rustfmt::skip]
const INTERJECTIONS: &[&str] = &[
    "sure thing", "sure", "certainly", "of course", "absolutely", "definitely", "okay", "ok",
    "alright", "all right", "great question", "good question", "great", "got it", "understood",
    "no problem", "happy to help", "i'd be happy to", "i would be happy to", "i'm happy to",
    "glad to help", "thanks", "thank you", "you're right", "you are right", "good catch",
    "my apologies", "apologies", "sorry", "i apologize", "yes", "hi", "hello", "hey", "perfect",
    "done", "good point", "right", "ah", "with pleasure", "you're absolutely right",
    "you are absolutely right", "klar", "natürlich", "gerne", "gern", "selbstverständlich",
    "sicher", "in ordnung", "bien sûr", "certainement", "d'accord", "avec plaisir", "volontiers",
    "absolument", "désolé", "claro", "por supuesto", "desde luego", "con gusto", "de acuerdo",
    "perfecto", "entendido", "lo siento", "claro que sí", "com certeza", "certo", "certamente",
    "desculpe", "当然", "好的", "没问题", "可以", "明白了", "抱歉", "了解", "はい", "もちろん", "承知しました", "かしこまりました",
    "네", "물론",
];

// What follows an interjection, or begins a sentence that presents the content.
#[rustfmt::skip]
const PRESENTING: &[&str] = &[
    "here is", "here's", "here’s", "here are", "here you go", "here it is", "below is",
    "below are", "below you", "the following is", "the following are", "this is the",
    "these are the", "please find", "find below", "as requested", "as you requested",
    "as you asked", "per your request", "based on your", "given your", "following your",
    "hier ist", "hier sind", "hier der", "hier die", "hier das", "hier kommt", "anbei",
    "nachfolgend", "im folgenden", "voici", "voilà", "ci-dessous", "aquí tienes", "aquí está",
    "aquí están", "aquí te", "a continuación", "he aquí", "aqui está", "aqui estão", "segue",
    "ecco", "以下是", "这是", "这里是", "下面是", "以下のとおり", "以下に", "こちらが", "다음은", "여기",
];

// Begins a sentence about what the speaker or the reader does.
#[rustfmt::skip]
const SPEAKER: &[&str] = &[
    "i've", "i’ve", "i have", "i'll", "i’ll", "i will", "i can", "i'm", "i am", "i made",
    "i added", "i updated", "i fixed", "i changed", "i created", "i wrote", "i implemented",
    "i refactored", "i used", "i went ahead", "i see", "i noticed", "i understand", "i think",
    "i would", "i'd", "let me", "let's", "let’s", "as an ai", "as a language model",
    "my solution", "my answer", "ich habe", "ich werde", "j'ai", "je vais", "he actualizado",
    "he creado", "he añadido", "我已", "我将", "我修改", "我更新",
];

// Begins a sentence about the content; documents begin like this too.
#[rustfmt::skip]
const TOPIC: &[&str] = &[
    "we can", "we need", "we'll", "you can", "you need", "you'll", "you should", "you could",
    "to fix", "to solve", "to implement", "to do this", "to achieve", "to make", "to add",
    "to create", "to handle", "the code", "the function", "the issue", "the problem", "the bug",
    "the error", "the updated", "the fixed", "the corrected", "the complete", "the full",
    "the following", "the file", "the script", "the json", "the output", "the result",
    "the answer", "this code", "this function", "this script", "this implementation", "this will",
    "this should", "this fixes", "this version", "this is a", "this is an", "below",
    "updated code", "updated file", "fixed code", "full code", "complete code", "final code",
    "code", "output", "answer", "solution", "response", "result", "der code", "die datei",
    "le code", "el código", "代码",
];

// Ends a chat, wherever it stands.
#[rustfmt::skip]
const CLOSINGS: &[&str] = &[
    "let me know", "please let me know", "just let me know", "do let me know", "hope this helps",
    "hope that helps", "i hope", "hope it helps", "hoping this helps", "would you like me",
    "would you like to", "do you want me", "want me to", "shall i", "should i",
    "is there anything else", "anything else", "if you'd like me", "if you would like me",
    "if you want me", "if you'd like, i", "if you want, i", "if you like, i", "if you need me",
    "i can also", "i'm happy to", "i’m happy to", "i'd be happy to", "feel free to ask",
    "feel free to let me know", "feel free to reach out", "happy coding", "happy hacking",
    "good luck", "enjoy!", "cheers!", "you're welcome", "if you have any questions",
    "if you have any other questions", "if you have any further questions",
    "if you have questions", "if you have further", "if you need any", "if you need further",
    "if you need help", "if you need more", "if you need additional", "if there's anything else",
    "if there is anything else", "ich hoffe", "sag mir bescheid", "sag bescheid",
    "lass mich wissen", "lassen sie mich wissen", "wenn du fragen", "bei fragen", "falls du",
    "falls sie", "viel erfolg", "viel spaß", "j'espère", "n'hésitez pas", "n'hésite pas",
    "si vous avez", "si tu as", "faites-moi savoir", "bon courage", "espero que", "avísame",
    "déjame saber", "házmelo saber", "si tienes", "si necesitas", "no dudes en", "¿quieres que",
    "希望", "如果你", "如果您", "如有", "如需", "请告诉我", "お役に立て", "何か", "도움이",
];

// Begins talk after code; too common in documents to go by alone.
#[rustfmt::skip]
const EXPLAINING: &[&str] = &[
    "this code", "this function", "this script", "this implementation", "this solution",
    "this program", "this version", "this example", "this will", "this should", "this fixes",
    "this ensures", "this way", "this change", "this class", "this component", "this approach",
    "this query", "this creates", "this uses", "this gives", "explanation", "**explanation",
    "### explanation", "## explanation", "notes:", "note:", "note that", "**note", "please note",
    "important:", "the above", "the code above", "the function", "the code", "the key",
    "the main", "the change", "the fix", "in this code", "in this example",
    "in this implementation", "in this version", "in the code above", "in the above",
    "here's how", "here's what", "here is how", "here is what", "how it works", "**how it works",
    "### how it works", "## how it works", "changes made", "**changes", "### changes",
    "## changes", "key changes", "**key", "### key", "## key", "what changed", "**what changed",
    "summary of changes", "### summary", "## summary", "**summary", "i've", "i’ve", "i have",
    "i made", "i added", "i updated", "i fixed", "i changed", "i used", "i removed", "i also",
    "now you", "now the", "you can", "you may", "you need", "you should", "you will", "to run",
    "to use", "to test", "to compile", "make sure", "remember to", "don't forget", "feel free",
    "if you", "example usage", "usage:", "**usage", "diese funktion", "dieser code", "hinweis",
    "erklärung", "cette fonction", "ce code", "remarque", "explication", "esta función",
    "este código", "nota:", "explicación", "这段代码", "这个函数", "说明", "注意",
];

// Headings of an answer, not of a document.
#[rustfmt::skip]
const ANSWER_PARTS: &[&str] = &[
    "solution", "answer", "code", "the code", "implementation", "explanation", "updated code",
    "fixed code", "corrected code", "full code", "complete code", "final code", "changes",
    "changes made", "what changed", "key changes", "summary", "summary of changes",
    "how it works", "result", "output", "example", "example usage", "response", "final answer",
    "refactored code", "improved code", "updated file", "complete solution", "corrected version",
    "updated version", "fixed version", "fix", "the fix", "the problem", "the issue", "problem",
    "issue", "analysis", "notes", "note", "why", "what i changed", "what was wrong", "key points",
    "improvements", "lösung", "antwort", "erklärung", "réponse", "explication", "solución",
    "respuesta", "explicación",
];

/// Judges the beginning of a sentence at the head of a text. The sentence is in small letters.
pub(super) fn opening(sentence: &str) -> Option<Strength> {
    let sentence = sentence.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '¿');
    if let Some(rest) = longest(INTERJECTIONS, sentence) {
        let after = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let ends = sentence.ends_with(['!', ':', '…', '：', '！']) || sentence.ends_with("...");
        let presents = longest(PRESENTING, after).is_some() || longest(SPEAKER, after).is_some();
        let alone = after.is_empty() && !rest.trim_start().starts_with(['=', '(', '[', '<']);
        let spoken =
            rest.starts_with(['!', ',', '.', '—', '-', ' ', ':', '！', '，', '。', '、', '：']);
        return Some(if alone || (presents && spoken) || (ends && spoken) {
            Strength::Strong
        } else {
            Strength::Weak
        });
    }
    let presents = longest(PRESENTING, sentence).is_some();
    let colon = sentence.ends_with([':', '：', '…']) || sentence.ends_with("...");
    if presents && colon {
        return Some(Strength::Strong);
    }
    if presents || longest(SPEAKER, sentence).is_some() {
        return Some(Strength::Weak);
    }
    let topic = longest(TOPIC, sentence).is_some();
    topic.then_some(if colon { Strength::Weak } else { Strength::Faint })
}

/// Judges the beginning of a paragraph at the foot of a text. The sentence is in small letters.
pub(super) fn closing(sentence: &str) -> Option<Strength> {
    let bare = sentence.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '¿');
    if longest(CLOSINGS, bare).is_some() {
        return Some(Strength::Strong);
    }
    let explains = longest(EXPLAINING, bare).is_some() || longest(EXPLAINING, sentence).is_some();
    explains.then_some(Strength::Weak)
}

/// Returns whether the words are a heading by which answers are divided.
pub(super) fn names_part_of_answer(words: &str) -> bool {
    let words = words.to_lowercase();
    let words = words.trim_matches(|c: char| !c.is_alphanumeric());
    let words = words.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
    ANSWER_PARTS.contains(&words) || words.starts_with("step ") || words.starts_with("option ")
}

// The rest of the sentence after the longest phrase it begins with.
fn longest<'a>(phrases: &[&str], sentence: &'a str) -> Option<&'a str> {
    phrases
        .iter()
        .filter_map(|phrase| {
            let rest = sentence.strip_prefix(phrase)?;
            // Scripts without spaces have no word ends to look for.
            let whole = !phrase.ends_with(|c: char| c.is_ascii_alphanumeric())
                || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            whole.then_some(rest)
        })
        .min_by_key(|rest| rest.len())
}
