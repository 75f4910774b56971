//! The body of a form that carries a file.
//!
//! In: fields and the bytes of one file. Out: the body, and the header that names its boundary. Never a boundary that
//! the file holds, and never a name that could add a header.

use memchr::memmem;

/// A form that is being written.
pub(super) struct Multipart {
    boundary: String,
    body: Vec<u8>,
}

impl Multipart {
    /// Begins a form for a file with these bytes.
    pub(super) fn around(bytes: &[u8]) -> Self {
        let mut number = 0_u64;
        loop {
            let boundary = format!("salve-form-{number:016x}");
            if memmem::find(bytes, boundary.as_bytes()).is_none() {
                return Self { boundary, body: Vec::with_capacity(bytes.len() + 512) };
            }
            number += 1;
        }
    }

    /// Adds a field.
    pub(super) fn field(&mut self, name: &str, value: &str) {
        self.part(&format!("content-disposition: form-data; name=\"{name}\""));
        self.body.extend_from_slice(value.as_bytes());
        self.body.extend_from_slice(b"\r\n");
    }

    /// Adds the file.
    pub(super) fn file(&mut self, field: &str, name: &str, bytes: &[u8]) {
        let plain = |letter: char| if letter.is_control() || letter == '"' { '_' } else { letter };
        let name: String = name.chars().map(plain).collect();
        self.part(&format!(
            "content-disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\
             content-type: text/plain; charset=utf-8"
        ));
        self.body.extend_from_slice(bytes);
        self.body.extend_from_slice(b"\r\n");
    }

    /// Returns the header that goes with it.
    pub(super) fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={}", self.boundary)
    }

    /// Ends the form.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.body.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        self.body
    }

    fn part(&mut self, headers: &str) {
        self.body.extend_from_slice(format!("--{}\r\n{headers}\r\n\r\n", self.boundary).as_bytes());
    }
}
