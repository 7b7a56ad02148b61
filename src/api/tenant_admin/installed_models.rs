//! Access to the models of the installation for the rules about administration.

use std::sync::Arc;

use domain::administration::InstalledModels;
use providers::media::image::ImageModel;
use providers::media::speech::SpeechModel;
use providers::media::transcription::TranscriptionModel;
use providers::media::video::VideoModel;
use providers::{Media, Models};

/// Implements [`InstalledModels`] with the model registry.
pub struct Registry(pub Arc<Models>);

impl Registry {
    fn media<M: Media + ?Sized>(&self, name: &str) -> Option<String> {
        self.0.find_media::<M>(name).map(|model| model.info.id.clone())
    }
}

impl InstalledModels for Registry {
    fn chat_model(&self, name: &str) -> Option<String> {
        self.0.find(name).map(|model| model.info.id.clone())
    }

    fn embedding_model(&self, name: &str) -> Option<String> {
        self.0.find_embedder(name).map(|model| model.info.id.clone())
    }

    fn media_model(&self, name: &str) -> Option<String> {
        self.media::<dyn SpeechModel>(name)
            .or_else(|| self.media::<dyn TranscriptionModel>(name))
            .or_else(|| self.media::<dyn ImageModel>(name))
            .or_else(|| self.media::<dyn VideoModel>(name))
    }

    fn default_chat_model(&self) -> String {
        self.0.default().info.id.clone()
    }

    fn default_embedding_model(&self) -> String {
        self.0.default_embedder().info.id.clone()
    }
}
