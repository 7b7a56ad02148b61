//! Cookies that hold the credentials of browsers.

use crate::config::{Config, CookieSameSite};
use actix_web::HttpResponseBuilder;
use actix_web::cookie::time::Duration as CookieDuration;
use actix_web::cookie::{Cookie, SameSite};
use std::time::Duration;

/// The cookie that holds the access token.
pub const ACCESS_COOKIE: &str = "understudy_access";
/// The cookie that holds the refresh token. It is sent only to the paths of the authentication area.
pub const REFRESH_COOKIE: &str = "understudy_refresh";

/// The cookie that marks the browser in which a login at another server began.
const LOGIN_COOKIE: &str = "understudy_login";
/// The name of that cookie with TLS. The `__Host-` prefix prevents servers on sibling domains from setting it.
const SAFE_LOGIN_COOKIE: &str = "__Host-understudy_login";
/// The time limit for such a login.
const LOGIN_LIFE: Duration = Duration::from_secs(10 * 60);

/// Sets and clears the cookies.
pub struct Cookies {
    secure: bool,
    same_site: SameSite,
    /// The path of the access cookie.
    path: String,
    /// The path of the refresh cookie.
    refresh_path: String,
}

impl Cookies {
    /// Creates the cookie settings from the configuration.
    pub fn new(config: &Config) -> Self {
        let same_site = match config.auth.cookie_same_site {
            CookieSameSite::Lax => SameSite::Lax,
            CookieSameSite::None => SameSite::None,
        };
        let base = config.server.base_path();
        let path = if base.is_empty() { "/" } else { base }.to_owned();
        Self { secure: config.server.is_https(), same_site, path, refresh_path: format!("{base}/api/auth") }
    }

    /// Sets the access cookie.
    pub fn access(&self, response: &mut HttpResponseBuilder, token: &str, life: Duration) {
        response.cookie(self.cookie(ACCESS_COOKIE, token, &self.path, life));
    }

    /// Sets the refresh cookie.
    pub fn refresh(&self, response: &mut HttpResponseBuilder, token: &str, life: Duration) {
        response.cookie(self.cookie(REFRESH_COOKIE, token, &self.refresh_path, life));
    }

    /// The name of the cookie that marks the browser in which a login at another server began.
    pub fn login_name(&self) -> &'static str {
        if self.secure { SAFE_LOGIN_COOKIE } else { LOGIN_COOKIE }
    }

    /// Sets that cookie. With `SameSite=Lax`, browsers send it when the other server redirects back. The `__Host-` prefix
    /// requires the path `/`, even if the server has a base path.
    pub fn login(&self, response: &mut HttpResponseBuilder, mark: &str) {
        response.cookie(self.cookie(self.login_name(), mark, "/", LOGIN_LIFE));
    }

    /// Clears the access cookie and the refresh cookie.
    pub fn clear(&self, response: &mut HttpResponseBuilder) {
        response.cookie(self.cookie(ACCESS_COOKIE, "", &self.path, Duration::ZERO));
        response.cookie(self.cookie(REFRESH_COOKIE, "", &self.refresh_path, Duration::ZERO));
    }

    fn cookie<'c>(&self, name: &'c str, value: &'c str, path: &'c str, life: Duration) -> Cookie<'c> {
        Cookie::build(name, value)
            .path(path)
            .http_only(true)
            .same_site(self.same_site)
            .secure(self.secure)
            .max_age(CookieDuration::seconds(life.as_secs() as i64))
            .finish()
    }
}
