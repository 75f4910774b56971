//! Documents: the values that a model was asked for, of many kinds.
//!
//! In: a stream of choices. Out: an object or an array. Never a key twice in one object, and never a
//! value alone: what is broken shall have a shape.

use super::words::{
    identifier, key, odd_key, one_in, paragraphs, path, pick, program, sentence, short, word,
};
use crate::corpus::Random;
use serde_json::{Map, Value, json};

type Maker = fn(&mut Random) -> Value;

/// The kinds of documents.
pub(super) const KINDS: &[(&str, Maker)] = &[
    ("tool call", tool_call),
    ("file changes", file_changes),
    ("one file", one_file),
    ("search and replace", replacements),
    ("nested config", |random| config(random, 4)),
    ("records", records),
    ("geojson", geojson),
    ("package manifest", manifest),
    ("chat messages", messages),
    ("numbers", numbers),
    ("scripts", scripts),
    ("empty containers", empties),
    ("long strings", long_strings),
    ("deep nesting", deep),
    ("matrix", matrix),
    ("log entries", log),
    ("schema", schema),
    ("deployment", deployment),
    ("translations", translations),
    ("questions", questions),
    ("invoice", invoice),
    ("search results", results),
    ("patterns", patterns),
    ("commands", commands),
    ("odd keys", odd_keys),
    ("literals", literals),
    ("tree", |random| tree(random, 3)),
    ("table", table),
    ("review", review),
    ("strings only", strings),
    ("plan", plan),
    ("anything", |random| anything(random, 4)),
];

/// Returns a document and the name of its kind.
pub(super) fn document(random: &mut Random) -> (&'static str, Value) {
    let (name, make) = KINDS[random.below(KINDS.len())];
    let value = make(random);
    match &value {
        Value::Object(map) if map.is_empty() => (name, json!({ "items": [] })),
        Value::Array(items) if items.len() < 2 => (name, json!({ "items": value })),
        _ => (name, value),
    }
}

fn many(
    random: &mut Random,
    least: usize,
    most: usize,
    mut make: impl FnMut(&mut Random) -> Value,
) -> Value {
    let count = least + random.below(most - least + 1);
    Value::Array((0..count).map(|_| make(random)).collect())
}

fn number(random: &mut Random) -> Value {
    let text = match random.below(14) {
        0 => "0".to_owned(),
        1 => format!("-{}", random.below(1000)),
        2 => format!("{}.{}", random.below(100), 1 + random.below(999)),
        3 => format!("-0.{:03}", 1 + random.below(999)),
        4 => format!("{}e{}", 1 + random.below(9), random.below(20)),
        5 => format!("{}.5E-{}", random.below(9), 1 + random.below(9)),
        6 => format!("{}", random.next()),
        7 => format!("{}.0", random.below(100)),
        8 => "9007199254740993".to_owned(),
        9 => format!("1.{}e+{}", random.below(10), random.below(30)),
        _ => format!("{}", random.below(10_000)),
    };
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

fn scalar(random: &mut Random) -> Value {
    match random.below(10) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(false),
        3..=5 => number(random),
        _ => json!(short(random)),
    }
}

fn anything(random: &mut Random, depth: usize) -> Value {
    match if depth == 0 { 9 } else { random.below(6) } {
        0..=2 => {
            let mut map = Map::new();
            for _ in 0..random.below(6) {
                map.insert(key(random), anything(random, depth - 1));
            }
            Value::Object(map)
        }
        3 | 4 => many(random, 0, 5, |random| anything(random, depth - 1)),
        _ => scalar(random),
    }
}

fn tool_call(random: &mut Random) -> Value {
    let name = identifier(random);
    let mut arguments = Map::new();
    for _ in 0..1 + random.below(5) {
        arguments.insert(
            key(random),
            if one_in(random, 3) { anything(random, 1) } else { scalar(random) },
        );
    }
    match random.below(3) {
        0 => json!({ "name": name, "arguments": arguments }),
        1 => {
            json!({ "type": "tool_use", "id": format!("toolu_{:x}", random.below(99_999)), "name": name, "input": arguments })
        }
        _ => {
            json!({ "thought": sentence(random), "tool": name, "tool_input": arguments, "done": one_in(random, 2) })
        }
    }
}

fn change(random: &mut Random) -> Value {
    let (language, code) = program(random);
    match random.below(3) {
        0 => json!({ "path": path(random), "content": code }),
        1 => {
            json!({ "op": pick(random, &["create", "update", "replace"]), "file": path(random), "language": language, "code": code, "lines": random.below(90) })
        }
        _ => {
            json!({ "content": code, "path": path(random), "reason": sentence(random), "executable": one_in(random, 2) })
        }
    }
}

fn file_changes(random: &mut Random) -> Value {
    let changes = many(random, 1, 3, change);
    if one_in(random, 4) {
        changes
    } else {
        json!({ "summary": sentence(random), "changes": changes, "done": true })
    }
}

fn one_file(random: &mut Random) -> Value {
    let (language, code) = program(random);
    json!({ "explanation": paragraphs(random), "code": code, "language": language })
}

fn replacements(random: &mut Random) -> Value {
    let file = path(random);
    let edits = many(
        random,
        1,
        3,
        |random| json!({ "old_string": program(random).1, "new_string": program(random).1, "replace_all": one_in(random, 2) }),
    );
    json!({ "file_path": file, "edits": edits })
}

fn config(random: &mut Random, depth: usize) -> Value {
    let mut map = Map::new();
    for _ in 0..1 + random.below(4) {
        let value = match random.below(4) {
            0 if depth > 0 => config(random, depth - 1),
            1 => many(random, 0, 4, scalar),
            _ => scalar(random),
        };
        map.insert(key(random), value);
    }
    Value::Object(map)
}

fn records(random: &mut Random) -> Value {
    let names: Vec<String> = (0..2 + random.below(4)).map(|_| key(random)).collect();
    let list = many(random, 2, 6, |random| {
        let fields = names.iter().map(|name| (name.clone(), scalar(random)));
        Value::Object(fields.collect())
    });
    if one_in(random, 3) { list } else { json!({ "total": random.below(50), "rows": list }) }
}

fn geojson(random: &mut Random) -> Value {
    let point = |random: &mut Random| json!([number(random), number(random)]);
    let features = many(random, 1, 3, |random| {
        let place = if one_in(random, 2) { point(random) } else { many(random, 2, 4, point) };
        json!({ "type": "Feature", "geometry": { "type": "Point", "coordinates": place }, "properties": { "name": short(random) } })
    });
    json!({ "type": "FeatureCollection", "features": features })
}

fn manifest(random: &mut Random) -> Value {
    let versions = |random: &mut Random| {
        let pairs = (0..random.below(4)).map(|_| {
            (
                format!("@{}/{}", identifier(random), identifier(random)),
                json!(format!("^{}.0.{}", random.below(9), random.below(9))),
            )
        });
        Value::Object(pairs.collect())
    };
    json!({
        "name": identifier(random), "version": "1.0.0", "private": true, "scripts": { "test": "jest --ci && echo \"ok\"", "build": short(random) },
        "dependencies": versions(random), "devDependencies": versions(random), "files": many(random, 0, 3, |random| json!(path(random))),
    })
}

fn messages(random: &mut Random) -> Value {
    let list = many(random, 1, 4, |random| {
        let role = pick(random, &["user", "assistant", "system", "tool"]);
        match random.below(3) {
            0 => {
                json!({ "role": role, "content": [{ "type": "text", "text": paragraphs(random) }] })
            }
            1 => json!({ "role": role, "content": null, "tool_calls": [tool_call(random)] }),
            _ => json!({ "role": role, "content": sentence(random) }),
        }
    });
    json!({ "model": "m-1", "temperature": 0.7, "messages": list, "stream": false })
}

fn numbers(random: &mut Random) -> Value {
    json!({ "values": many(random, 3, 9, number), "min": number(random), "max": number(random), "unit": word(random) })
}

fn scripts(random: &mut Random) -> Value {
    let texts = [
        "Grüße aus Köln",
        "こんにちは、世界",
        "Привет, мир!",
        "مرحبا",
        "👩‍👩‍👧 ok",
        "e\u{301}",
        "zero\u{200b}width",
        "\u{1F600}\u{1F601}",
        "“so” «so» „so“",
        "a\u{a0}b",
        "№ 5",
        "中文，逗号：冒号",
    ];
    let mut map = Map::new();
    for _ in 0..2 + random.below(4) {
        map.insert(key(random), json!(pick(random, &texts)));
    }
    map.insert("n".to_owned(), number(random));
    Value::Object(map)
}

fn empties(random: &mut Random) -> Value {
    let empty = |random: &mut Random| match random.below(6) {
        0 => json!({}),
        1 => json!([]),
        2 => json!(""),
        3 => json!([[]]),
        4 => json!([{}, {}]),
        _ => json!({ "a": {} }),
    };
    json!({ "first": empty(random), "second": empty(random), "list": many(random, 0, 3, empty), "last": scalar(random) })
}

fn long_strings(random: &mut Random) -> Value {
    json!({ "title": sentence(random), "body": paragraphs(random), "quote": format!("\"{}\" she said, \"{}\"", word(random), sentence(random)), "length": random.below(999), "tail": paragraphs(random) })
}

fn deep(random: &mut Random) -> Value {
    let mut value = scalar(random);
    for _ in 0..4 + random.below(8) {
        value = match random.below(4) {
            0 => json!([value]),
            1 => json!([scalar(random), value]),
            2 => json!({ key(random): value }),
            _ => json!({ "before": scalar(random), "inner": value, "after": scalar(random) }),
        };
    }
    json!({ "root": value, "end": true })
}

fn matrix(random: &mut Random) -> Value {
    let width = 1 + random.below(4);
    json!({ "rows": many(random, 2, 5, |random| many(random, width, width, number)), "shape": [2, width] })
}

fn log(random: &mut Random) -> Value {
    many(
        random,
        2,
        5,
        |random| json!({ "ts": 1_700_000_000 + random.below(9_999), "level": pick(random, &["INFO", "WARN", "ERROR"]), "msg": sentence(random), "ctx": config(random, 1) }),
    )
}

fn schema(random: &mut Random) -> Value {
    let names: Vec<String> = (0..1 + random.below(4)).map(|_| identifier(random)).collect();
    let properties: Map<String, Value> = names.iter().map(|name| {
        (name.clone(), json!({ "type": pick(random, &["string", "integer", "array"]), "description": sentence(random) }))
    }).collect();
    json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": properties, "required": names, "additionalProperties": false })
}

fn deployment(random: &mut Random) -> Value {
    let containers = many(
        random,
        1,
        2,
        |random| json!({ "name": identifier(random), "image": format!("registry.local/{}:{}", identifier(random), random.below(9)), "args": many(random, 0, 3, |random| json!(short(random))), "ports": [{ "containerPort": random.below(9000) }] }),
    );
    json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "labels": { "app": identifier(random) } }, "spec": { "replicas": random.below(5), "template": { "spec": { "containers": containers } } } })
}

fn translations(random: &mut Random) -> Value {
    let entry = |random: &mut Random| json!({ "en": sentence(random), "de": "Über „alles“ – los!", "fr": "C'est l'été, n'est-ce pas ?" });
    json!({ "greeting": entry(random), "farewell": entry(random), "plural": { "one": "{n} file", "other": "{n} files" } })
}

fn questions(random: &mut Random) -> Value {
    let list = many(
        random,
        1,
        3,
        |random| json!({ "question": format!("What does \"{}\" mean?", word(random)), "choices": many(random, 2, 4, |random| json!(short(random))), "answer": random.below(4), "explanation": sentence(random) }),
    );
    json!({ "quiz": list })
}

fn invoice(random: &mut Random) -> Value {
    let lines = many(
        random,
        1,
        4,
        |random| json!({ "sku": identifier(random), "qty": 1 + random.below(9), "price": number(random), "note": if one_in(random, 2) { Value::Null } else { json!(short(random)) } }),
    );
    json!({ "invoice": { "no": format!("R-{}", random.below(9999)), "lines": lines }, "paid": one_in(random, 2), "total": number(random) })
}

fn results(random: &mut Random) -> Value {
    json!({ "query": sentence(random), "hits": many(random, 0, 4, |random| json!({ "url": format!("https://{}.example/{}?q=1&r=\"2\"", identifier(random), word(random)), "score": number(random), "snippet": paragraphs(random) })), "next": null })
}

fn patterns(random: &mut Random) -> Value {
    let list = [
        "^\\d{3}-\\d{4}$",
        "\"([^\"\\\\]|\\\\.)*\"",
        "[{}\\[\\],:]",
        "\\\\server\\share",
        "(?i)a|b",
        "\\u0041",
        "'.*'",
        "/\\*.*?\\*/",
        "\\b\\w+\\b",
    ];
    json!({ "rules": many(random, 1, 4, |random| json!({ "pattern": pick(random, &list), "flags": pick(random, &["i", "", "gm"]), "weight": number(random) })), "default": pick(random, &list) })
}

fn commands(random: &mut Random) -> Value {
    let list = [
        "git commit -m \"fix: it's done\"",
        "echo '{\"a\": 1}' | jq '.a'",
        "sed -e 's/\"//g' < in > out",
        "find . -name \"*.py\" -exec rm {} \\;",
        "awk '{print $1, $2}'",
        "cat <<'EOF'\nx: [1, 2]\nEOF\n",
    ];
    json!({ "steps": many(random, 1, 4, |random| json!({ "run": pick(random, &list), "timeout": random.below(600), "ok": one_in(random, 2) })), "shell": "bash" })
}

fn odd_keys(random: &mut Random) -> Value {
    let mut map = Map::new();
    for _ in 0..2 + random.below(5) {
        map.insert(odd_key(random), scalar(random));
    }
    json!({ "headers": map, "n": random.below(9) })
}

fn literals(random: &mut Random) -> Value {
    let literal =
        |random: &mut Random| [json!(true), json!(false), Value::Null][random.below(3)].clone();
    json!({ "flags": many(random, 1, 6, literal), "a": literal(random), "b": { "c": literal(random), "d": literal(random) }, "e": many(random, 0, 3, literal) })
}

fn tree(random: &mut Random, depth: usize) -> Value {
    let children =
        if depth == 0 { json!([]) } else { many(random, 0, 2, |random| tree(random, depth - 1)) };
    json!({ "id": random.below(99), "label": short(random), "children": children })
}

fn table(random: &mut Random) -> Value {
    let width = 2 + random.below(3);
    json!({ "columns": many(random, width, width, |random| json!(key(random))), "rows": many(random, 1, 4, |random| many(random, width, width, scalar)) })
}

fn review(random: &mut Random) -> Value {
    let comments = many(
        random,
        1,
        4,
        |random| json!({ "file": path(random), "line": random.below(400), "severity": pick(random, &["low", "high"]), "comment": sentence(random), "suggestion": program(random).1 }),
    );
    json!({ "approved": one_in(random, 2), "comments": comments })
}

fn strings(random: &mut Random) -> Value {
    if one_in(random, 2) {
        return many(random, 2, 7, |random| json!(short(random)));
    }
    json!({ "tags": many(random, 2, 6, |random| json!(word(random))), "notes": many(random, 1, 4, |random| json!(sentence(random))) })
}

fn plan(random: &mut Random) -> Value {
    let steps = many(
        random,
        1,
        4,
        |random| json!({ "step": random.below(9), "action": word(random), "why": sentence(random), "after": many(random, 0, 2, |random| json!(random.below(9))) }),
    );
    json!({ "goal": sentence(random), "plan": { "steps": steps, "risk": number(random) }, "confidence": 0.85 })
}
