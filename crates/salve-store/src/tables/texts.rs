//! Texts that are passed around by their hash.
//!
//! In: a text; what is kept of it has no secrets. An image is kept as it is. Out: its id, and the text as long as it was put
//! within the days texts are kept. Never two rows for one text.

use super::Table;
use crate::sql::query;
use crate::{Durability, Store, StoreError};

impl Store {
    /// Keeps a text and returns its id: the hash of what is kept. The same text has the same id, and
    /// putting it again keeps it for longer.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn put_text(&self, text: &str) -> Result<String, StoreError> {
        self.put_content(self.redactor().text(text).into_bytes()).await
    }

    async fn put_content(&self, content: Vec<u8>) -> Result<String, StoreError> {
        let id = blake3::hash(&content).to_hex().to_string();
        let put = id.clone();
        // A job that is told the id is as safe as the text must be.
        self.write(Durability::Full, "keep a text", move |tx| {
            Box::pin(async move {
                query(
                    "INSERT INTO texts (id, content, put_at) VALUES ($1, $2, $3)
                     ON CONFLICT (id) DO UPDATE SET put_at = excluded.put_at",
                )
                .bind(&put)
                .bind(content)
                .bind(tx.now().0)
                .execute(tx)
                .await?;
                Ok(())
            })
        })
        .await?;
        Ok(id)
    }

    /// Keeps the bytes of an image and returns their id. They are no text: no secret is looked for in them.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn put_image(&self, bytes: Vec<u8>) -> Result<String, StoreError> {
        self.put_content(bytes).await
    }

    /// Returns the bytes of an image that was put.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn image(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let mut content: Vec<Vec<u8>> = query("SELECT content FROM texts WHERE id = $1")
            .bind(id)
            .fetch_values(self.readers())
            .await
            .map_err(StoreError::database("read an image"))?;
        Ok(content.pop())
    }

    /// Returns a text that was put.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn text(&self, id: &str) -> Result<Option<String>, StoreError> {
        let content: Vec<Vec<u8>> = query("SELECT content FROM texts WHERE id = $1")
            .bind(id)
            .fetch_values(self.readers())
            .await
            .map_err(StoreError::database("read a text"))?;
        Ok(content.first().map(|content| String::from_utf8_lossy(content).into_owned()))
    }
}

/// Texts; made together with the jobs.
pub(super) const TABLE: Table = Table {
    names: &["texts"],
    migrations: &[],
    #[cfg(test)]
    conforms: tests::conforms,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Conforming;
    use crate::testing::redacted;

    pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
        Box::pin(async move {
            let id = store.put_text(text).await.expect("put");
            assert_eq!(store.put_text(text).await.expect("put again"), id);
            assert_eq!(store.text(&id).await.expect("read"), Some(redacted(text)));
            let image = b"\x89PNG\r\n\x1a\n\0\xff".to_vec();
            let id = store.put_image(image.clone()).await.expect("put");
            assert_eq!(store.image(&id).await.expect("read"), Some(image), "byte for byte");
            assert_eq!(store.image("none").await.expect("read"), None);
        })
    }
}
