"""The service: an HTTP API for programs, pages for people, one ASGI application for both.

What a page may rely on:

* `surfaces.serve.pages.routes()` gives the Starlette routes of all pages. They are mounted at the
  root. Files in `surfaces/serve/static/` are served at `/static/…` with an `ETag`, without login.
* Pages need a login. `page(…)` needs the right `READ` and `action(…)` the right `CHANGE`, unless
  they name another `right`. Rights and limits of a key are in `principal`, for the API as well.
* `request.state.principal` is a `Principal`: `tenant`, `role`, `agent` and `project` (None: any),
  `may(right)`. `request.app.state.hw` is the opened `Hardwon`. Name the tenant of the principal
  in every call: `hw.agent(name, project=…, tenant=principal.tenant)`; `scoped(request)` does so
  with the `agent` and `project` of the query and keeps to the limits of the key;
  `lessons_of(request, scope)` are lessons that can be changed only within them.
* Write endpoints as plain `def`: they run in a thread, so a slow disk does not delay others. Only
  streams (server-sent events) are `async def`.
* `csrf(request)` is the token for a form's hidden field `csrf` or the header `X-CSRF-Token`; it
  has been checked before a route that writes is called, and the body is in `request.state.body`.
* `link(request, "/lessons/7")` is a path that also works behind a proxy with a prefix, and has the
  secret path of the login.
* An endpoint may raise a HardwonError or `Problem(status, detail)`: it becomes a page or a problem
  document with the right status.
* Every answer has a strict Content-Security-Policy: scripts and styles come from `/static/` only,
  nothing inline.
"""
