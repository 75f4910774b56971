//! Texts that are passed around by their hash.
//!
//! In: a text; what is kept of it has no secrets. Out: its id, and the text as long as it was put
//! within the days texts are kept. Never two rows for one text.

use crate::sql::query;
use crate::writer::Op;
use crate::{Store, StoreError};
use tokio::sync::oneshot;

impl Store {
    /// Keeps a text and returns its id: the hash of what is kept. The same text has the same id, and
    /// putting it again keeps it for longer.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn put_text(&self, text: &str) -> Result<String, StoreError> {
        let text = self.cleaner().text(text);
        let id = blake3::hash(text.as_bytes()).to_hex().to_string();
        let (reply, answer) = oneshot::channel();
        self.tell(Op::Text { id: id.clone(), text, reply })?;
        answer.await.map_err(|_| StoreError::Closed)??;
        Ok(id)
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
