"""The service: an HTTP API for programs, pages for people, one ASGI application for both.

What a page may rely on:

* `surfaces.serve.pages.routes()` gives the Starlette routes of all pages. They are mounted at the
  root. Files in `surfaces/serve/static/` are served at `/static/…` with an `ETag`, without login.
* Pages need a login. A route whose methods only read needs the right `READ`, every other one
  `CHANGE`; `needs(right)` requires another one.
* `request.state.principal` is a `Principal`: `tenant`, `role`, `agent` and `project` (None: any),
  `may(right)`. `request.app.state.hw` is the opened `Hardwon`. Name the tenant of the principal
  in every call: `hw.agent(name, project=…, tenant=principal.tenant)`; `scoped(request)` does so
  with the `agent` and `project` of the query and keeps to the limits of the key.
* Write endpoints as plain `def`: they run in a thread, so a slow disk does not delay others. Only
  streams (server-sent events) are `async def`.
* `csrf(request)` is the token for a form's hidden field `csrf` or the header `X-CSRF-Token`; the
  gate has checked it before a route that writes is called.
* `link(request, "/lessons/7")` is a path that also works behind a proxy with a prefix.
* An endpoint may raise a HardwonError or `Problem(status, detail)`: it becomes a page or a problem
  document with the right status.
* Every answer has a strict Content-Security-Policy: scripts and styles come from `/static/` only,
  nothing inline.
"""
