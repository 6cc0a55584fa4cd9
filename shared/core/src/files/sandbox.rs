//! What a worker sees of files (seed 004 §5): mounts under one root, and restrictions that only ever tighten.

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
    /// What is seen as `/`.
    root: VirtualPath,
    readonly: bool,
}

#[derive(Clone)]
struct Mount {
    at: VirtualPath,
    files: Arc<dyn Files>,
    readonly: bool,
}

/// How a worker's view is less than its caller's (seed 004 §5.4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    /// The folder of the caller's view that becomes its root.
    pub restrict: Option<VirtualPath>,
    /// Whether it may only read; nothing says what the caller's view says.
    pub readonly: Option<bool>,
}

impl Sandbox {
    /// All of these files.
    pub fn over(files: Arc<dyn Files>) -> Self {
        let view = Self {
            mounts: Vec::new(),
            root: VirtualPath::root(),
            readonly: false,
        };
        view.mounting(VirtualPath::root(), files, false)
    }

    /// With other files at this path, in place of what is there.
    pub fn mounting(mut self, at: VirtualPath, files: Arc<dyn Files>, readonly: bool) -> Self {
        self.mounts.push(Mount {
            at,
            files,
            readonly,
        });
        self
    }

    /// What somebody called from here sees.
    ///
    /// # Errors
    /// `PermissionEscalation` where it would lift what holds here; `InvalidPath` for a root that is too deep.
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

    /// A path as it is called where nothing is narrowed.
    ///
    /// # Errors
    /// `InvalidPath` where it is too long there.
    pub fn whole(&self, path: &VirtualPath) -> Result<VirtualPath, FilesError> {
        self.root.join(path)
    }

    /// Where a path leads: the mount that lies deepest above it, and the path inside of it.
    fn place(&self, path: &VirtualPath) -> Result<(&Mount, VirtualPath), FilesError> {
        let whole = self.whole(path)?;
        let mounts = self.mounts.iter();
        let above = mounts.filter_map(|mount| Some((mount, whole.below(&mount.at)?)));
        let deepest = above.max_by_key(|(mount, _)| mount.at.names().count());
        deepest.ok_or_else(|| FilesError::not_found(path))
    }

    /// Looks whether anything may be written there.
    ///
    /// # Errors
    /// `ReadOnly`, or `InvalidPath` as `whole`.
    pub fn check_writable(&self, path: &VirtualPath) -> Result<(), FilesError> {
        self.writable(path).map(drop)
    }

    fn writable(&self, path: &VirtualPath) -> Result<(&Mount, VirtualPath), FilesError> {
        let (mount, inner) = self.place(path)?;
        match self.readonly || mount.readonly {
            true => Err(FilesError::ReadOnly {
                path: path.to_string(),
            }),
            false => Ok((mount, inner)),
        }
    }

    /// The names of what is mounted right in this folder.
    fn mounted_in(&self, folder: &VirtualPath) -> Result<Vec<String>, FilesError> {
        let whole = self.whole(folder)?;
        let below = self
            .mounts
            .iter()
            .filter_map(|mount| mount.at.below(&whole));
        Ok(below
            .filter_map(|path| path.names().next().map(str::to_owned))
            .collect())
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
        entries.extend(
            mounted
                .into_iter()
                .map(|name| (name, FileInfo::folder(false))),
        );
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

/// An error under the path that was asked for: where that is really is nobody's business.
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
