"""A hardwon on another machine, with the same face: `hardwon.open("https://…", key=…)`."""
