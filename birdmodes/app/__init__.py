"""The window: pages in the browser that start the commands and show what they made.

::

    forms.py       what a command can be told, and the command that says it
    folders.py     the folders that somebody may choose
    contents.py    what is in a folder of recordings
    lists.py       species lists: label files that are there, and a table to fill in
    projects.py    recordings and their workspace; the recent ones
    progress.py    what a command says of how far it is
    job.py         what is done for a workspace: kept in files, so that it outlives the window
    runner.py      the process that does it, one command after the other
    jobs.py        starts and stops such processes
    results.py     what the commands have made
    guard.py       who may ask
    ...            and the pages
"""
