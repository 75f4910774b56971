//! Files that go with a request: images for the model, the schema of the result.
//!
//! In: paths. Out: bytes and a schema that can be used. Never a file of which it is not known that it is what it should
//! be: what cannot be sent is said before anything is asked.

use crate::failure::Failure;
use crate::input;
use salve_model::{ImagePart, MOST_IMAGE_BYTES, MOST_IMAGES};
use salve_text::CompiledSchema;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads images.
pub(super) fn images(paths: &[PathBuf]) -> Result<Vec<Vec<u8>>, Failure> {
    if paths.len() > MOST_IMAGES {
        return Err(Failure::new(format!(
            "a request has at most {MOST_IMAGES} images, and these are {}",
            paths.len()
        )));
    }
    paths.iter().map(|path| image(path)).collect()
}

fn image(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |why: String| Failure::new(format!("the image `{}`: {why}", path.display()));
    let file = std::fs::File::open(path).map_err(|error| failed(error.to_string()))?;
    // One byte more than may be sent tells that there are more.
    let most = u64::try_from(MOST_IMAGE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
    ImagePart::new(&bytes).map_err(|error| failed(error.to_string()))?;
    Ok(bytes)
}

/// Reads the schema of the result.
pub(super) fn schema(path: &Path) -> Result<Value, Failure> {
    let failed = |why: String| {
        Failure::new(format!("the schema `{}`: {why}", path.display()))
            .hint("`--output-schema` takes a file that holds one JSON Schema.")
    };
    let text = input::text(Some(path))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    if !value.is_object() {
        return Err(failed("it is no object".to_owned()));
    }
    CompiledSchema::new(value.clone()).map_err(|error| failed(error.to_string()))?;
    Ok(value)
}
