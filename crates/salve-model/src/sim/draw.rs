//! Images of a simulated provider: real ones, small, and different for every prompt.
//!
//! In: the body of a request for images, and the rule that answers it. Out: a body as providers write it, with PNG
//! images that every program can read. The same prompt gives the same images. Never reads or compresses anything.

use super::heard::{Heard, tokens};
use super::script::Reply;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Where images are asked for.
pub(super) const PATH: &str = "/v1/images/generations";

/// How wide and high an image is.
const SIDE: u32 = 32;
/// As many as providers make at once.
const MOST: u64 = 10;

/// Reads what is asked for: the prompt, and the request as a script sees it.
///
/// # Errors
/// When the body is no such request.
pub(super) fn hear(body: &[u8]) -> Result<(String, Heard), String> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|problem| format!("the body is not JSON: {problem}"))?;
    let text = |name: &str| body[name].as_str().map(str::to_owned);
    let prompt = text("prompt").filter(|prompt| !prompt.is_empty());
    let prompt = prompt.ok_or_else(|| "`prompt` is missing".to_owned())?;
    let count = body["n"].as_u64().unwrap_or(1);
    if !(1..=MOST).contains(&count) {
        return Err(format!("`n` must be from 1 to {MOST}, not {count}"));
    }
    let heard = Heard {
        model: text("model").unwrap_or_default(),
        choices: usize::try_from(count).unwrap_or(1),
        users: vec![prompt.clone()],
        prompt_bytes: prompt.len(),
        draws: true,
        ..Heard::default()
    };
    Ok((prompt, heard))
}

/// Writes the answer of a rule, and counts its images.
pub(super) fn write(reply: &Reply, prompt: &str, count: usize, created: u64) -> (Vec<u8>, u64) {
    let count = reply.most_images.map_or(count, |most| most.min(count));
    let revised = if reply.text.is_empty() { prompt } else { &reply.text };
    let image = |at: usize| {
        let mut item = json!({ "revised_prompt": revised });
        match &reply.image_url {
            Some(url) => item["url"] = json!(url),
            None => item["b64_json"] = json!(STANDARD.encode(png_of(&format!("{prompt} {at}")))),
        }
        item
    };
    let data: Vec<Value> = (0..count).map(image).collect();
    let usage = json!({ "input_tokens": tokens(prompt.len()), "output_tokens": 0 });
    let body = json!({ "created": created, "data": data, "usage": usage });
    (body.to_string().into_bytes(), u64::try_from(count).unwrap_or(u64::MAX))
}

/// Draws an image of two colours that follow from a text.
pub(super) fn png_of(text: &str) -> Vec<u8> {
    let hash = blake3::hash(text.as_bytes());
    let (first, second) = hash.as_bytes().split_at(16);
    let mut pixels = Vec::new();
    for y in 0..SIDE {
        // Each line begins with the number of its filter: none.
        pixels.push(0);
        for x in 0..SIDE {
            let colour = if (x / 8 + y / 8) % 2 == 0 { first } else { second };
            pixels.extend(colour.iter().take(3));
        }
    }
    let mut header = Vec::new();
    header.extend(SIDE.to_be_bytes());
    header.extend(SIDE.to_be_bytes());
    // Eight bits of red, green and blue, nothing else.
    header.extend([8, 2, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, *b"IHDR", &header);
    chunk(&mut png, *b"IDAT", &stored(&pixels));
    chunk(&mut png, *b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    png.extend(u32::try_from(data.len()).unwrap_or_default().to_be_bytes());
    let from = png.len();
    png.extend(name);
    png.extend(data);
    let sum = crc32(png.get(from..).unwrap_or_default());
    png.extend(sum.to_be_bytes());
}

// A stream of zlib whose only block is stored as it is: 3 104 bytes fit one, which may have 65 535.
fn stored(data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap_or_default();
    let mut stream = vec![0x78, 0x01, 0x01];
    stream.extend(length.to_le_bytes());
    stream.extend((!length).to_le_bytes());
    stream.extend(data);
    stream.extend(adler32(data).to_be_bytes());
    stream
}

fn crc32(data: &[u8]) -> u32 {
    let byte = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 }
        })
    };
    !data.iter().fold(u32::MAX, byte)
}

fn adler32(data: &[u8]) -> u32 {
    let (low, high) = data.iter().fold((1_u32, 0_u32), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    (high << 16) | low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standards() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    }

    #[test]
    fn c231_images_are_png_and_differ_by_their_prompts() {
        let (one, other) = (png_of("a cat"), png_of("a dog"));
        assert_eq!(crate::image::ImageType::of(&one), Some(crate::image::ImageType::Png));
        assert_ne!(one, other);
        assert_eq!(one, png_of("a cat"));
    }

    #[test]
    fn a_request_without_a_prompt_or_with_too_many_images_is_refused() {
        assert!(hear(br#"{"model":"m"}"#).is_err());
        assert!(hear(br#"{"model":"m","prompt":"a cat","n":11}"#).is_err());
        let (prompt, heard) = hear(br#"{"model":"m","prompt":"a cat","n":4}"#).unwrap();
        assert_eq!((prompt.as_str(), heard.choices, heard.draws), ("a cat", 4, true));
    }
}
