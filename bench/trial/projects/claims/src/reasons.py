"""Explanations of refusals, per edition; packed into the program by build.py."""
COMMON = {
    "E12": "A file is changed under its full reference: the number, a stroke (/) and the check letter of the file (claim.show and claim.list print it as `check`). Since two files were confused on the telephone, 2022.",
    "E28": "A file is kept in the currency of its policy (policy.show).",
    "E32": "Seats belong to houses (code.list, table seats); files and slips are the business of one of them.",
    "E41": "An adjuster's grade (roster) has an authority per currency (limits), counted over all live payments of a file.",
    "E44": "The auditor wants a ground for every change of a file. It is cited in the field `article` of the call; the articles are in code.list, table articles, each with the act that it is good for.",
    "E45": "Each article is good for one act only (code.list, table articles).",
    "E52": "The tools read the desk's files only in print, which is desk/sheet.json. After a change of a file in desk/ the tool sheet.press prints it anew; the printed sheet belongs in the commit.",
    "E61": "The host behind files and ledger takes at most three lines in one call; longer lists are sent in several calls.",
    "E71": "A report is drawn from a posted ledger only. Post the open slips of the day (ledger.slips) with ledger.post before the report, whoever wrote them; they belong to the desk.",
    "E81": "The archive files a commit under three parts that are parted by semicolons: ticket; act; subject - the ticket as in MD-118, the act one of open, assess, settle, assign, correct, report.",
}
A = dict(COMMON, **{
    "E27": "Amounts are read by the treasury's tape reader: minor units, a slash, the currency, and nothing else - 71250/SEK are 712.50 SEK.",
    "E31": "Whatever changes the store, the sheet or a report is done from a seat of the house. The seat of a session is what the variable PLINTH_SEAT says; the seats are in code.list, table seats.",
})
B = dict(COMMON, **{
    "E27": "Amounts are read by the treasury's new reader (the tape is gone): the currency, a colon, the amount with two decimals, and nothing else - SEK:712.50.",
    "E31": "Whatever changes the store, the sheet or a report is done from a seat of the house. The seat is named with each call by the option --seat; the environment is no longer asked. The seats are in code.list, table seats.",
})
