"""The same API for a hardwon on another machine: `hardwon.open("https://…", key=…)`."""
