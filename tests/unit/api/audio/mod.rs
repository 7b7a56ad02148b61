mod captions;
mod received;
