//! What a client wants, made ready for judging.
//!
//! In: the parts of its request that were read. Out: a `Wanted` with compiled schemas. An agent sends
//! the same tools with every request, so compiled schemas are kept, up to a number. Never fails: a
//! schema that does not compile is ignored.

use salve_engine::answer::{Wanted, WantedTool};
use salve_model::wire::{Asked, Dialect};
use salve_text::CompiledSchema;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Schemas compiled for earlier requests, by the hash of their JSON.
#[derive(Debug)]
pub struct SchemaCache {
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    clock: u64,
    schemas: HashMap<[u8; 32], Entry>,
}

#[derive(Debug)]
struct Entry {
    used: u64,
    schema: Option<Arc<CompiledSchema>>,
}

impl Default for SchemaCache {
    fn default() -> Self {
        Self::new(512)
    }
}

impl SchemaCache {
    /// Makes a cache for this many schemas.
    pub fn new(most: usize) -> Self {
        Self { most: most.max(1), kept: Mutex::default() }
    }

    /// Returns the schema compiled; `None` when it cannot be.
    pub fn compiled(&self, source: &Value) -> Option<Arc<CompiledSchema>> {
        let key = hash_of(source);
        if let Some(found) = self.find(&key) {
            return found;
        }
        // Compiled outside the lock: a large schema must not make the other requests wait.
        let schema = CompiledSchema::new(source.clone()).ok().map(Arc::new);
        self.keep(key, schema.clone());
        schema
    }

    fn find(&self, key: &[u8; 32]) -> Option<Option<Arc<CompiledSchema>>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let entry = kept.schemas.get_mut(key)?;
        entry.used = now;
        Some(entry.schema.clone())
    }

    fn keep(&self, key: [u8; 32], schema: Option<Arc<CompiledSchema>>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.schemas.len() >= self.most {
            let oldest = kept.schemas.iter().min_by_key(|(_, entry)| entry.used);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                kept.schemas.remove(&oldest);
            }
        }
        let used = kept.clock;
        kept.schemas.insert(key, Entry { used, schema });
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).schemas.len()
    }
}

fn hash_of(source: &Value) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    // Writing to a hasher cannot fail.
    let _ = serde_json::to_writer(&mut hasher, source);
    *hasher.finalize().as_bytes()
}

/// Returns what a reply to this request must be.
pub fn wanted_of(asked: &Asked, schemas: &SchemaCache) -> Wanted {
    let tool = |tool: &salve_model::ToolSpec| WantedTool {
        name: tool.name.clone(),
        schema: if tool.parameters.is_null() { None } else { schemas.compiled(&tool.parameters) },
    };
    Wanted {
        language: None,
        schema: asked.schema.as_ref().and_then(|asked| schemas.compiled(&asked.schema)),
        json: asked.json || asked.schema.is_some(),
        tools: asked.tools.iter().map(tool).collect(),
        stop: asked.stop.clone(),
        edits: false,
        closed_calls: asked.dialect == Dialect::Messages && !asked.stream,
        output_limit: asked.max_output_tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_schema_is_compiled_once() {
        let cache = SchemaCache::new(4);
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let first = cache.compiled(&schema).unwrap();
        let again = cache.compiled(&schema.clone()).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
    }

    #[test]
    fn the_cache_stays_small_and_drops_what_was_used_longest_ago() {
        let cache = SchemaCache::new(4);
        let often = json!({"const": "often"});
        let first = cache.compiled(&often).unwrap();
        for number in 0..100 {
            assert!(cache.compiled(&json!({"const": number})).is_some());
            let again = cache.compiled(&often).unwrap();
            assert!(Arc::ptr_eq(&first, &again));
        }
        assert_eq!(cache.len(), 4);
    }

    #[test]
    fn a_schema_that_does_not_compile_binds_nobody_and_is_remembered() {
        let cache = SchemaCache::new(4);
        assert!(cache.compiled(&json!({"type": 7})).is_none());
        assert!(cache.compiled(&json!({"type": 7})).is_none());
        assert_eq!(cache.len(), 1);
    }
}
