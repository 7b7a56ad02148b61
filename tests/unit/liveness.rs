use std::sync::{Arc, mpsc as blocking};
use std::time::Duration;
use storage::Store;
use understudy::parts::server::{Workers, check};

/// A thread that answers pings, and is stuck until it is released.
fn worker(workers: &Arc<Workers>, ready: blocking::Sender<()>, stuck: blocking::Receiver<()>) {
    let workers = workers.clone();
    std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            workers.join();
            let _ = ready.send(());
            let _ = stuck.recv();
            std::future::pending::<()>().await;
        });
    });
}

#[tokio::test]
async fn check_fails_while_a_serving_thread_is_stuck() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(storage::StoreOptions::new(dir.path())).expect("a store");
    let workers = Arc::new(Workers::default());
    let soon = Duration::from_millis(200);
    assert_eq!(check(&workers, &store, soon).await, Err("no thread serves requests"));
    let (ready, started) = blocking::channel();
    let (release, stuck) = blocking::channel();
    worker(&workers, ready, stuck);
    started.recv().expect("it starts");
    assert!(check(&workers, &store, soon).await.is_err());
    release.send(()).expect("it is there");
    assert_eq!(check(&workers, &store, Duration::from_secs(60)).await, Ok(()));
    store.close();
}
