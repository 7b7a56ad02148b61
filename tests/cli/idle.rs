//! Resources that an idle server releases.

use super::process::ServerProcess;
use crate::harness::{PASSWORD, until};

#[cfg(target_os = "linux")]
#[tokio::test]
async fn idle_server_unmaps_its_code_and_keeps_serving() {
    let dir = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(dir.path(), &[("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD)]).await;
    for _ in 0..2 {
        let _ = server.log_in(PASSWORD).await.ok();
        let before = server.mapped_of_files();
        until("code is unmapped", async || server.mapped_of_files() < before / 4 * 3).await;
    }
    let _ = server.log_in(PASSWORD).await.ok();
    assert!(server.stop().await.success());
}
