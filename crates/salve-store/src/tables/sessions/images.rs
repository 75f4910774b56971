//! Images that a turn made, in its result.
//!
//! In: fields of images by their ids. Out: the result of the turn with those fields. The session's row was written
//! before in the same transaction, so that two changes of one turn come one after another on every database. Never an
//! image that the turn does not have.

use super::TurnUpdate;
use crate::commit::{Rollback, Transaction};
use crate::sql::query;
use serde_json::Value;

/// Where a result has them.
const FIELD: &str = "generatedImages";

/// Changes the images of a turn.
pub(super) async fn change(
    tx: &mut Transaction<'_>,
    session: &str,
    turn: &TurnUpdate,
) -> Result<(), Rollback> {
    if turn.images.is_empty() {
        return Ok(());
    }
    let row = query("SELECT result FROM session_turns WHERE session = $1 AND turn = $2")
        .bind(session)
        .bind(i64::from(turn.index))
        .fetch_optional(&mut *tx)
        .await?;
    let Some(row) = row else { return Ok(()) };
    let Some(mut result) = super::values::maybe_json(&row, 0)? else { return Ok(()) };
    for new in &turn.images {
        merge(&mut result, new);
    }
    query("UPDATE session_turns SET result = $3 WHERE session = $1 AND turn = $2")
        .bind(session)
        .bind(i64::from(turn.index))
        .bind(result.to_string())
        .execute(tx)
        .await?;
    Ok(())
}

fn merge(result: &mut Value, new: &Value) {
    let images = result.get_mut(FIELD).and_then(Value::as_array_mut);
    let known = images.into_iter().flatten().find(|image| image["id"] == new["id"]);
    let (Some(Value::Object(known)), Some(new)) = (known, new.as_object()) else { return };
    for (name, value) in new {
        known.insert(name.clone(), value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn c237_an_image_is_changed_in_its_place_and_no_other_is_added() {
        let mut result = json!({ "generatedImages": [
            { "id": "a", "selected": false }, { "id": "b", "content": "1" },
        ]});
        merge(&mut result, &json!({ "id": "b", "content": "2" }));
        merge(&mut result, &json!({ "id": "c", "content": "3" }));
        let wanted = json!({ "generatedImages": [
            { "id": "a", "selected": false }, { "id": "b", "content": "2" },
        ]});
        assert_eq!(result, wanted);
        let mut without = json!({ "summary": "words" });
        merge(&mut without, &json!({ "id": "b" }));
        assert_eq!(without, json!({ "summary": "words" }));
    }
}
