mod opened;

use alfred_core::ports::{
    FileBody, FileInfo, Files, FilesError, Folders, Listing, MOST_FILE_BYTES, VirtualPath, Write,
};
use async_trait::async_trait;
use std::path::Path;
use std::sync::Arc;

use opened::{Node, Opened, away};

#[derive(Clone, Debug, Default)]
pub struct DiskFolders {
    hidden: Option<Node>,
}

impl DiskFolders {
    /// Treats the folder `data` (Alfred's own) as not found everywhere.
    pub fn hiding(data: &Path) -> Self {
        let hidden = Node::of(data);
        Self { hidden }
    }
}

impl Folders for DiskFolders {
    fn open(&self, root: &str) -> Result<Arc<dyn Files>, FilesError> {
        let opened = Opened::at(root, self.hidden)?;
        Ok(Arc::new(FolderFiles(Arc::new(opened))))
    }
}

struct FolderFiles(Arc<Opened>);

impl FolderFiles {
    async fn blocking<T: Send + 'static>(
        &self,
        path: &VirtualPath,
        work: impl FnOnce(&Opened, &VirtualPath) -> Result<T, FilesError> + Send + 'static,
    ) -> Result<T, FilesError> {
        let (opened, path) = (self.0.clone(), path.clone());
        let done = tokio::task::spawn_blocking(move || work(&opened, &path)).await;
        done.map_err(|error| away(&error.into()))?
    }
}

#[async_trait]
impl Files for FolderFiles {
    async fn info(&self, path: &VirtualPath) -> Result<FileInfo, FilesError> {
        self.blocking(path, Opened::info).await
    }

    async fn read(&self, path: &VirtualPath) -> Result<FileBody, FilesError> {
        self.read_up_to(path, MOST_FILE_BYTES).await
    }

    async fn read_up_to(&self, path: &VirtualPath, most: usize) -> Result<FileBody, FilesError> {
        self.blocking(path, move |opened, path| opened.read(path, most))
            .await
    }

    async fn list(&self, path: &VirtualPath) -> Result<Listing, FilesError> {
        self.blocking(path, Opened::list).await
    }

    async fn write(
        &self,
        path: &VirtualPath,
        bytes: &[u8],
        _: bool,
    ) -> Result<Vec<Write>, FilesError> {
        let bytes = bytes.to_vec();
        let written = self.blocking(path, move |opened, path| opened.write(path, &bytes));
        written.await.map(|()| Vec::new())
    }

    async fn delete(&self, path: &VirtualPath) -> Result<Vec<Write>, FilesError> {
        let deleted = self.blocking(path, Opened::delete).await;
        deleted.map(|()| Vec::new())
    }
}
