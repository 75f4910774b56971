//! Models of different kinds in one place.
//!
//! In: any model. Out: one type for all of them, for lists and maps. The trait itself returns its
//! own future and cannot be boxed, so this boxes the call.

use crate::model::{Model, ModelError, Watch};
use crate::reply::ModelReply;
use crate::request::ModelRequest;
use std::pin::Pin;
use std::sync::Arc;

/// Any model; a copy is the same one.
#[derive(Clone)]
pub struct AnyModel(Arc<dyn BoxedModel>);

type Calling<'a> = Pin<Box<dyn Future<Output = Result<ModelReply, ModelError>> + Send + 'a>>;

trait BoxedModel: Send + Sync {
    fn call_boxed<'a>(&'a self, request: &'a ModelRequest, watch: &'a mut dyn Watch)
    -> Calling<'a>;
}

impl<M: Model> BoxedModel for M {
    fn call_boxed<'a>(
        &'a self,
        request: &'a ModelRequest,
        watch: &'a mut dyn Watch,
    ) -> Calling<'a> {
        Box::pin(self.call(request, watch))
    }
}

impl AnyModel {
    /// Takes a model.
    pub fn new(model: impl Model + 'static) -> Self {
        Self(Arc::new(model))
    }
}

impl Model for AnyModel {
    async fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        self.0.call_boxed(request, watch).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, text};

    #[tokio::test]
    async fn models_of_any_kind_are_called_alike() {
        let models = [AnyModel::new(Scripted::new(vec![Ok(text("a")), Ok(text("b"))]))];
        let mut seen = String::new();
        for model in models.iter().cycle().take(2) {
            model.call(&ModelRequest::default(), &mut seen).await.unwrap();
        }
        assert_eq!(seen, "ab");
    }
}
