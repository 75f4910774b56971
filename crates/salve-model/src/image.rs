//! Images that are said along with a turn.
//!
//! In: the bytes of a file. Out: the image as providers take it, of a type that all of them read. The type is told
//! by the first bytes, whatever the file is called. Never an image that a provider would refuse for its size.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// The types of images that every provider reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageType {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    Webp,
}

/// The most bytes of an image: written as text it is five million letters, which is where the strictest provider ends.
pub const MOST_IMAGE_BYTES: usize = 3_750_000;
/// The most images of a request.
pub const MOST_IMAGES: usize = 8;

/// Why something is no image that can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It is of none of the types.
    #[error("it is no PNG, JPEG, GIF or WebP image")]
    NotAnImage,
    /// It is too large.
    #[error("it has {bytes} bytes, and an image may have {MOST_IMAGE_BYTES}; make it smaller")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
}

/// An image as it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImagePart {
    /// What it is.
    pub kind: ImageType,
    /// Its bytes, in Base64.
    pub base64: String,
}

impl ImageType {
    /// Tells the type by the first bytes.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            _ => is_webp.then_some(Self::Webp),
        }
    }

    /// Returns how names of its files end.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::Webp => "webp",
        }
    }

    /// Returns its name on the wire.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

impl ImagePart {
    /// Takes the bytes of a file.
    ///
    /// # Errors
    /// When they are no image, or too many.
    pub fn new(bytes: &[u8]) -> Result<Self, ImageError> {
        if bytes.is_empty() {
            return Err(ImageError::Empty);
        }
        let kind = ImageType::of(bytes).ok_or(ImageError::NotAnImage)?;
        if bytes.len() > MOST_IMAGE_BYTES {
            return Err(ImageError::TooLarge { bytes: bytes.len() });
        }
        Ok(Self { kind, base64: STANDARD.encode(bytes) })
    }

    /// Reads the bytes of an image out of an address that holds all of it.
    ///
    /// # Errors
    /// When it is no such address, or not of an image that can be sent.
    pub fn bytes_of_data_url(url: &str) -> Result<Vec<u8>, ImageError> {
        let parts = url.strip_prefix("data:").and_then(|rest| rest.split_once(','));
        let text = parts.and_then(|(kind, text)| kind.ends_with(";base64").then_some(text));
        let text = text.ok_or(ImageError::NotAnImage)?;
        let about = text.len() / 4 * 3;
        if about > MOST_IMAGE_BYTES + 3 {
            return Err(ImageError::TooLarge { bytes: about });
        }
        let bytes = STANDARD.decode(text).map_err(|_| ImageError::NotAnImage)?;
        Self::new(&bytes)?;
        Ok(bytes)
    }

    /// Returns it as an address that holds all of it.
    pub fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.kind.media_type(), self.base64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_known_by_its_first_bytes() {
        for (bytes, kind) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Ok(ImageType::Png)),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", Ok(ImageType::Jpeg)),
            (b"GIF89a\x01\0\x01\0", Ok(ImageType::Gif)),
            (b"GIF87a\x01\0\x01\0", Ok(ImageType::Gif)),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Ok(ImageType::Webp)),
            (b"RIFF\x24\0\0\0WAVEfmt ", Err(ImageError::NotAnImage)),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", Err(ImageError::NotAnImage)),
            (b"%PDF-1.7", Err(ImageError::NotAnImage)),
            (b"#!/bin/sh\n", Err(ImageError::NotAnImage)),
            (b"\x89PN", Err(ImageError::NotAnImage)),
            (b"", Err(ImageError::Empty)),
        ] {
            assert_eq!(ImagePart::new(bytes).map(|image| image.kind), kind, "{bytes:?}");
        }
        let mut large = b"GIF89a".to_vec();
        large.resize(MOST_IMAGE_BYTES + 1, 0);
        let bytes = large.len();
        assert_eq!(ImagePart::new(&large), Err(ImageError::TooLarge { bytes }));
        large.pop();
        assert!(ImagePart::new(&large).is_ok_and(|image| image.base64.len() <= 5_000_000));
    }

    #[test]
    fn an_image_is_read_out_of_its_address() {
        let bytes = b"\x89PNG\r\n\x1a\n....";
        let url = ImagePart::new(bytes).unwrap().data_url();
        assert_eq!(ImagePart::bytes_of_data_url(&url), Ok(bytes.to_vec()));
        for other in [
            "",
            "https://example.com/a.png",
            "data:image/png,abc",
            "data:image/png;base64,!!!!",
            "data:image/png;base64,YWJj",
            "data:text/html;base64,PHA+",
        ] {
            assert_eq!(ImagePart::bytes_of_data_url(other), Err(ImageError::NotAnImage), "{other}");
        }
        let long = format!("data:image/png;base64,{}", "A".repeat(MOST_IMAGE_BYTES * 2));
        assert!(matches!(ImagePart::bytes_of_data_url(&long), Err(ImageError::TooLarge { .. })));
    }

    #[test]
    fn an_image_is_its_own_address() {
        let image = ImagePart::new(b"GIF89a").unwrap();
        assert_eq!(image.data_url(), "data:image/gif;base64,R0lGODlh");
    }
}
