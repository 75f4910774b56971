//! What people and clients ask about instances: lists, trees, deletion.
//!
//! In: ids and filters. Out: rows in the engine's words. Never deletes what runs, except by force.

use super::StorageProvider;
use super::convert::{failed, size};
use async_trait::async_trait;
use duroxide::Event;
use duroxide::providers::{
    DeleteInstanceResult, ExecutionInfo, InstanceFilter, InstanceInfo, ProviderAdmin,
    ProviderError, PruneOptions, PruneResult, QueueDepths, SystemMetrics,
};
use salve_types::{ExecutionRow, InstanceRow, Timestamp};

const MOST_AT_ONCE: u32 = 1000;
const RUNNING: &str = "Running";
const ENDED: [&str; 3] = ["Completed", "Failed", "ContinuedAsNew"];

impl StorageProvider {
    async fn rows(
        &self,
        operation: &'static str,
        parent: Option<&str>,
    ) -> Result<Vec<InstanceRow>, ProviderError> {
        let rows = self.storage.instances(parent.map(str::to_owned)).await;
        rows.map_err(failed(operation))
    }

    async fn row(
        &self,
        operation: &'static str,
        instance: &str,
    ) -> Result<InstanceRow, ProviderError> {
        let row = self.storage.instance(instance.to_owned()).await.map_err(failed(operation))?;
        row.ok_or_else(|| {
            ProviderError::permanent(operation, format!("Instance {instance} not found"))
        })
    }

    async fn execution_rows(
        &self,
        operation: &'static str,
        instance: &str,
    ) -> Result<Vec<ExecutionRow>, ProviderError> {
        self.storage.executions(instance.to_owned()).await.map_err(failed(operation))
    }

    async fn filtered(
        &self,
        operation: &'static str,
        filter: &InstanceFilter,
        wanted: impl Fn(&InstanceRow) -> bool + Send,
    ) -> Result<Vec<String>, ProviderError> {
        let mut rows = self.rows(operation, None).await?;
        rows.retain(|row| {
            wanted(row)
                && filter.instance_ids.as_ref().is_none_or(|ids| ids.contains(&row.id))
                && filter.completed_before.is_none_or(|before| ended_before(row.ended_at, before))
        });
        rows.truncate(size(u64::from(filter.limit.unwrap_or(MOST_AT_ONCE))));
        Ok(rows.into_iter().map(|row| row.id).collect())
    }
}

fn millis(moment: Timestamp) -> u64 {
    u64::try_from(moment.0).unwrap_or_default()
}

fn ended_before(ended_at: Option<Timestamp>, before: u64) -> bool {
    ended_at.is_some_and(|at| millis(at) < before)
}

#[async_trait]
impl ProviderAdmin for StorageProvider {
    async fn list_instances(&self) -> Result<Vec<String>, ProviderError> {
        let rows = self.rows("list_instances", None).await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    async fn list_instances_by_status(&self, status: &str) -> Result<Vec<String>, ProviderError> {
        let rows = self.rows("list_instances_by_status", None).await?;
        let wanted = rows.into_iter().filter(|row| row.status.as_deref() == Some(status));
        Ok(wanted.map(|row| row.id).collect())
    }

    async fn list_executions(&self, instance: &str) -> Result<Vec<u64>, ProviderError> {
        let rows = self.execution_rows("list_executions", instance).await?;
        Ok(rows.into_iter().map(|row| row.execution).collect())
    }

    async fn read_history_with_execution_id(
        &self,
        instance: &str,
        execution_id: u64,
    ) -> Result<Vec<Event>, ProviderError> {
        self.history("read_history_with_execution_id", instance, Some(execution_id)).await
    }

    async fn read_history(&self, instance: &str) -> Result<Vec<Event>, ProviderError> {
        self.history("read_history", instance, None).await
    }

    async fn latest_execution_id(&self, instance: &str) -> Result<u64, ProviderError> {
        let rows = self.execution_rows("latest_execution_id", instance).await?;
        Ok(rows.last().map_or(1, |row| row.execution))
    }

    async fn get_instance_info(&self, instance: &str) -> Result<InstanceInfo, ProviderError> {
        let row = self.row("get_instance_info", instance).await?;
        Ok(InstanceInfo {
            instance_id: row.id,
            orchestration_name: row.flow,
            orchestration_version: row.version.unwrap_or_else(|| "unknown".to_owned()),
            current_execution_id: row.execution,
            status: row.status.unwrap_or_else(|| "Unknown".to_owned()),
            output: row.output,
            created_at: millis(row.created_at),
            updated_at: millis(row.updated_at),
            parent_instance_id: row.parent,
        })
    }

    async fn get_execution_info(
        &self,
        instance: &str,
        execution_id: u64,
    ) -> Result<ExecutionInfo, ProviderError> {
        let operation = "get_execution_info";
        let rows = self.execution_rows(operation, instance).await?;
        let row = rows.into_iter().find(|row| row.execution == execution_id).ok_or_else(|| {
            let message = format!("Execution {execution_id} not found for instance {instance}");
            ProviderError::permanent(operation, message)
        })?;
        Ok(ExecutionInfo {
            execution_id,
            status: row.status,
            output: row.output,
            started_at: millis(row.started_at),
            completed_at: row.ended_at.map(millis),
            event_count: size(row.events),
        })
    }

    async fn get_system_metrics(&self) -> Result<SystemMetrics, ProviderError> {
        let operation = "get_system_metrics";
        let rows = self.rows(operation, None).await?;
        let counts = self.storage.counts().await.map_err(failed(operation))?;
        let with = |status: &str| {
            rows.iter().filter(|row| row.status.as_deref() == Some(status)).count() as u64
        };
        Ok(SystemMetrics {
            total_instances: rows.len() as u64,
            total_executions: counts.executions,
            running_instances: with(RUNNING),
            completed_instances: with("Completed"),
            failed_instances: with("Failed"),
            total_events: counts.events,
        })
    }

    async fn get_queue_depths(&self) -> Result<QueueDepths, ProviderError> {
        let counts = self.storage.counts().await.map_err(failed("get_queue_depths"))?;
        Ok(QueueDepths {
            orchestrator_queue: size(counts.messages),
            worker_queue: size(counts.steps),
            // A timer is a message that is due later.
            timer_queue: 0,
        })
    }

    async fn list_children(&self, instance_id: &str) -> Result<Vec<String>, ProviderError> {
        let rows = self.rows("list_children", Some(instance_id)).await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    async fn get_parent_id(&self, instance_id: &str) -> Result<Option<String>, ProviderError> {
        Ok(self.row("get_parent_id", instance_id).await?.parent)
    }

    async fn delete_instances_atomic(
        &self,
        ids: &[String],
        force: bool,
    ) -> Result<DeleteInstanceResult, ProviderError> {
        if ids.is_empty() {
            return Ok(DeleteInstanceResult::default());
        }
        let deleted = self.storage.delete(ids.to_vec(), force).await;
        let deleted = deleted.map_err(failed("delete_instances_atomic"))?;
        Ok(DeleteInstanceResult {
            instances_deleted: ids.len() as u64,
            executions_deleted: deleted.executions,
            events_deleted: deleted.events,
            queue_messages_deleted: deleted.queued,
        })
    }

    async fn delete_instance_bulk(
        &self,
        filter: InstanceFilter,
    ) -> Result<DeleteInstanceResult, ProviderError> {
        let is_ended_root = |row: &InstanceRow| {
            row.parent.is_none() && row.status.as_deref().is_some_and(|it| ENDED.contains(&it))
        };
        let roots = self.filtered("delete_instance_bulk", &filter, is_ended_root).await?;
        let mut all = DeleteInstanceResult::default();
        for root in roots {
            let tree = self.get_instance_tree(&root).await?;
            let deleted = self.delete_instances_atomic(&tree.all_ids, true).await?;
            all.instances_deleted += deleted.instances_deleted;
            all.executions_deleted += deleted.executions_deleted;
            all.events_deleted += deleted.events_deleted;
            all.queue_messages_deleted += deleted.queue_messages_deleted;
        }
        Ok(all)
    }

    async fn prune_executions(
        &self,
        instance_id: &str,
        options: PruneOptions,
    ) -> Result<PruneResult, ProviderError> {
        let operation = "prune_executions";
        let current = self.row(operation, instance_id).await?.execution;
        let rows = self.execution_rows(operation, instance_id).await?;
        let kept = options.keep_last.map_or(0, |count| size(u64::from(count)));
        let older = rows.len().saturating_sub(kept);
        let mut rows = rows;
        rows.truncate(older);
        rows.retain(|row| {
            row.execution != current
                && row.status != RUNNING
                && options.completed_before.is_none_or(|before| ended_before(row.ended_at, before))
        });
        let executions: Vec<u64> = rows.into_iter().map(|row| row.execution).collect();
        let executions_deleted = executions.len() as u64;
        let pruned = self.storage.prune(instance_id.to_owned(), executions).await;
        let events_deleted = pruned.map_err(failed(operation))?;
        Ok(PruneResult { instances_processed: 1, executions_deleted, events_deleted })
    }

    async fn prune_executions_bulk(
        &self,
        filter: InstanceFilter,
        options: PruneOptions,
    ) -> Result<PruneResult, ProviderError> {
        let mut all = PruneResult::default();
        for instance in self.filtered("prune_executions_bulk", &filter, |_| true).await? {
            let pruned = self.prune_executions(&instance, options.clone()).await?;
            all.instances_processed += pruned.instances_processed;
            all.executions_deleted += pruned.executions_deleted;
            all.events_deleted += pruned.events_deleted;
        }
        Ok(all)
    }
}
