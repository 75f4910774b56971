//! Recovery: whatever was interrupted comes to rest.
