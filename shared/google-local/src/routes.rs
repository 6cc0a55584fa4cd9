//! Routes of the APIs, and what each method needs.

use axum::Router;
use axum::extract::State;
use axum::http::Method;
use axum::routing::{MethodFilter, on};

use crate::exchange::{Asked, Effect};
use crate::state::GoogleLocal;

pub(crate) type Scopes = &'static [&'static str];

/// What a method needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// As in the discovery documents.
    pub id: &'static str,
    /// Any of these.
    pub scopes: Scopes,
    /// Of its service's quota.
    pub units: u64,
}

pub(crate) const GET: MethodFilter = MethodFilter::GET;
pub(crate) const POST: MethodFilter = MethodFilter::POST;
pub(crate) const PATCH: MethodFilter = MethodFilter::PATCH;
pub(crate) const DELETE: MethodFilter = MethodFilter::DELETE;

/// The routes of an API, all under one path.
pub(crate) struct Routes {
    base: &'static str,
    router: Router<GoogleLocal>,
}

/// A method without its effect.
pub(crate) struct Unserved {
    routes: Routes,
    verb: MethodFilter,
    path: String,
    spec: Spec,
}

impl Routes {
    pub fn at(base: &'static str) -> Self {
        let router = Router::new();
        Self { base, router }
    }

    pub fn method(self, verb: MethodFilter, path: &str, spec: Spec) -> Unserved {
        Unserved {
            path: format!("{}{path}", self.base),
            routes: self,
            verb,
            spec,
        }
    }
}

impl Unserved {
    pub fn by(self, effect: Effect) -> Routes {
        let spec = self.spec;
        let handler =
            move |State(google): State<GoogleLocal>, asked: Asked| google.api(asked, spec, effect);
        let Routes { base, router } = self.routes;
        let router = router.route(&self.path, on(self.verb, handler));
        Routes { base, router }
    }
}

impl From<Routes> for Router<GoogleLocal> {
    fn from(routes: Routes) -> Self {
        routes.router
    }
}

impl Spec {
    pub const fn new(id: &'static str, scopes: Scopes, units: u64) -> Self {
        Self { id, scopes, units }
    }

    /// The service whose quota is used: `gmail`, `sheets.write`, …
    pub fn service(&self, verb: &Method) -> String {
        match self.id.split('.').next().unwrap_or(self.id) {
            "sheets" if verb == Method::GET => "sheets.read".into(),
            "sheets" => "sheets.write".into(),
            family => family.into(),
        }
    }
}
