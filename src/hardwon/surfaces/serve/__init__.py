"""The service: an HTTP API for programs, pages for people, one ASGI application for both.

What a page may rely on:

* `surfaces.serve.pages.routes()` gives the Starlette routes of all pages. They are mounted at the
  root. Files in `surfaces/serve/static/` are served at `/static/…` with an `ETag`, without login.
* Pages need a login. `@routes.page(path)` needs the right `READ` and `@routes.action(path)` the
  right `CHANGE`, unless they name another `right`. Rights and limits of a key are in `principal`,
  for the API as well.
* A view gets a `Visit`, an operation of the API a `Call`: `principal` (tenant, role, agent and
  project; None: any), `hw` (the opened `Hardwon`), `tenant` and `agent` within the limits of the
  key, and `lessons_of(scope)`, which can be changed only within them.
* Views and actions are plain functions: they run in a thread, so a slow disk does not delay others.
  Only streams (server-sent events) are `async def`.
* `request.state.csrf` is the token for a form's hidden field `csrf` or the header `X-CSRF-Token`;
  it has been checked before an action is called.
* `link(request, "/lessons/7")` is a path that also works behind a proxy with a prefix, and has the
  secret path of the login.
* A view may raise a HardwonError or `Problem(status, detail)`: it becomes a page or a problem
  document with the right status.
* Every answer has a strict Content-Security-Policy: scripts and styles come from `/static/` only,
  nothing inline.
"""
