mod keys;
mod password;
mod password_link;
mod throttle;
mod tokens;
