//! Sandboxes: a worker's view of files. It consists of mounts under one root. Access rights can
//! only be restricted further.

use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ports::{
    FileBody, FileInfo, Files, FilesError, Listing, MOST_LISTED, VirtualPath, Write,
};

/// A view of files under virtual paths.
#[derive(Clone)]
pub struct Sandbox {
    mounts: Vec<Mount>,
    /// The folder that is visible as `/`.
    root: VirtualPath,
    readonly: bool,
}

#[derive(Clone)]
struct Mount {
    at: VirtualPath,
    files: Arc<dyn Files>,
    readonly: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    /// The folder of the caller's view that becomes the root.
    pub restrict: Option<VirtualPath>,
    /// Whether it may only read. `None` keeps the caller's right.
    pub readonly: Option<bool>,
}

impl Sandbox {
    pub fn over(files: Arc<dyn Files>) -> Self {
        let view = Self {
            mounts: Vec::new(),
            root: VirtualPath::root(),
            readonly: false,
        };
        view.mounting(VirtualPath::root(), files, false)
    }

    /// Mounts other files at a path, hiding what is there.
    pub fn mounting(mut self, at: VirtualPath, files: Arc<dyn Files>, readonly: bool) -> Self {
        self.mounts.push(Mount {
            at,
            files,
            readonly,
        });
        self
    }

    /// The view of a called worker. Fails with `PermissionEscalation` if it would lift a restriction;
    /// `InvalidPath` if the root is too deep.
    pub fn narrowed(mut self, by: &Narrowing) -> Result<Self, FilesError> {
        match by.readonly {
            Some(false) if self.readonly => return Err(FilesError::PermissionEscalation),
            Some(readonly) => self.readonly = readonly,
            None => {}
        }
        if let Some(folder) = &by.restrict {
            self.root = self.root.join(folder)?;
        }
        Ok(self)
    }

    /// The path without the sandbox's root restriction. Fails with `InvalidPath` if it gets too long.
    pub fn whole(&self, path: &VirtualPath) -> Result<VirtualPath, FilesError> {
        self.root.join(path)
    }

    /// The deepest mount that contains a path, and the path inside it.
    fn place(&self, path: &VirtualPath) -> Result<(&Mount, VirtualPath), FilesError> {
        let whole = self.whole(path)?;
        let mounts = self.mounts.iter();
        let above = mounts.filter_map(|mount| Some((mount, whole.below(&mount.at)?)));
        let deepest = above.max_by_key(|(mount, _)| mount.at.names().count());
        deepest.ok_or_else(|| FilesError::not_found(path))
    }

    /// Checks that a path may be written. Fails with `ReadOnly`, or `InvalidPath` as [`Self::whole`].
    pub fn check_writable(&self, path: &VirtualPath) -> Result<(), FilesError> {
        self.writable(path).map(drop)
    }

    fn writable(&self, path: &VirtualPath) -> Result<(&Mount, VirtualPath), FilesError> {
        let (mount, inner) = self.place(path)?;
        if self.readonly || mount.readonly {
            let path = path.to_string();
            return Err(FilesError::ReadOnly { path });
        }
        Ok((mount, inner))
    }

    /// Names of the mounts directly in a folder.
    fn mounted_in(&self, folder: &VirtualPath) -> Result<Vec<String>, FilesError> {
        let whole = self.whole(folder)?;
        let mounts = self.mounts.iter();
        let below = mounts.filter_map(|mount| mount.at.below(&whole));
        let names = below.filter_map(|path| path.names().next().map(str::to_owned));
        Ok(names.collect())
    }
}

#[async_trait]
impl Files for Sandbox {
    async fn info(&self, path: &VirtualPath) -> Result<FileInfo, FilesError> {
        let (mount, inner) = self.place(path)?;
        let found = mount.files.info(&inner).await;
        match found {
            Err(FilesError::NotFound { .. }) if !self.mounted_in(path)?.is_empty() => {
                Ok(FileInfo::folder(false))
            }
            found => found.map_err(|error| seen(error, path)),
        }
    }

    async fn read(&self, path: &VirtualPath) -> Result<FileBody, FilesError> {
        let (mount, inner) = self.place(path)?;
        let read = mount.files.read(&inner).await;
        read.map_err(|error| seen(error, path))
    }

    async fn read_up_to(&self, path: &VirtualPath, most: usize) -> Result<FileBody, FilesError> {
        let (mount, inner) = self.place(path)?;
        let read = mount.files.read_up_to(&inner, most).await;
        read.map_err(|error| seen(error, path))
    }

    async fn list(&self, path: &VirtualPath) -> Result<Listing, FilesError> {
        let (mount, inner) = self.place(path)?;
        let mounted = self.mounted_in(path)?;
        let listed = match mount.files.list(&inner).await {
            Err(FilesError::NotFound { .. }) if !mounted.is_empty() => Listing::default(),
            listed => listed.map_err(|error| seen(error, path))?,
        };
        if mounted.is_empty() {
            return Ok(listed);
        }
        let mut entries = BTreeMap::from_iter(listed.entries);
        let mounted = mounted.into_iter();
        entries.extend(mounted.map(|name| (name, FileInfo::folder(false))));
        Ok(Listing {
            more: listed.more || entries.len() > MOST_LISTED,
            entries: entries.into_iter().take(MOST_LISTED).collect(),
        })
    }

    async fn write(
        &self,
        path: &VirtualPath,
        bytes: &[u8],
        tainted: bool,
    ) -> Result<Vec<Write>, FilesError> {
        let (mount, inner) = self.writable(path)?;
        let written = mount.files.write(&inner, bytes, tainted).await;
        written.map_err(|error| seen(error, path))
    }

    async fn delete(&self, path: &VirtualPath) -> Result<Vec<Write>, FilesError> {
        let (mount, inner) = self.writable(path)?;
        let deleted = mount.files.delete(&inner).await;
        deleted.map_err(|error| seen(error, path))
    }
}

/// Replaces the real path in an error by the path the worker used, which must not learn the real one.
fn seen(error: FilesError, asked: &VirtualPath) -> FilesError {
    let path = asked.to_string();
    match error {
        FilesError::NotFound { .. } => FilesError::NotFound { path },
        FilesError::InvalidPath { why, .. } => FilesError::InvalidPath { path, why },
        FilesError::ReadOnly { .. } => FilesError::ReadOnly { path },
        FilesError::TooLarge { why, .. } => FilesError::TooLarge { path, why },
        FilesError::NotText { .. } => FilesError::NotText { path },
        other @ (FilesError::PermissionEscalation
        | FilesError::NoFolder
        | FilesError::Unavailable { .. }) => other,
    }
}
