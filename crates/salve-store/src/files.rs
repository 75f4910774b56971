//! The database's folder and file, and who may read them.
//!
//! In: a path. Out: a folder and a file for their owner alone, and a lock for those who open it at
//! once. Never changes the mode of a folder that was there.

use crate::StoreError;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

/// Makes the folder of the database where there is none.
pub(crate) fn create_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    let absent = |it: &&Path| !it.as_os_str().is_empty() && !it.is_dir();
    let made: Vec<&Path> = folder.ancestors().take_while(absent).collect();
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(StoreError::file(folder))?;
    made.into_iter().try_for_each(sync_name)
}

// What is synced in a folder outlives a loss of power only if the folder's own name does.
fn sync_name(folder: &Path) -> Result<(), StoreError> {
    let Some(parent) = folder.parent() else { return Ok(()) };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    File::open(parent).and_then(|file| file.sync_all()).map_err(StoreError::file(parent))
}

/// Makes an empty file for its owner alone, and makes a file that is there private. The files SQLite
/// puts beside its database have the mode of the database.
pub(crate) fn create_private(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(StoreError::file(path))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let permissions = file.metadata().map_err(StoreError::file(path))?.permissions();
        if permissions.mode() & 0o077 != 0 {
            let private = std::fs::Permissions::from_mode(0o600);
            file.set_permissions(private).map_err(StoreError::file(path))?;
        }
    }
    Ok(file)
}

/// Waits until no other process opens this database, for as long as the returned file is open.
pub(crate) async fn lock(path: &Path) -> Result<File, StoreError> {
    let lock = path.with_extension("lock");
    let file = create_private(&lock)?;
    // A minute: a backup of a large database takes its time.
    for _ in 0..1200 {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(Duration::from_millis(50)).await,
            Err(TryLockError::Error(error)) => return Err(StoreError::file(&lock)(error)),
        }
    }
    Err(StoreError::Busy { path: path.to_owned() })
}
